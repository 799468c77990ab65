import type { FaultCode } from '@parley/contracts';
import { z } from 'zod';
import type { Access, AnswerForm, ChargedAccess, Endpoint, HandWritten, Route, SocketCredential } from '../../endpoint/endpoint';
import { knowsMembers } from '../../endpoint/gateway-call';
import { mayAnswerWithSecret } from '../../endpoint/secrets';
import type { RouteTable } from '../routes/route-table';

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
    effects: row.effects,
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
  return { method, path, operationId, summary, tag, access: endpoint, faults, credentials, revalidates };
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
