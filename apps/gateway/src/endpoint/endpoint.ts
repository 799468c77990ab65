import { Reflector } from '@nestjs/core';
import {
  type CreditKind,
  type FaultCode,
  type KeyKind,
  type MessageContract,
  nameOf,
  type Need,
  type RequestContract,
} from '@parley/contracts';
import type { z } from 'zod';

/** One endpoint of the public API, answered by a table row or a hand-written handler. */
export type Endpoint = Route | HandWritten;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The endpoint that a route serves; absent for pages and documents. */
    endpoint?: Endpoint;
  }
}

/** Who may request a page or a document, declared on its controller. Endpoints declare it themselves. */
export const RequiredAccess = Reflector.createDecorator<ChargedAccess>();

/** One form of an answer: JSON in its envelope, server-sent events, or bytes, which have no schemas. */
export interface AnswerForm {
  readonly contentType: string;
  readonly schemas: readonly z.ZodType[];
  /** What JSON is wrapped in. */
  readonly envelope?: Envelope;
  /** For event streams: the last event may be an `error`, since the answer has begun with 200. */
  readonly mayFail?: true;
}

/** How a WebSocket may be opened without an `x-api-key` header. */
export type SocketCredential = 'session-token' | 'widget-token' | 'origin';

/** An endpoint outside the tables: it streams, takes a file, answers with bytes or is a socket. */
export type HandWritten = ChargedAccess & {
  readonly method: 'GET' | 'POST' | 'WS';
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly tag: string;
  readonly contract: MessageContract;
  /** The client's input, if it differs from the request of the contract. */
  readonly body?: z.ZodType;
  readonly accepts: readonly ('application/json' | 'multipart/form-data')[];
  readonly answers: readonly AnswerForm[];
  readonly credentials?: readonly SocketCredential[];
  readonly faults: readonly FaultCode[];
  /** The limit for a JSON body of this endpoint, if it differs from the gateway's own. */
  readonly bodyLimitBytes?: number;
  /** Asked with the same input before a change, as for the rows of the tables. */
  readonly before?: RequestContract;
  readonly effects?: string;
};

type Method = 'GET' | 'POST' | 'DELETE';

/**
 * The permission depends on whether the body creates or updates. `by` names the fields that decide: null, absent, empty, 0 or
 * `ADD` means create. `faqs[].KBFAQID` checks every element, and a body that does both requires both. Rows that are identified by their
 * content (`rows`) are judged by the service: either permission admits the request, and the service refuses the rows that need the other.
 */
export interface SaveNeed {
  readonly create: Need;
  readonly update: Need;
  readonly by: readonly string[] | 'rows';
}

interface MemberAccess {
  readonly keys: readonly KeyKind[];
  /** Applies to workspace keys only: agent and speech keys are limited by their kind. `membership`: any member may. */
  readonly needs: Need | SaveNeed | 'membership';
  /** It creates something permanent and unrestricted: a key with an expiry or an address list may not call it. */
  readonly unbounded?: string;
}

interface KeyKindAccess {
  readonly keys: readonly Exclude<KeyKind, 'wsk'>[];
  readonly needs: 'key-kind';
}

interface PublicAccess {
  readonly keys: 'public';
  readonly needs: 'nothing';
  /** A key is optional, but if one is sent it must be valid. */
  readonly mayBeKnown?: true;
}

/** What a caller needs to be admitted. Required by the type, so that no route can omit it. */
export type Access = MemberAccess | KeyKindAccess | PublicAccess;

/** The same, with the credits it charges. */
export type ChargedAccess = Access & { readonly charges?: readonly CreditKind[] };

/**
 * An answer's envelope. `data`: `{ statusCode, message, data }`; `list`: rows and paging beside `statusCode`; `flat`: the reply's
 * own fields beside `statusCode`, as the specification wants for chat, TTT, STT and history.
 */
export type Envelope = 'data' | 'list' | 'flat';

/** Where the fields of the request come from, besides the path parameters, which are always included. */
export type Input = 'query' | 'json' | 'form';

