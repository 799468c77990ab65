import { Fault } from '@parley/contracts';
import { z } from 'zod';

const complaintsMax = 50;

/** A placeholder for words found once the whole input was examined. */
const unsaid = '\u0000';

/** The input as its schema parses it, or a VALIDATION_FAILED that names each wrong field and what it may be. */
export function parseInput<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  return readInput(schema, input).output;
}

/** The same beside the input to pass on: without the nulls of optional fields. */
export function readInput<Schema extends z.ZodType>(
  schema: Schema,
  input: unknown,
): { readonly output: z.output<Schema>; readonly given: unknown } {
  const first = schema.safeParse(input, { error: ownWords });
  if (first.success) return { output: kept(first.data), given: input };
  const given = withoutNulls(input, first.error.issues);
  const second = given === input ? first : schema.safeParse(given, { error: ownWords });
  if (second.success) return { output: kept(second.data), given };
  throw complaintsAbout(schema, given, second.error.issues);
}

/** The same value, once it is sure that Postgres takes all of its text, as text and as JSON. */
function kept<Value>(value: Value): Value {
  const found = unkeptIn(value, []);
  if (!found) return value;
  const field = found.path.join('.');
  const message = `${field || 'the input'} must not contain ${found.what}`;
  throw new Fault('VALIDATION_FAILED', { message, details: [{ field, message }] });
}

interface Unkept {
  readonly path: readonly string[];
  readonly what: string;
}

/** The depth of JSON input is limited by the body parser. */
function unkeptIn(value: unknown, path: readonly string[]): Unkept | undefined {
  if (typeof value === 'string') return unkeptText(value, path);
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [name, each] of Object.entries(value)) {
    const found = unkeptText(name, path) ?? unkeptIn(each, [...path, name]);
    if (found) return found;
  }
  return undefined;
}

function unkeptText(text: string, path: readonly string[]): Unkept | undefined {
  if (text.includes('\0')) return { path, what: 'the NUL character' };
  return text.isWellFormed() ? undefined : { path, what: 'half of a surrogate pair' };
}

/** Null where a schema takes none is what many clients send for "nothing": the same as leaving the field out. */
function withoutNulls(input: unknown, issues: readonly z.core.$ZodIssue[]): unknown {
  const paths = issues.map(({ path }) => path).filter((path) => path.length > 0 && valueAt(input, path) === null);
  return paths.reduce(without, input);
}

function without(input: unknown, [step, ...rest]: readonly PropertyKey[]): unknown {
  if (typeof input !== 'object' || input === null || step === undefined) return input;
  if (Array.isArray(input))
    return input.map((each: unknown, index) => (index === step && rest.length > 0 ? without(each, rest) : each));
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

/** A schema's own message comes first; otherwise it is what its fields may be. */
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

/** What is wrong, as a predicate after the field's name. */
function predicateOf(schema: z.ZodType, input: unknown, issue: z.core.$ZodIssue): string {
  const { message, path } = issue;
  if (message !== unsaid) return message;
  if (issue.code === 'unrecognized_keys') return `must not have ${issue.keys.join(', ')}`;
  if (issue.code === 'invalid_key')
    return issue.issues.find((each) => each.message !== unsaid)?.message ?? 'has a name that is not valid';
  if (path.length > 0 && valueAt(input, path) === undefined) return 'is required';
  const allowed = allowedAt(schema, path);
  return allowed ? `must be ${allowed}` : 'is not valid';
}

type Json = z.core.JSONSchema.BaseSchema;

const formats: Record<string, string> = {
  email: 'an e-mail address',
  uri: 'a URL with http or https',
  uuid: 'a UUID',
  guid: 'a UUID',
  date: 'an ISO 8601 date',
  'date-time': 'an ISO 8601 date-time',
  e164: 'a telephone number in E.164 such as +912025501234',
  ipv4: 'an IPv4 address',
  ipv6: 'an IPv6 address',
  cidrv4: 'a range such as 203.0.113.0/24',
  cidrv6: 'a range such as 2001:db8::/32',
};

const documents = new WeakMap<z.ZodType, Json>();

/** What a field of a schema may be, as the end of "must be …"; undefined where the schema does not say. */
function allowedAt(schema: z.ZodType, path: readonly PropertyKey[]): string | undefined {
  const document = documents.get(schema) ?? z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', override: bareBounds });
  documents.set(schema, document);
  const found = path.reduce<Json[]>((places, step) => places.flatMap((place) => stepInto(place, step, document)), [document]);
  const words = found.flatMap((place) => wordsOf(place, document));
  return words.length > 0 ? [...new Set(words)].join(' or ') : undefined;
}

/** JavaScript's integer bounds are no rule of ours. */
function bareBounds({ jsonSchema }: { jsonSchema: Json }): void {
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
}

function stepInto(place: Json, step: PropertyKey, document: Json): Json[] {
  return alternativesOf(place, document).flatMap(({ properties = {}, items, additionalProperties }) => {
    const next = typeof step === 'number' ? items : (properties[String(step)] ?? additionalProperties);
    return typeof next === 'object' && !Array.isArray(next) ? [next] : [];
  });
}

/** What a place may be, its references followed. */
function alternativesOf({ $ref, ...place }: Json, document: Json): Json[] {
  const named = $ref && document.$defs?.[$ref.replace('#/$defs/', '')];
  if ($ref === '#') return [document];
  if (named) return alternativesOf(named, document);
  const options = place.anyOf ?? place.oneOf;
  // Beside fields of its own they say only which of those are needed.
  if (!options || place.properties) return [place];
  return options.flatMap((option) => (typeof option === 'object' ? alternativesOf(option, document) : []));
}

function wordsOf(place: Json, document: Json): string[] {
  return alternativesOf(place, document).flatMap((option) => wordsOfOne(option) ?? []);
}

function wordsOfOne(schema: Json): string | undefined {
  if (schema.enum) return `one of ${schema.enum.map(shown).join(', ')}`;
  if (schema.const !== undefined) return shown(schema.const);
  switch (schema.type) {
    case 'string':
      return textWords(schema);
    case 'integer':
      return `an integer${range(schema.minimum, schema.maximum, ['from', 'to', ''])}`;
    case 'number':
      return schema.exclusiveMinimum === undefined
        ? `a number${range(schema.minimum, schema.maximum, ['from', 'to', ''])}`
        : `a number above ${schema.exclusiveMinimum} and at most ${schema.maximum ?? 'any'}`;
    case 'array':
      return `an array${range(schema.minItems, schema.maxItems, ['of', 'to', ' items'])}`;
    case 'boolean':
      return 'true or false';
    case 'object':
      return 'an object';
    case 'null':
      return 'null';
    default:
      return undefined;
  }
}

function textWords({ format, pattern, minLength, maxLength }: Json): string {
  const known = format && formats[format];
  if (known) return known;
  if (minLength === 1 && maxLength === undefined && !pattern) return 'a string that is not empty';
  const form = pattern && !format ? ` that matches ${pattern}` : '';
  return `a string${range(minLength, maxLength, ['of', 'to', ' characters'])}${form}`;
}

function range(min: number | undefined, max: number | undefined, [before, between, unit]: [string, string, string]): string {
  if (min !== undefined && max !== undefined) return ` ${before} ${min} ${between} ${max}${unit}`;
  if (max !== undefined) return ` of at most ${max}${unit}`;
  return min === undefined ? '' : ` of at least ${min}${unit}`;
}

function shown(value: unknown): string {
  return value === '' ? 'an empty text' : String(value);
}
