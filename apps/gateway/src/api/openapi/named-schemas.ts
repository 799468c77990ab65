import { STATUS_CODES } from 'node:http';
import { Fault, faultCatalogue, type FaultCode, faultCodes, meaningOf } from '@parley/contracts';
import { z } from 'zod';
import { faultBody } from '../../door/faults';
import { replayedRefusals } from '../../door/idempotency/claimed-answers';

/** A piece of JSON Schema, draft 2020-12, as OpenAPI 3.1 takes it. */
export type JsonSchema = z.core.JSONSchema.BaseSchema;
type Definitions = Readonly<Record<string, JsonSchema>>;
type Direction = 'input' | 'output';

const selfEvident = ['uuid', 'date', 'date-time', 'email', 'ipv4', 'ipv6'];
const standardFormats = [...selfEvident, 'time', 'duration', 'uri', 'hostname'];

/**
 * The named schemas of the document. A schema that differs between input and output (defaults, transforms) gets two names; every
 * other is written once. What is sent is called Input, because generators of clients call their own class of an operation's
 * parameters Request.
 */
export class NamedSchemas {
  private readonly components = new Map<string, JsonSchema>();
  private readonly spellings = new Map<string, string>();

  /** The schema of a value, with its named parts moved to the components. */
  schemaOf(schema: z.ZodType, direction: Direction): JsonSchema {
    const {
      $defs: found = {},
      $schema: _,
      ...root
    } = z.toJSONSchema(schema, {
      io: direction,
      unrepresentable: 'any',
      override: ({ zodSchema, jsonSchema }) => {
        tidy(jsonSchema);
        if (zodSchema instanceof z.ZodDiscriminatedUnion) jsonSchema.discriminator = discriminatorOf(zodSchema);
        // What a group is that is left out, its fields say; a generator of Go writes the default of a group as broken code.
        if (typeof jsonSchema.default === 'object' && !Array.isArray(jsonSchema.default)) delete jsonSchema.default;
        // Answers are sent with every default filled in.
        if (direction === 'output') jsonSchema.examples &&= jsonSchema.examples.map((example) => z.parse(zodSchema, example));
      },
    });
    const $defs = Object.fromEntries(Object.entries(found).map(([id, definition]) => [id, explained(definition, id)]));
    const named = namesFor($defs, (id, text) => this.nameOf(id, text, direction));
    for (const [id, definition] of Object.entries($defs)) this.components.set(named(id), renamed(definition, named));
    return renamed(explained(root, ''), named);
  }

  /** The same with its outermost name resolved, for callers that need its properties. */
  shapeOf(schema: z.ZodType, direction: Direction): JsonSchema {
    const found = this.schemaOf(schema, direction);
    const name = found.$ref?.replace('#/components/schemas/', '');
    return (name && this.components.get(name)) || found;
  }

  toJSON(): Definitions {
    return Object.fromEntries([...this.components].sort(([a], [b]) => a.localeCompare(b)));
  }

  private nameOf(id: string, text: string, direction: Direction): string {
    const first = id.replace(/Request$/, 'Input');
    const names = [first, direction === 'input' ? `${first}Input` : `${first}Output`];
    const name = names.find((candidate) => (this.spellings.get(candidate) ?? text) === text);
    if (!name) throw new TypeError(`two schemas are called ${id}`);
    this.spellings.set(name, text);
    return name;
  }
}

/**
 * Removes what would mislead readers: patterns that only repeat a format, formats that only zod knows, JavaScript's own number
 * limits, the promise that replies never gain a field, and unions that generators of clients cannot use.
 */
function tidy(jsonSchema: JsonSchema): void {
  if (jsonSchema.format && selfEvident.includes(jsonSchema.format)) delete jsonSchema.pattern;
  if (jsonSchema.format && !standardFormats.includes(jsonSchema.format)) delete jsonSchema.format;
  // Python's generator gives an open object a field of its own of this name.
  if (jsonSchema.additionalProperties === false && !jsonSchema.properties?.additionalProperties)
    delete jsonSchema.additionalProperties;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  nameFields(jsonSchema);
  simplifyFixedValues(jsonSchema);
  nameWide(jsonSchema);
  if (jsonSchema.anyOf) simplifyUnion(jsonSchema, jsonSchema.anyOf);
}