interface Extras {
  readonly envelope?: Envelope;
  readonly input?: Input;
  /** Possible errors beyond those that `faultsOf` derives for every route. */
  readonly faults?: readonly FaultCode[];
  /** The limit for the body of this route, if it differs from the gateway's own. */
  readonly bodyLimitBytes?: number;
  /** The field by which the service recognizes a repetition, filled from the Idempotency-Key when the client leaves it out. */
  readonly onceBy?: string;
  /** Rarely changes and is requested often: answered with an ETag, and with 304 to a client that already has it. */
  readonly revalidates?: true;
  /** Asked with the same input before a change, so that the audit log can record the previous state. */
  readonly before?: RequestContract;
  /** What else it does, or leaves, that its callers would not expect: sentences for the API document. */
  readonly effects?: string;
  /** Where `before` answers with a list: the state is its row that has the same values as the input in these fields. */
  readonly beforeRow?: readonly string[];
}

/** One public endpoint as data: its HTTP input, and the message that answers it. */
export type Route = Access & {
  readonly method: Method;
  readonly path: string;
  readonly contract: RequestContract;
  readonly operationId: string;
  readonly summary: string;
  readonly tag: string;
  readonly envelope: Envelope;
  readonly input: Input;
  readonly faults: readonly FaultCode[];
  readonly bodyLimitBytes?: number;
  readonly onceBy?: string;
  readonly revalidates?: true;
  readonly before?: RequestContract;
  readonly effects?: string;
  readonly beforeRow?: readonly string[];
  /** What costs credits must hold and settle them, so it is hand-written. */
  readonly charges?: never;
};

type RouteRow = Omit<Route, 'tag' | keyof Access> & Access;

/** The endpoints of one resource: their paths share a prefix, and the API documents group them under the tag. */
export function table(tag: string, prefix: string, rows: readonly RouteRow[]): readonly Route[] {
  return rows.map((row) => ({ ...row, tag, path: prefix + row.path }));
}

export function get(path: string, contract: RequestContract, summary: string, options: Access & Extras): RouteRow {
  return row('GET', path, contract, summary, { input: 'query', ...options });
}

export function post(path: string, contract: RequestContract, summary: string, options: Access & Extras): RouteRow {
  return row('POST', path, contract, summary, { input: 'json', ...options });
}

export function del(path: string, contract: RequestContract, summary: string, options: Access & Extras): RouteRow {
  return row('DELETE', path, contract, summary, { input: 'query', ...options });
}

type RowOptions = Access & Extras & { readonly input: Input };

function row(method: Method, path: string, contract: RequestContract, summary: string, options: RowOptions): RouteRow {
  const envelope = isListReply(contract) ? 'list' : 'data';
  return { envelope, faults: [], ...options, method, path, contract, summary, operationId: nameOf(contract) };
}

function isListReply({ reply }: RequestContract): boolean {
  return 'shape' in reply && typeof reply.shape === 'object' && reply.shape !== null && 'totalCount' in reply.shape;
}

/** How a reply is put into its envelope, by the word in a row's `envelope`. */
export const inEnvelope: Record<Envelope, (reply: unknown) => object> = {
  data: (data) => ({ statusCode: 200, message: 'OK', data }),
  list: (reply) => {
    const { rows, ...paging } = pageOf(reply);
    return { statusCode: 200, data: rows, ...paging };
  },
  flat: (reply) => ({ statusCode: 200, ...pageOf(reply) }),
};

function pageOf(reply: unknown): { rows?: unknown } {
  return typeof reply === 'object' && reply !== null ? reply : {};
}

/** The paths on which WebSockets are opened. */
export const socketPaths = { voice: '/ws/sts', widget: '/ws/widgetchat', transcription: '/ws/transcribe' } as const;

const known: ReadonlySet<string> = new Set(Object.values(socketPaths));

/** Whether a URL is a socket's, ignoring its query. */
export function isSocketPath(url: string | undefined): boolean {
  return known.has(pathOf(url));
}

/** A URL without its query. */
export function pathOf(url: string | undefined): string {
  return url?.split('?', 1)[0] ?? '';
}
