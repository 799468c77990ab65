import { Logger } from '@nestjs/common';
import type { PrincipalCodec } from '../access/signed-principals';
import type { EventLog } from '../event-envelope';

/** Reply addresses are subjects below this one. */
export const inboxRoot = 'parley.inbox';

/**
 * Starts the last word of an address whose inbox receives its packets under one shared subject. Addresses of earlier versions do
 * not have it.
 */
export const sharedMark = '~';

/** What a transport carries: bytes for a subject. It knows nothing about contracts. */
export interface Packet {
  readonly subject: string;
  readonly data: Uint8Array;
  /** Where to send an answer, if one is wanted. */
  readonly reply?: string;
  /** Set by the transport: the subject that was asked has no listener. */
  readonly nobodyListens: boolean;
}

export type Receive = (packet: Packet) => void;

export interface Subscription {
  /** Accepts no more packets; resolves when those in transit have been received. */
  drain(): Promise<void>;
  stop(): void;
}

export interface PublishOptions {
  reply?: string;
}

export type TransportStatus = 'connected' | 'reconnecting' | 'closed';

/**
 * Carries packets between processes, or between the applications of one process. Packets of one publisher keep their order. A
 * packet with a reply address and no receiver comes back to that address with `nobodyListens`.
 */
export interface Transport {
  readonly events: EventLog;
  /** Signs and verifies the principals of messages. */
  readonly principals: PrincipalCodec;
  /** The prefix of this process's reply addresses. */
  readonly inbox: string;
  status(): TransportStatus;
  /** Whether the broker refuses subscriptions of this process, which therefore misses messages. */
  lacksSubscriptions?(): boolean;
  publish(subject: string, data: LazyBytes, options?: PublishOptions): void;
  /** Among subscriptions that share a queue on a subject, one receives each packet. A final `*` matches any one word. */
  subscribe(subject: string, receive: Receive, options?: { queue?: string }): Subscription;
  /** Resolves once the broker knows every subscription made so far. */
  settled(): Promise<void>;
  /** Calls back each time the connection is lost: pending answers will not arrive. */
  onLost(listener: () => void): () => void;
  /** Checks within a moment that the broker still answers. Called again and again while answers are awaited. */
  checkSoon?(): void;
  close(): Promise<void>;
}

/** Bytes, or a function that encodes them at the end of this turn of the event loop, so that more can be added until then. */
export type LazyBytes = Uint8Array | (() => Uint8Array);

/** The bytes, encoded now. */
export function encodedNow(bytes: LazyBytes): Uint8Array {
  return typeof bytes === 'function' ? bytes() : bytes;
}

/** Where messaging logs what callers must not see. A pino logger fits. */
export interface MessageLog {
  error(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  info(fields: object, message: string): void;
}

/** Logs through the Nest application's own logger. */
export const nestMessageLog: MessageLog = {
  error: (fields, message) => Logger.error({ ...fields, message }, 'messaging'),
  warn: (fields, message) => Logger.warn({ ...fields, message }, 'messaging'),
  info: (fields, message) => Logger.log({ ...fields, message }, 'messaging'),
};
