import { z } from 'zod';

type Json = z.core.JSONSchema.BaseSchema;

const formats: Record<string, string> = {
  email: 'an e-mail address',
  uri: 'a URL with http or https',
  uuid: 'a UUID',
  guid: 'a UUID',
  date: 'an ISO 8601 date',
  'date-time': 'an ISO 8601 date-time with a time zone, such as Z or +05:30',
  e164: 'a telephone number in E.164 such as +912025501234',
  ipv4: 'an IPv4 address',
  ipv6: 'an IPv6 address',
  cidrv4: 'a range such as 203.0.113.0/24',
  cidrv6: 'a range such as 2001:db8::/32',
};

const documents = new WeakMap<z.ZodType, Json>();

interface Complaint {
  /** Its path, joined with dots; empty for the input itself. */
  readonly field: string;
  /** What is wrong with it, as a predicate: `must be an integer from 1 to 200`. */
  readonly predicate: string;
}

/** A placeholder for a message that is composed once the whole input has been parsed. */
const pendingMessage = '\u0000';

/** For `safeParse`: keeps a schema's own message, and leaves all others to `complaintsAbout`. */
export function ownWords({ input }: { readonly input?: unknown }): string {
  return input === undefined ? 'is required' : pendingMessage;
}

/** The errors of an input that was parsed with `ownWords`, in the wording of every 400 of the API. */
export function complaintsAbout(schema: z.ZodType, input: unknown, issues: readonly z.core.$ZodIssue[]): Complaint[] {
  const all = issues.map((issue) => ({ field: issue.path.join('.'), predicate: predicateOf(schema, input, issue) }));
  // Several rules of one field may be broken at once, such as that it is required and not empty. Of the whole input each is another.
  const byField = new Map(all.toReversed().map((one) => [one.field || one.predicate, one]));
  return all.filter((one) => byField.get(one.field || one.predicate) === one);
}

function predicateOf(schema: z.ZodType, input: unknown, issue: z.core.$ZodIssue): string {
  const { message, path } = issue;
  if (message !== pendingMessage) return message;
  if (issue.code === 'unrecognized_keys') return `must not have ${issue.keys.join(', ')}${namesAllowedAt(schema, path)}`;
  if (issue.code === 'invalid_key')
    return (
      issue.issues.find((each) => each.message !== pendingMessage)?.message ??
      `has a name that is not valid${namesAllowedAt(schema, path.slice(0, -1))}`
    );
  const value = valueAt(input, path);
  if (path.length > 0 && value === undefined) return 'is required';
  const allowed = allowedAt(schema, path, typeof value === 'string');
  return allowed ? `must be ${allowed}` : 'is not valid';
}

/** The value at a path of unparsed input; undefined if the path does not exist. */
export function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, step) => (typeof value === 'object' && value !== null ? Reflect.get(value, step) : undefined),
    input,
  );
}

/** What a field of a schema may be, as the end of "must be …"; undefined if the schema does not say. */
function allowedAt(schema: z.ZodType, path: readonly PropertyKey[], isText: boolean): string | undefined {
  const { places, document } = placesAt(schema, path);
  const words = places.flatMap((place) => wordsOf(place, document, isText));
  return words.length > 0 ? [...new Set(words)].join(' or ') : undefined;
}

/** The fields that an object may have, as the end of "must not have …", if the schema names them. */
function namesAllowedAt(schema: z.ZodType, path: readonly PropertyKey[]): string {
  const { places, document } = placesAt(schema, path);
  const names = places
    .flatMap((place) => alternativesOf(place, document))
    .flatMap(({ properties = {}, propertyNames }) => [
      ...Object.keys(properties),
      ...(typeof propertyNames === 'object' ? (propertyNames.enum ?? []).map(String) : []),
    ]);
  return names.length > 0 ? `, only ${[...new Set(names)].join(', ')}` : '';
}

/** What a schema says of a path. */
function placesAt(schema: z.ZodType, path: readonly PropertyKey[]): { places: Json[]; document: Json } {
  const document =
    documents.get(schema) ?? z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', override: withoutDefaultBounds });
  documents.set(schema, document);
  const step = (places: Json[], to: PropertyKey) => places.flatMap((place) => stepInto(place, to, document));
  return { places: path.reduce<Json[]>(step, [document]), document };
}

/** JavaScript's integer bounds are not rules of the API. */
function withoutDefaultBounds({ jsonSchema }: { jsonSchema: Json }): void {
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
}

function stepInto(place: Json, step: PropertyKey, document: Json): Json[] {
  return alternativesOf(place, document).flatMap(({ properties = {}, items, additionalProperties }) => {
    const next = typeof step === 'number' ? items : (properties[String(step)] ?? additionalProperties);
    return typeof next === 'object' && !Array.isArray(next) ? [next] : [];
  });
}

/** The alternatives for a value, with references resolved. */
function alternativesOf({ $ref, ...place }: Json, document: Json): Json[] {
  const named = $ref && document.$defs?.[$ref.replace('#/$defs/', '')];
  if ($ref === '#') return [document];
  if (named) return alternativesOf(named, document);
  if (Array.isArray(place.type)) return place.type.map((type) => ({ ...place, type }));
  const options = place.anyOf ?? place.oneOf;
  // Next to fields, `anyOf` only says which of them are required.
  if (!options || place.properties) return [place];
  return options.flatMap((option) => (typeof option === 'object' ? alternativesOf(option, document) : []));
}

function wordsOf(place: Json, document: Json, isText: boolean): string[] {
  return alternativesOf(place, document).flatMap((option) => wordsOfOne(option, isText) ?? []);
}

function wordsOfOne(schema: Json, isText: boolean): string | undefined {
  if (schema.enum) return `one of ${schema.enum.map(shown).join(', ')}`;
  if (schema.const !== undefined) return shown(schema.const);
  switch (schema.type) {
    case 'string':
      return textWords(schema, isText);
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

/** A pattern is only of use to someone who sent a text. */
function textWords({ format, pattern, minLength, maxLength }: Json, isText: boolean): string {
  const known = format && formats[format];
  if (known) return known;
  if (minLength === 1 && maxLength === undefined && !pattern) return 'a string that is not empty';
  const form = pattern && !format && isText ? ` that matches ${pattern}` : '';
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