/** Generators of Go and Java take an integer for one of 32 bits, unless its format says otherwise; a balance may be larger. */
function nameWide(jsonSchema: JsonSchema): void {
  const { type, maximum = Number.POSITIVE_INFINITY } = jsonSchema;
  const isFixed = jsonSchema.enum !== undefined || jsonSchema.const !== undefined;
  if (type === 'integer' && !isFixed && maximum >= 2 ** 31) jsonSchema.format = 'int64';
}

/** By which field the options of a union are told apart. Go's generator cannot read a nullable field of an option without it. */
function discriminatorOf({ options, def: { discriminator } }: z.ZodDiscriminatedUnion): object | undefined {
  const mapping = options.map((option): [string, string] | undefined => {
    const { id } = z.globalRegistry.get(option) ?? {};
    const value = option instanceof z.ZodObject ? option.shape[discriminator] : undefined;
    return id && value instanceof z.ZodLiteral ? [String(value.value), `#/$defs/${id}`] : undefined;
  });
  const known = mapping.filter((pair) => pair !== undefined);
  return known.length === options.length ? { propertyName: discriminator, mapping: Object.fromEntries(known) } : undefined;
}

/** A map whose keys are known has fields: of a map, Python's generator cannot read values that are lists of fixed texts. */
function nameFields(jsonSchema: JsonSchema): void {
  const { propertyNames, additionalProperties: value } = jsonSchema;
  if (typeof propertyNames !== 'object' || !propertyNames.enum || value === undefined) return;
  jsonSchema.properties = Object.fromEntries(propertyNames.enum.map((name) => [String(name), value]));
  delete jsonSchema.propertyNames;
  delete jsonSchema.additionalProperties;
}

/** Whole numbers are integers to every generator, and one fixed boolean is a boolean: Java's compares it with a text. */
function simplifyFixedValues(jsonSchema: JsonSchema): void {
  const fixed = jsonSchema.enum ?? (jsonSchema.const === undefined ? [] : [jsonSchema.const]);
  if (jsonSchema.type === 'number' && fixed.length > 0 && fixed.every(Number.isInteger)) jsonSchema.type = 'integer';
  if (jsonSchema.type === 'boolean') delete jsonSchema.const;
  if (jsonSchema.enum) delete jsonSchema.pattern;
}

/**
 * A union of strings becomes one string: Python's generator compares with the type of an empty one, which fails on every request,
 * Java's does not compile for a date or a date-time, and the others lose the format. Which of several fields is required is said
 * beside the schema: orval would send none of them. The services check as before.
 */
function simplifyUnion(schema: JsonSchema, options: readonly JsonSchema[]): void {
  const flat = options.flatMap((option) => (Object.keys(option).join() === 'anyOf' ? (option.anyOf ?? []) : [option]));
  const distinct = [...new Map(flat.map((option) => [JSON.stringify(option), option])).values()];
  schema.anyOf = distinct;
  if (distinct.every((option) => Object.keys(option).join() === 'required')) {
    delete schema.anyOf;
    schema['x-any-required'] = distinct.map(({ required }) => required);
  }
  const strings = distinct.filter(isString);
  if (strings.length < 2) return;
  const rest = distinct.filter((option) => !isString(option));
  if (rest.length > 0) schema.anyOf = [oneString(strings), ...rest];
  else {
    delete schema.anyOf;
    Object.assign(schema, { ...oneString(strings), ...(schema.description && { description: schema.description }) });
  }
}

function isString({ type }: JsonSchema): boolean {
  return type === 'string';
}

function isFixed(schema: JsonSchema): boolean {
  return schema.const !== undefined || schema.enum !== undefined;
}

/** Patterns of formats, for strings that may also be something else. Services check more exactly. */
const formatPatterns: Readonly<Record<string, string>> = {
  uuid: '^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$',
  email: '^[^@\\s]+@[^@\\s]+$',
  uri: '^[A-Za-z][A-Za-z0-9+.-]*:',
  date: '^\\d{4}-\\d\\d-\\d\\d$',
  'date-time': '^\\d{4}-\\d\\d-\\d\\dT',
  ipv4: '^\\d{1,3}(\\.\\d{1,3}){3}$',
  ipv6: '^[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*$',
};

