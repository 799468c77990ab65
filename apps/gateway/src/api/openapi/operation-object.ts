import { examplesOf, type FaultCode } from '@parley/contracts';
import { z } from 'zod';
import {
  type Access,
  type AnswerForm,
  type ChargedAccess,
  type Endpoint,
  type Envelope,
  type HandWritten,
  inEnvelope,
  type Route,
  type SocketCredential,
} from '../../endpoint/endpoint';
import { formKinds } from '../../endpoint/forms';
import { fieldsOf, knowsMembers } from '../../endpoint/gateway-call';
import { mayAnswerWithSecret } from '../../endpoint/secrets';
import type { RouteTable } from '../routes/route-table';
import { type ErrorResponses, explained, type JsonSchema, limitHeaders, type NamedSchemas } from './named-schemas';

const formType = 'multipart/form-data';

type SchemaFields = NonNullable<JsonSchema['properties']>;

const pathVariable = /:(\w+)/g;

interface DocumentParts {
  readonly schemas: NamedSchemas;
  readonly errors: ErrorResponses;
}

/** A path as OpenAPI writes it. */
export function openApiPath(path: string): string {
  return path.replaceAll(pathVariable, '{$1}');
}

/** One operation of the document. */
export function operationObject(operation: ApiOperation, { schemas, errors }: DocumentParts): object {
  const { operationId, summary, tag, access, bodyTypes, faults } = operation;
  const parameters = [
    ...parametersOf(operation, schemas),
    ...agentParameterOf(operation),
    ...socketParametersOf(operation),
    ...headerParametersOf(operation),
  ];
  return {
    operationId,
    summary,
    tags: [tag],
    description: descriptionOf(operation),
    ...(parameters.length > 0 && { parameters }),
    ...anyRequiredOf(operation, schemas),
    ...(bodyTypes.length > 0 && { requestBody: requestBodyOf(operation, schemas) }),
    responses: { ...successOf(operation, schemas), ...errors.responsesFor(faults) },
    security: securityOf(operation),
    'x-keys': access.keys,
    'x-needs': access.needs,
    ...(access.charges && { 'x-charges': access.charges }),
  };
}

/** The alternative credentials. A page that a widget allows needs only its origin. */
function securityOf({ access, credentials }: ApiOperation): object[] {
  if (access.keys === 'public') return access.mayBeKnown ? [{}, { apiKey: [] }] : [];
  const byKey = access.keys.length > 0 ? [{ apiKey: [] }] : [];
  return [...byKey, ...credentials.map((credential) => securityBy[credential])];
}

const securityBy: Record<SocketCredential, object> = {
  'session-token': { sessionToken: [] },
  'widget-token': { widgetToken: [] },
  origin: {},
};

function descriptionOf({ access, method, effects = '' }: ApiOperation): string {
  const kinds = access.keys === 'public' ? [] : access.keys;
  const keys = kinds.length > 0 ? `Keys: ${kinds.map((kind) => `\`${kind}\``).join(', ')}.` : '';
  const charges = access.charges ? `Charges ${access.charges.map((kind) => `\`${kind}\``).join(', ')} credits.` : '';
  const socket = method === 'WS' ? 'A WebSocket: its frames and close codes are in `/asyncapi.json`.' : '';
  return [socket, effects, keys, needsOf(access.needs), charges].filter(Boolean).join(' ');
}

function needsOf(needs: ApiOperation['access']['needs']): string {
  if (typeof needs === 'object' && needs.by === 'rows')
    return `Workspace keys need \`${needs.create}\` for new rows and \`${needs.update}\` for rows that change something; other rows are refused.`;
  if (typeof needs === 'object') return `Workspace keys need \`${needs.create}\` to create and \`${needs.update}\` to update.`;
  if (needs === 'membership') return 'Any member may.';
  return needs.includes('.') ? `Workspace keys need \`${needs}\`.` : '';
}

function parametersOf({ input, path, bodyTypes }: ApiOperation, schemas: NamedSchemas): object[] {
  const { properties = {}, required = [] } = schemas.shapeOf(input, 'input');
  const inPath = [...path.matchAll(pathVariable)].map(([, name]) => name);
  const [example] = inputExamples(input, true);
  const shown = Object.entries(properties).filter(([name]) => bodyTypes.length === 0 || inPath.includes(name));
  return shown.map(([name, schema]) => ({
    name,
    in: inPath.includes(name) ? 'path' : 'query',
    required: inPath.includes(name) || required.includes(name),
    ...descriptionIn(schema),
    schema,
    ...exampleOf(example, name),
  }));
}

