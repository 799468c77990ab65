import type { PrincipalCodec } from '../access/signed-principals';
import type { EventLog } from '../event-envelope';

/** Subjects below it are addresses of whoever waits for an answer. */
export const inboxRoot = 'parley.inbox';

/** What a transport carries: bytes for a subject. Nothing in it knows of contracts. */
export interface Packet {
  readonly subject: string;
  readonly data: Uint8Array;
  /** Where an answer is wanted. */
  readonly reply?: string;
  /** The transport's own word that nobody listens on the subject this inbox asked. */
  readonly nobodyListens: boolean;
}

export type Receive = (packet: Packet) => void;

export interface Subscription {
  /** Takes no more packets; resolves when those already on their way have been received. */
  drain(): Promise<void>;
  stop(): void;
}

export interface PublishOptions {
  reply?: string;
}

export type TransportStatus = 'connected' | 'reconnecting' | 'closed';

/**
 * Moves packets between processes, or between the applications of one process. Packets from one publisher keep their
 * order. A packet with a reply address that nobody can receive comes back to that address with `nobodyListens`.
 */
export interface Transport {
  readonly events: EventLog;
  /** Who believes whom about the caller of a message. */
  readonly principals: PrincipalCodec;
  /** Where answers for this process arrive: subjects that begin so. */
  readonly inbox: string;
  status(): TransportStatus;
  publish(subject: string, data: Cargo, options?: PublishOptions): void;
  /** Of the subscriptions that share a queue on a subject, one receives each packet. A last word `*` stands for any one word. */
  subscribe(subject: string, receive: Receive, options?: { queue?: string }): Subscription;
  /** Resolves once the broker knows of every subscription made so far. */
  settled(): Promise<void>;
  /** Calls back each time that the connection is lost: answers under way will not come any more. */
  onLost(listener: () => void): () => void;
  close(): Promise<void>;
}

/** Bytes, or what lays them out at the end of this turn of the event loop: more may come along until then. */
export type Cargo = Uint8Array | (() => Uint8Array);

/** The bytes, now that they leave. */
export function laidOut(cargo: Cargo): Uint8Array {
  return typeof cargo === 'function' ? cargo() : cargo;
}