/** One string that may have every value of these. */
function oneString(options: readonly JsonSchema[]): JsonSchema {
  const description = options.map((option) => option.description).find((words) => words);
  const told = description === undefined ? {} : { description };
  const fixed = options.flatMap((option) => option.enum ?? (option.const === undefined ? [] : [option.const])).map(String);
  if (options.every(isFixed)) return { type: 'string', enum: fixed, ...told };
  const free = options.filter((option) => !isFixed(option));
  const longest = Math.max(...free.map(({ maxLength = Infinity }) => maxLength), ...fixed.map(({ length }) => length));
  const patterns = free.map(patternOf);
  const texts = fixed.map((text) => `^${text.replaceAll(/[$()*+.?[\\\]^{|}]/g, '\\$&')}$`);
  return {
    type: 'string',
    ...(patterns.every((pattern) => pattern !== undefined) && { pattern: [...texts, ...patterns].join('|') }),
    ...(longest < Infinity && { maxLength: longest }),
    ...told,
  };
}

/** What a string must look like; undefined if it may be anything, or anything but empty. */
function patternOf({ pattern, format = '', minLength = 0 }: JsonSchema): string | undefined {
  return pattern ?? formatPatterns[format] ?? (minLength > 1 ? `^[\\s\\S]{${minLength},}$` : undefined);
}

function namesFor(definitions: Definitions, nameOf: (id: string, text: string) => string): (id: string) => string {
  const names = new Map(Object.keys(definitions).map((id) => [id, nameOf(id, textOf(id, definitions))]));
  return (id) => names.get(id) ?? id;
}

/** A definition with everything it refers to, as text. Two definitions are the same if and only if their texts are; examples may differ. */
function textOf(id: string, definitions: Definitions, seen = new Set<string>()): string {
  if (seen.has(id)) return '';
  seen.add(id);
  const text = JSON.stringify(definitions[id], (key, value: unknown) =>
    key === 'examples' && Array.isArray(value) ? [] : value,
  );
  const inner = [...text.matchAll(/"#\/\$defs\/([^"]+)"/g)].map(([, name = '']) => textOf(name, definitions, seen));
  return text + inner.join('');
}

/** Names as the document gives them. Services get a reference to a file; a client sends the file itself. */
function renamed(schema: JsonSchema, named: (id: string) => string): JsonSchema {
  const text = JSON.stringify(schema)
    .replaceAll('"$ref":"#/$defs/FileReference"', '"type":"string","format":"binary"')
    .replaceAll(/"#\/\$defs\/([^"]+)"/g, (_, id: string) => `"#/components/schemas/${named(id)}"`);
  const copy: JsonSchema = JSON.parse(text);
  return copy;
}

type Inner = JsonSchema | boolean;

/** A schema with a description for each field. A field's own description is kept. */
export function explained(schema: JsonSchema, name: string, parent?: string): JsonSchema {
  const frame = schema.properties?.type;
  const place = { schema: name, parent: parent ?? (typeof frame === 'object' ? frame.const?.toString() : undefined) };
  const inner = <Value extends Inner>(value: Value): Value | JsonSchema =>
    typeof value === 'object' ? explained(value, name, parent) : value;
  return {
    ...schema,
    ...(schema.properties && {
      properties: Object.fromEntries(
        Object.entries(schema.properties).map(([field, value]) => [field, fieldOf(field, value, place)]),
      ),
    }),
    ...(typeof schema.items === 'object' && !Array.isArray(schema.items) && { items: inner(schema.items) }),
    ...(schema.additionalProperties !== undefined && { additionalProperties: inner(schema.additionalProperties) }),
    ...(schema.anyOf && { anyOf: schema.anyOf.map(inner) }),
    ...(schema.oneOf && { oneOf: schema.oneOf.map(inner) }),
    ...(schema.allOf && { allOf: schema.allOf.map(inner) }),
  };
}

function fieldOf(field: string, value: Inner, place: { schema: string; parent: string | undefined }): Inner {
  const known = typeof value === 'object' ? value : {};
  const description = ownWords(known) ?? meaningOf(field, place);
  return { ...explained(known, place.schema, field), ...(description && { description }) };
}

/** A field's own description, or that of one of its possible schemas. */
function ownWords({ description, anyOf = [] }: JsonSchema): string | undefined {
  if (description) return description;
  return anyOf.map((option) => (typeof option === 'object' ? option.description : undefined)).find((words) => words);
}

/** The error responses of the document: one for each set of codes with the same status. */
export class ErrorResponses {
  private readonly components = new Map<string, object>();