/** Of which parameters one is required, though each may be left out. */
function anyRequiredOf({ input, bodyTypes }: ApiOperation, schemas: NamedSchemas): object {
  const anyRequired = schemas.shapeOf(input, 'input')['x-any-required'];
  return bodyTypes.length === 0 && anyRequired !== undefined ? { 'x-any-required': anyRequired } : {};
}

/** Where a question may name its agent in the query. */
function agentParameterOf({ method, access }: ApiOperation): object[] {
  if (method !== 'POST' || !access.charges?.includes('TTT_API')) return [];
  const description = 'The agent to ask, with a workspace key, if the body names none; an agent key asks its own.';
  return [{ name: 'AgentKeyID', in: 'query', required: false, description, schema: { type: 'string', format: 'uuid' } }];
}

function descriptionIn(schema: SchemaFields[string]): { description?: string } {
  return typeof schema === 'object' && schema.description ? { description: schema.description } : {};
}

const credentialParameters: Record<SocketCredential, object> = {
  'session-token': tokenParameter('A token from `POST /api/v1/external/session-token`.'),
  'widget-token': tokenParameter('A token from `POST /api/v1/external/widget-token`.'),
  origin: {
    name: 'widget',
    in: 'query',
    description: 'The `publicId` of a widget, from a page whose origin the widget allows.',
    schema: { type: 'string', maxLength: 200 },
  },
};

function tokenParameter(description: string): object {
  return { name: 'token', in: 'query', description, schema: { type: 'string', maxLength: 200 } };
}

/** The query parameters and headers that open a socket without an API key header. */
function socketParametersOf({ credentials }: ApiOperation): object[] {
  return credentials.map((credential) => credentialParameters[credential]);
}

/** The headers that any client may send. */
function headerParametersOf({ method, access, answers, revalidates }: ApiOperation): object[] {
  const isFollowed = method === 'GET' && answers.some(({ contentType }) => contentType === 'text/event-stream');
  const names = [
    'RequestId',
    ...(method === 'POST' ? ['IdempotencyKey'] : []),
    ...(knowsMembers(access) ? ['DeviceImei'] : []),
    ...(isFollowed ? ['LastEventId'] : []),
    ...(revalidates ? ['IfNoneMatch'] : []),
  ];
  return names.map((name) => ({ $ref: `#/components/parameters/${name}` }));
}

function exampleOf(example: unknown, name: string): { example?: unknown } {
  const value: unknown = typeof example === 'object' && example !== null ? Reflect.get(example, name) : undefined;
  return value === undefined ? {} : { example: value };
}

function successOf({ method, answers, operationId, revalidates }: ApiOperation, schemas: NamedSchemas): object {
  if (method === 'WS') return { 101: { description: 'The socket is open.' } };
  const content = answers.map((answer): [string, unknown] => [answer.contentType, mediaOf(answer, schemas)]);
  const headers = {
    'X-Request-ID': { $ref: '#/components/headers/RequestId' },
    ...limitHeaders,
    ...(revalidates && { ETag: { $ref: '#/components/headers/ETag' } }),
    ...(method === 'POST' && { 'Idempotent-Replayed': { $ref: '#/components/headers/IdempotentReplayed' } }),
    ...((operationId === 'chat' || operationId === 'synthesizeSpeech') && {
      'X-Unsaid-Characters': { $ref: '#/components/headers/UnsaidCharacters' },
    }),
    ...(operationId === 'chat' && {
      'X-Session-UUID': { $ref: '#/components/headers/SessionUUID' },
      'X-Answer-Text': { $ref: '#/components/headers/AnswerText' },
      'X-Answer-Text-Cut': { $ref: '#/components/headers/AnswerTextCut' },
    }),
  };
  return {
    200: { description: 'Done.', headers, content: Object.fromEntries<unknown>(content) },
    ...(revalidates && { 304: { description: 'Nothing has changed since the answer with this `ETag`.', headers } }),
  };
}

function mediaOf(answer: AnswerForm, schemas: NamedSchemas): object {
  const [first, second] = answer.schemas;
  if (!first)
    return { schema: answer.contentType.startsWith('text/') ? { type: 'string' } : { type: 'string', format: 'binary' } };
  const schema = second ? z.union([...answer.schemas]) : first;
  // Events arrive one after another as text and the schema describes the data of each, so no example shows the whole body.
  if (answer.contentType === 'text/event-stream') {
    const data = answer.schemas.map((each) => schemas.schemaOf(each, 'output'));
    const all = answer.mayFail ? [...data, { $ref: '#/components/schemas/ErrorBody' }] : data;
    return { schema: { type: 'string' }, 'x-event-data': { anyOf: all } };
  }
  const shown = answer.envelope ? envelopes[answer.envelope](schema, schemas) : schemas.schemaOf(schema, 'output');
  return { schema: shown, ...namedExamples(answerExamples(answer)) };
}

