import type { FaultCode, MessageContract } from '@parley/contracts';
import type { z } from 'zod';
import type { ChargedAccess, Envelope } from './route';

/** One form of an answer: dressed JSON, server-sent events, or bytes, which have no schemas. */
export interface AnswerForm {
  readonly contentType: string;
  readonly schemas: readonly z.ZodType[];
  /** How JSON is dressed. */
  readonly envelope?: Envelope;
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