  /** References to the responses for these codes, by status. */
  responsesFor(codes: readonly FaultCode[]): Record<string, { $ref: string }> {
    const byStatus = Object.groupBy(codes, (code) => faultCatalogue[code].status);
    return Object.fromEntries(
      Object.entries(byStatus).map(([status, group]) => [status, { $ref: this.refTo(Number(status), group) }]),
    );
  }

  toJSON(): Record<string, object> {
    return Object.fromEntries([...this.components].sort(([a], [b]) => a.localeCompare(b)));
  }

  private refTo(status: number, codes: readonly FaultCode[]): string {
    const name = [status, ...codes].join('.');
    if (!this.components.has(name)) this.components.set(name, responseFor(status, codes));
    return `#/components/responses/${name}`;
  }
}

/** Refused before the key is looked up, so nothing is known of its limits. */
const beforeLimits: readonly FaultCode[] = [
  'ROUTE_NOT_FOUND',
  'METHOD_NOT_ALLOWED',
  'REQUEST_TIMEOUT',
  'EXPECTATION_FAILED',
  'HEADERS_TOO_LARGE',
];

/** The headers of every answer to a request that its limits have counted. */
export const limitHeaders = {
  RateLimit: { $ref: '#/components/headers/RateLimit' },
  'RateLimit-Policy': { $ref: '#/components/headers/RateLimitPolicy' },
  'RateLimit-Limit': { $ref: '#/components/headers/RateLimitLimit' },
  'RateLimit-Remaining': { $ref: '#/components/headers/RateLimitRemaining' },
  'RateLimit-Reset': { $ref: '#/components/headers/RateLimitReset' },
};

function responseFor(status: number, codes: readonly FaultCode[]): object {
  const lines = codes.map((code) => `\`${code}\`: ${faultCatalogue[code].message} ${faultCatalogue[code].remedy}`);
  const hasWait = status === 429 || status === 503 || codes.includes('IDEMPOTENCY_KEY_IN_FLIGHT');
  const retryAfter = hasWait ? { 'Retry-After': { $ref: '#/components/headers/RetryAfter' } } : {};
  const isKept = codes.some((code) => replayedRefusals.includes(code));
  const replayed = isKept ? { 'Idempotent-Replayed': { $ref: '#/components/headers/IdempotentReplayed' } } : {};
  const allow = status === 405 ? { Allow: { $ref: '#/components/headers/Allow' } } : {};
  const limits = codes.some((code) => !beforeLimits.includes(code)) ? limitHeaders : {};
  return {
    description: `${STATUS_CODES[status] ?? 'Error'}.\n\n${lines.join('\n\n')}`,
    headers: { 'X-Request-ID': { $ref: '#/components/headers/RequestId' }, ...limits, ...retryAfter, ...replayed, ...allow },
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/ErrorBody' },
        examples: Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }])),
      },
    },
  };
}

/** One example body for each code of the catalogue. */
export function faultExamples(): Record<string, { value: object }> {
  const requestId = '019a5b1e-7c2d-7f00-8a64-0c5d7e9f1a41';
  return Object.fromEntries(faultCodes.map((code) => [code, { value: faultBody(exampleFault(code), requestId) }]));
}

function exampleFault(code: FaultCode): Fault {
  const message = 'question is required';
  return code === 'VALIDATION_FAILED' ? new Fault(code, { message, details: [{ field: 'question', message }] }) : new Fault(code);
}

/** The one shape of every error. */
export const errorSchema: JsonSchema = explained(
  {
    type: 'object',
    description: 'Every error, over HTTP and WebSocket alike. `code` is stable; `message` may be reworded.',
    required: ['statusCode', 'error', 'code', 'message', 'details', 'requestId'],
    properties: {
      statusCode: { type: 'integer' },
      error: { type: 'string', description: 'The name of the status.' },
      code: { type: 'string', enum: [...faultCodes] },
      message: { type: 'string' },
      details: {
        type: 'array',
        description: 'The invalid fields, if there are any.',
        items: {
          type: 'object',
          required: ['field', 'message'],
          properties: { field: { type: 'string' }, message: { type: 'string' } },
        },
      },
      requestId: {
        type: 'string',
        description:
          'The same as the X-Request-ID header, or, for a response sent again, that of the first request; quote it when you ask ' +
          'for help.',
      },
    },
  },
  'ErrorBody',
);