const statusCode: JsonSchema = { type: 'integer', const: 200 };

const envelopes: Record<Envelope, (schema: z.ZodType, schemas: NamedSchemas) => JsonSchema> = {
  data: (schema, schemas) => objectOf({ statusCode, message: { type: 'string' }, data: schemas.schemaOf(schema, 'output') }),
  list: (schema, schemas) => {
    const { rows = {}, ...paging } = schemas.shapeOf(schema, 'output').properties ?? {};
    return objectOf({ statusCode, data: rows, ...paging });
  },
  // Whole answers: of a status and a union beside it, openapi-generator makes one class that wants the fields of all.
  flat: (schema, schemas) =>
    schemas.schemaOf(schema instanceof z.ZodUnion ? z.union(schema.options.map(withStatus)) : withStatus(schema), 'output'),
};

function withStatus(schema: z.core.$ZodType): z.ZodType {
  if (!(schema instanceof z.ZodObject)) throw new TypeError('an answer with its status beside its fields is an object');
  const { examples: _, ...named } = schema.meta() ?? {};
  return z.object({ statusCode: z.literal(200), ...schema.shape }).meta(named);
}

function objectOf(properties: NonNullable<JsonSchema['properties']>): JsonSchema {
  return explained({ type: 'object', required: Object.keys(properties), properties }, 'Answer');
}

/** The body of an operation. */
function requestBodyOf({ input, bodyTypes, path }: ApiOperation, schemas: NamedSchemas): object {
  const inPath = new Set([...path.matchAll(pathVariable)].map(([, name = '']) => name));
  const { required = [] } = schemas.shapeOf(input, 'input');
  const content = bodyTypes.map((type): [string, unknown] => [
    type,
    type === formType ? formOf(input, bodyTypes, schemas) : jsonOf(input, inPath, schemas),
  ]);
  return { required: required.some((name) => !inPath.has(name)), content: Object.fromEntries<unknown>(content) };
}

/** Fields of the path are not part of the body. */
function jsonOf(input: ApiOperation['input'], inPath: ReadonlySet<string>, schemas: NamedSchemas): object {
  const shape = schemas.shapeOf(input, 'input');
  const { properties = {}, required = [] } = shape;
  const fields = Object.entries(properties).filter(([name]) => !inPath.has(name));
  const isWhole = fields.length === Object.keys(properties).length;
  const { examples: _, ...rest } = shape;
  const part = { ...rest, properties: Object.fromEntries(fields), required: required.filter((name) => !inPath.has(name)) };
  const schema = isWhole ? schemas.schemaOf(input, 'input') : part;
  return { schema, ...namedExamples(inputExamples(input, false).map((example) => without(example, inPath))) };
}

function without(example: unknown, names: ReadonlySet<string>): unknown {
  if (names.size === 0) return example;
  return Object.fromEntries(Object.entries(fieldsOf(example)).filter(([name]) => !names.has(name)));
}

/**
 * A body that may be JSON or a form is one schema by name. For a form beside JSON, openapi-generator imports a class that it does not
 * write. Other forms are written out, as parameters are.
 */
function formOf(input: ApiOperation['input'], bodyTypes: readonly string[], schemas: NamedSchemas): object {
  const { examples: _, ...shape } = schemas.shapeOf(input, 'input');
  return {
    schema: bodyTypes.length > 1 ? schemas.schemaOf(input, 'input') : shape,
    ...encodingOf(input),
    ...namedExamples(inputExamples(input, true).map((example) => withoutFiles(example, shape.properties ?? {}))),
  };
}

/** How a form sends what is no text: lists as repeated fields, objects as JSON. */
function encodingOf(input: ApiOperation['input']): { encoding?: object } {
  const encoding = [...formKinds(input)].flatMap(([name, kind]): [string, object][] => {
    if (kind === 'array' || kind === 'series') return [[name, { style: 'form', explode: true }]];
    return kind === 'object' ? [[name, { contentType: 'application/json' }]] : [];
  });
  return encoding.length > 0 ? { encoding: Object.fromEntries(encoding) } : {};
}

/** An example as a form shows it: files appear by name. */
function withoutFiles(example: unknown, properties: SchemaFields): unknown {
  const fields = Object.entries(fieldsOf(example));
  return Object.fromEntries(fields.map(([name, value]) => [name, isBinary(properties[name]) ? 'the bytes of the file' : value]));
}

function isBinary(schema: SchemaFields[string] | undefined): boolean {
  return typeof schema === 'object' && schema.format === 'binary';
}

/** Example answers, taken from the examples of the schemas. */
function answerExamples({ schemas, envelope }: AnswerForm): unknown[] {
  const examples = schemas.flatMap((schema) => outputExamples(schema));
  return envelope ? examples.map((example) => inEnvelope[envelope](example)) : examples;
}

