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

/** One endpoint of the public API, whether a table row or a handler written by hand answers it. */
export type Endpoint = Route | HandWritten;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The endpoint that a route serves; absent on pages and documents. */
    endpoint?: Endpoint;
  }
}

/** Who may ask for a page or a document, on a controller. Endpoints say it themselves. */
export const RequiredAccess = Reflector.createDecorator<ChargedAccess>();

/** One form of an answer: JSON in its envelope, server-sent events, or bytes, which have no schemas. */
export interface AnswerForm {
  readonly contentType: string;
  readonly schemas: readonly z.ZodType[];
  /** What JSON is wrapped in. */
  readonly envelope?: Envelope;
  /** Of events: the last one may be an `error`, since their answer has begun with 200. */
  readonly mayFail?: true;
}

/** How a WebSocket is entered beside an `x-api-key` header. */
export type SocketCredential = 'session-token' | 'widget-token' | 'origin';

/** An endpoint that leaves the tables: it streams, takes a file, answers bytes or is a socket. */
export type HandWritten = ChargedAccess & {
  readonly method: 'GET' | 'POST' | 'WS';
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly tag: string;
  readonly contract: MessageContract;
  /** What the client sends, where it is not the request of the contract. */
  readonly body?: z.ZodType;
  readonly accepts: readonly ('application/json' | 'multipart/form-data')[];
  readonly answers: readonly AnswerForm[];
  readonly credentials?: readonly SocketCredential[];
  readonly faults: readonly FaultCode[];
  /** Another limit than the gateway's own for a JSON body of this endpoint. */
  readonly bodyLimitBytes?: number;
};

type Method = 'GET' | 'POST' | 'DELETE';

/**
 * The permission depends on whether the body creates or updates. `by` names the fields that tell: null, absent, empty, 0 or
 * `ADD` creates. `faqs[].KBFAQID` looks into every element, and a body that does both needs both. Rows that are known by their
 * content (`rows`) can only be told by the service: either permission lets in, and the service refuses the rows that need the other.
 */
export interface SaveNeed {
  readonly create: Need;
  readonly update: Need;
  readonly by: readonly string[] | 'rows';
}

interface MemberAccess {
  readonly keys: readonly KeyKind[];
  /** Asked of workspace keys only: agent and speech keys are scoped by their kind. `membership`: any member may. */
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
  /** A request with a key is authenticated, and refused if the key is invalid. */
  readonly mayBeKnown?: true;
}

/** What a caller must hold to pass. Every route says it; a route that forgets does not compile. */
export type Access = MemberAccess | KeyKindAccess | PublicAccess;

/** The same, with its price. */
export type ChargedAccess = Access & { readonly charges?: readonly CreditKind[] };

/**
 * An answer's envelope. `data`: `{ statusCode, message, data }`; `list`: rows and paging beside `statusCode`; `flat`: the reply's
 * own fields beside `statusCode`, as the specification wants for chat, TTT, STT and history.
 */
export type Envelope = 'data' | 'list' | 'flat';

/** Where the fields of the request come from, beside the path parameters, which always count. */
export type Input = 'query' | 'json' | 'form';

interface Extras {
  readonly envelope?: Envelope;
  readonly input?: Input;
  /** What can go wrong beyond what `faultsOf` knows of every route. */
  readonly faults?: readonly FaultCode[];
  /** Another limit than the gateway's own for the body of this route. */
  readonly bodyLimitBytes?: number;
  /** The field by which the service recognizes a repetition, filled from the Idempotency-Key when the client leaves it out. */
  readonly onceBy?: string;
  /** Changes seldom and is asked often: answered with an ETag, and with 304 to a client that has it. */
  readonly revalidates?: true;
  /** Asked with the same input before a change, so that the audit log can record the previous state. */
  readonly before?: RequestContract;
}

/** One public endpoint as data: what comes in over HTTP, and the message that answers it. */
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
  /** What costs credits needs to hold and settle them, and is written by hand. */
  readonly charges?: never;
};

type RouteRow = Omit<Route, 'tag' | keyof Access> & Access;

/** The endpoints of one resource: their paths share a prefix, the API documents group them under the tag. */
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

/** The paths that WebSockets enter by. */
export const socketPaths = { voice: '/ws/sts', widget: '/ws/widgetchat', transcription: '/ws/transcribe' } as const;

const known: ReadonlySet<string> = new Set(Object.values(socketPaths));

/** Whether an address is a socket's, ignoring its query. */
export function isSocketPath(url: string | undefined): boolean {
  return known.has(pathOf(url));
}

/** An address without its query. */
export function pathOf(url: string | undefined): string {
  return url?.split('?', 1)[0] ?? '';
}
