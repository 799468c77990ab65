import { Fault } from '@parley/contracts';
import type { z } from 'zod';

type Issue = Pick<z.core.$ZodRawIssue, 'code' | 'input'> & Record<string, unknown>;

const complaintsMax = 50;
const formats: Record<string, string> = {
  email: 'an e-mail address',
  url: 'a URL',
  uuid: 'a UUID',
  guid: 'a UUID',
  date: 'an ISO 8601 date',
  datetime: 'an ISO 8601 date-time',
  safeint: 'an integer',
};
const types: Record<string, string> = {
  int: 'an integer',
  array: 'an array',
  object: 'an object',
  record: 'an object',
  string: 'a string',
  number: 'a number',
  boolean: 'a boolean',
};

/** The input as its schema understands it, or a VALIDATION_FAILED that names each wrong field in a sentence. */
export function parseInput<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const parsed = schema.safeParse(input, { error: predicateOf });
  if (parsed.success) return parsed.data;
  const details = parsed.error.issues.slice(0, complaintsMax).map(({ path, message }) => {
    const field = path.join('.');
    return { field, message: `${field || 'the input'} ${message}` };
  });
  const [first] = details;
  throw new Fault('VALIDATION_FAILED', { details, ...(first && { message: first.message }) });
}

/** What is wrong, as the end of a sentence that begins with the field. A schema's own words come first. */
function predicateOf(issue: Issue): string | undefined {
  if (issue.code === 'invalid_type') return typePredicate(issue);
  if (issue.code === 'invalid_value') return issue.input === undefined ? 'is required' : `must be one of ${listed(issue.values)}`;
  if (issue.code === 'invalid_format') return `must be ${formats[String(issue.format)] ?? 'in the expected form'}`;
  if (issue.code === 'too_big') return `must ${sizePredicate(issue, 'at most', issue.maximum)}`;
  if (issue.code === 'too_small') return smallPredicate(issue);
  return issue.input === undefined ? 'is required' : 'is not valid';
}

function typePredicate({ input, expected }: Issue): string {
  // Text from a query that is no number arrives here as NaN.
  return input === undefined ? 'is required' : `must be ${types[String(expected)] ?? `a ${String(expected)}`}`;
}

function smallPredicate(issue: Issue): string {
  const isBlank = issue.origin === 'string' && issue.minimum === 1;
  return isBlank ? 'must not be empty' : `must ${sizePredicate(issue, 'at least', issue.minimum)}`;
}

function sizePredicate({ origin }: Issue, bound: string, size: unknown): string {
  if (origin === 'string') return `have ${bound} ${String(size)} characters`;
  if (origin === 'array' || origin === 'set') return `have ${bound} ${String(size)} items`;
  return `be ${bound} ${String(size)}`;
}

function listed(values: unknown): string {
  return Array.isArray(values) ? values.map(String).join(', ') : String(values);
}
