import { Fault } from '@parley/contracts';
import type { z } from 'zod';
import { allowedAt } from './allowed';

const complaintsMax = 50;

/** Stands for words that are found once the whole input was looked at. */
const unsaid = '\u0000';

/** The input as its schema understands it, or a VALIDATION_FAILED that names each wrong field and what it may be. */
export function parseInput<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  return readInput(schema, input).output;
}

/** The same beside what to pass on: the input without the nulls that stand where a field may be left out. */
export function readInput<Schema extends z.ZodType>(
  schema: Schema,
  input: unknown,
): { readonly output: z.output<Schema>; readonly given: unknown } {
  const first = schema.safeParse(input, { error: ownWords });
  if (first.success) return { output: first.data, given: input };
  const given = withoutNulls(input, first.error.issues);
  const second = given === input ? first : schema.safeParse(given, { error: ownWords });
  if (second.success) return { output: second.data, given };
  throw complaintsAbout(schema, given, second.error.issues);
}

/** Null where a schema takes none is what many clients send for "nothing": the same as leaving the field out. */
function withoutNulls(input: unknown, issues: readonly z.core.$ZodIssue[]): unknown {
  const paths = issues.map(({ path }) => path).filter((path) => path.length > 0 && valueAt(input, path) === null);
  return paths.reduce(without, input);
}

function without(input: unknown, [step, ...rest]: readonly PropertyKey[]): unknown {
  if (typeof input !== 'object' || input === null || step === undefined) return input;
  if (Array.isArray(input)) return input.map((each, index) => (index === step && rest.length > 0 ? without(each, rest) : each));
  const fields = Object.entries(input);
  return Object.fromEntries(
    rest.length === 0
      ? fields.filter(([name]) => name !== step)
      : fields.map(([name, value]) => [name, name === step ? without(value, rest) : value]),
  );
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, step) => (typeof value === 'object' && value !== null ? Reflect.get(value, step) : undefined),
    input,
  );
}

/** A schema's own words come first; what is left unsaid is what its fields may be. */
function ownWords({ input }: { readonly input?: unknown }): string {
  return input === undefined ? 'is required' : unsaid;
}

function complaintsAbout(schema: z.ZodType, input: unknown, issues: readonly z.core.$ZodIssue[]): Fault {
  const details = issues.slice(0, complaintsMax).map((issue) => {
    const field = issue.path.join('.');
    return { field, message: `${field || 'the input'} ${predicateOf(schema, input, issue)}` };
  });
  const [first] = details;
  return new Fault('VALIDATION_FAILED', { details, ...(first && { message: first.message }) });
}

/** What is wrong, as the end of a sentence that begins with the field. */
function predicateOf(schema: z.ZodType, input: unknown, { message, path }: z.core.$ZodIssue): string {
  if (message !== unsaid) return message;
  if (path.length > 0 && valueAt(input, path) === undefined) return 'is required';
  const allowed = allowedAt(schema, path);
  return allowed ? `must be ${allowed}` : 'is not valid';
}