/** Values as an OpenAPI `examples` object; nothing when there are none. */
function namedExamples(values: readonly unknown[]): { examples?: Record<string, { value: unknown }> } {
  if (values.length === 0) return {};
  return { examples: Object.fromEntries(values.map((value, index) => [`example${index + 1}`, { value }])) };
}

/** Examples of what a client may send. Text in a form or query is shown as the value it stands for. */
function inputExamples(schema: z.ZodType, isText: boolean): unknown[] {
  const examples = examplesOf(schema);
  return isText ? examples.map((example) => understood(schema, example)) : examples;
}

/** Example answers with every default filled in, as the service sends them. */
function outputExamples(schema: z.ZodType): unknown[] {
  return examplesOf(schema).map((example) => schema.parse(example));
}

function understood(schema: z.ZodType, example: unknown): unknown {
  const [parsed, said] = [fieldsOf(schema.parse(example)), fieldsOf(example)];
  return Object.fromEntries(Object.entries(parsed).filter(([name]) => Object.hasOwn(said, name)));
}

/** One endpoint as the API document shows it, from a table row or a hand-written handler. */
export interface ApiOperation {
  readonly method: 'GET' | 'POST' | 'DELETE' | 'WS';
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  /** What else it does, in sentences. */
  readonly effects?: string | undefined;
  readonly tag: string;
  readonly access: ChargedAccess;
  readonly input: z.ZodType;
  /** The content types of the body; empty if the input is in the query and path. */
  readonly bodyTypes: readonly string[];
  readonly answers: readonly AnswerForm[];
  /** How a socket may be opened without an API key in a header. */
  readonly credentials: readonly SocketCredential[];
  readonly faults: readonly FaultCode[];
  /** Whether a client that has the answer may get an empty 304. */
  readonly revalidates: boolean;
}

const bodyTypes = { query: [], json: ['application/json'], form: ['multipart/form-data'] };

/** Every endpoint of the table as an operation. */
export function operationsOf({ rows, handWritten }: RouteTable): ApiOperation[] {
  return [...rows.map(operationOfRow), ...handWritten.map(operationOfHand)];
}

function operationOfRow(row: Route): ApiOperation {
  const { contract, envelope } = row;
  return {
    ...named(row),
    input: contract.request,
    bodyTypes: bodyTypes[row.input],
    answers: [{ contentType: 'application/json', schemas: [contract.reply], envelope }],
  };
}

function operationOfHand(endpoint: HandWritten): ApiOperation {
  const { contract, body, accepts, answers } = endpoint;
  const input = body ?? ('request' in contract ? contract.request : z.object({}));
  return { ...named(endpoint), input, bodyTypes: accepts, answers };
}

function named(endpoint: Endpoint) {
  const { method, path, operationId, summary, tag } = endpoint;
  const shownOnce: FaultCode[] = endpoint.method === 'POST' && mayAnswerWithSecret(endpoint) ? ['SHOWN_ONCE'] : [];
  const faults: FaultCode[] = [...faultsOf(endpoint), ...shownOnce];
  const credentials = ('credentials' in endpoint ? endpoint.credentials : undefined) ?? [];
  const revalidates = 'revalidates' in endpoint && endpoint.revalidates === true;
  const { effects } = endpoint;
  return { method, path, operationId, summary, effects, tag, access: endpoint, faults, credentials, revalidates };
}

/** The last three come before anything of a request is known but its head, if that. */
const everywhere: readonly FaultCode[] = [
  'VALIDATION_FAILED',
  'API_KEY_MISSING',
  'API_KEY_INVALID',
  'ADDRESS_NOT_ALLOWED',
  'SCOPE_MISSING',
  'RATE_LIMITED',
  'INTERNAL',
  'SERVICE_UNAVAILABLE',
  'DEADLINE_EXCEEDED',
  'REQUEST_TIMEOUT',
  'EXPECTATION_FAILED',
  'HEADERS_TOO_LARGE',
];

const withBody: readonly FaultCode[] = [
  'MALFORMED_JSON',
  'PAYLOAD_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
  'IDEMPOTENCY_KEY_IN_FLIGHT',
  'IDEMPOTENCY_KEY_REUSED',
];

/** Every error code that a route can answer, for the API documents. */
export function faultsOf(route: Access & Pick<Endpoint, 'method' | 'charges' | 'faults'>): FaultCode[] {
  const codes = new Set<FaultCode>([
    ...everywhere,
    ...(route.method === 'POST' ? withBody : []),
    ...(knowsMembers(route) ? (['DEVICE_LOCKED'] as const) : []),
    ...(route.charges ? (['CREDITS_EXHAUSTED'] as const) : []),
    ...route.faults,
  ]);
  return [...codes];
}
