import { examplesOf, type FaultCode } from '@parley/contracts';
import { z } from 'zod';
import type { AnswerForm, Endpoint, HandWritten, SocketCredential } from '../../endpoint/endpoint';
import { type ChargedAccess, dressed, type Route } from '../../endpoint/route';
import { mayAnswerWithSecret } from '../../endpoint/secrets';
import type { RouteTable } from '../routes/route-table';

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
];

const withBody: readonly FaultCode[] = [
  'MALFORMED_JSON',
  'PAYLOAD_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
  'IDEMPOTENCY_KEY_IN_FLIGHT',
  'IDEMPOTENCY_KEY_REUSED',
];

/** One endpoint as the API document shows it, whether a row or a handler written by hand answers it. */
export interface Operation {
  readonly method: 'GET' | 'POST' | 'DELETE' | 'WS';
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly tag: string;
  readonly access: ChargedAccess;
  readonly input: z.ZodType;
  /** What the body may be; empty for input by query and path. */
  readonly bodyTypes: readonly string[];
  readonly answers: readonly AnswerForm[];
  /** How a socket is entered beside an API key. */
  readonly credentials: readonly SocketCredential[];
  readonly faults: readonly FaultCode[];
  readonly isAnswered: boolean;
}

const bodyTypes = { query: [], json: ['application/json'], form: ['multipart/form-data'] };

/** Every endpoint of the table as an operation. */
export function operationsOf({ rows, handWritten, isAnswered }: RouteTable): Operation[] {
  return [
    ...rows.map((row) => operationOfRow(row, isAnswered(row))),
    ...handWritten.map((each) => operationOfHand(each, isAnswered(each))),
  ];
}

/** What an answer looks like, by the examples of its schemas. */
export function answerExamples({ schemas, envelope }: AnswerForm): unknown[] {
  const examples = schemas.flatMap((schema) => outputExamples(schema));
  return envelope ? examples.map((example) => dressed[envelope](example)) : examples;
}

function operationOfRow(row: Route, isAnswered: boolean): Operation {
  const { contract, envelope } = row;
  return {
    ...named(row, isAnswered),
    input: contract.request,
    bodyTypes: bodyTypes[row.input],
    answers: [{ contentType: 'application/json', schemas: [contract.reply], envelope }],
  };
}

function operationOfHand(endpoint: HandWritten, isAnswered: boolean): Operation {
  const { contract, body, accepts, answers } = endpoint;
  const input = body ?? ('request' in contract ? contract.request : z.object({}));
  return { ...named(endpoint, isAnswered), input, bodyTypes: accepts, answers };
}

function named(endpoint: Endpoint, isAnswered: boolean) {
  const { method, path, operationId, summary, tag } = endpoint;
  const shownOnce: FaultCode[] = endpoint.method === 'POST' && mayAnswerWithSecret(endpoint) ? ['SHOWN_ONCE'] : [];
  const faults: FaultCode[] = [...faultsOf(endpoint), ...shownOnce, ...(isAnswered ? [] : (['NOT_IMPLEMENTED'] as const))];
  const credentials = ('credentials' in endpoint ? endpoint.credentials : undefined) ?? [];
  return { method, path, operationId, summary, tag, access: endpoint, faults, isAnswered, credentials };
}

/** Every error code that a route can answer, for the API documents. */
export function faultsOf(route: Pick<Endpoint, 'keys' | 'method' | 'charges' | 'faults'>): FaultCode[] {
  const isForMembers = route.keys !== 'public' && route.keys.some((kind) => kind === 'wsk');
  const codes = new Set<FaultCode>([
    ...everywhere,
    ...(route.method === 'POST' ? withBody : []),
    ...(isForMembers ? (['DEVICE_LOCKED'] as const) : []),
    ...(route.charges ? (['CREDITS_EXHAUSTED'] as const) : []),
    ...route.faults,
  ]);
  return [...codes];
}

/** Values as an OpenAPI `examples` object; nothing when there are none. */
export function namedExamples(values: readonly unknown[]): { examples?: Record<string, { value: unknown }> } {
  if (values.length === 0) return {};
  return { examples: Object.fromEntries(values.map((value, index) => [`example${index + 1}`, { value }])) };
}

/** What a client may send. Text that a form or a query carries is shown as what it stands for. */
export function inputExamples(schema: z.ZodType, isText: boolean): unknown[] {
  const examples = examplesOf(schema);
  return isText ? examples.map((example) => understood(schema, example)) : examples;
}

/** What a client may get: with every default filled in, as the service sends it. */
function outputExamples(schema: z.ZodType): unknown[] {
  return examplesOf(schema).map((example) => schema.parse(example));
}

function understood(schema: z.ZodType, example: unknown): unknown {
  const parsed = Object.entries(Object(schema.parse(example)));
  return Object.fromEntries(parsed.filter(([name]) => Object.hasOwn(Object(example), name)));
}
