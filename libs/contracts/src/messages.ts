import type { z } from 'zod';

/** Every process of the platform. The first word of a message's subject names its owner. */
export const serviceNames = [
  'gateway',
  'team-sales',
  'agent-config',
  'knowledge-ingest',
  'conversation',
  'speech',
  'telephony-bridge',
  'dashboards',
] as const;
export type ServiceName = (typeof serviceNames)[number];
export type Subject = `${ServiceName}.${string}`;

/** One request, one reply. */
export interface RequestContract<Body extends z.ZodType = z.ZodType, Reply extends z.ZodType = z.ZodType> {
  readonly kind: 'request';
  readonly subject: Subject;
  readonly request: Body;
  readonly reply: Reply;
  readonly timeoutMs: number;
  /** The handler changes nothing, which Postgres enforces: if one replica falls silent, another may be asked. */
  readonly onlyReads: boolean;
}

/** One request, many items in order, at the reader's pace. */
export interface StreamContract<Body extends z.ZodType = z.ZodType, Item extends z.ZodType = z.ZodType> {
  readonly kind: 'stream';
  readonly subject: Subject;
  readonly request: Body;
  readonly item: Item;
  readonly timeoutMs: number;
  /** After an item of this type its producer waits until the reader asks for the next one: what it would do then may be unwanted. */
  readonly pausesAfter?: string;
}

/** Something that happened. Delivered at least once, even to consumers that were unavailable at the time. */
export interface EventContract<Payload extends z.ZodType = z.ZodType> {
  readonly kind: 'event';
  readonly subject: Subject;
  readonly payload: Payload;
}

/** A live two-way channel: binary frames (audio) and small JSON signals, in both directions, until one side closes. */
export interface ChannelContract<
  Opening extends z.ZodType = z.ZodType,
  Accepted extends z.ZodType = z.ZodType,
  Signal extends z.ZodType = z.ZodType,
> {
  readonly kind: 'channel';
  readonly subject: Subject;
  readonly opening: Opening;
  readonly accepted: Accepted;
  readonly signal: Signal;
  readonly timeoutMs: number;
}

export type MessageContract = RequestContract | StreamContract | EventContract | ChannelContract;

const requestTimeoutMs = 10_000;
const streamTimeoutMs = 120_000;

/** What the handler of a message receives. */
export type BodyOf<Contract extends RequestContract | StreamContract> = z.output<Contract['request']>;

/** What the handler of a request returns. */
export type ReplyOf<Contract extends RequestContract> = z.input<Contract['reply']>;

/** An event's payload as it is sent. */
export type PayloadOf<Contract extends EventContract> = z.input<Contract['payload']>;

/** Verbs of requests that only read. Where there is a noun instead (`agent.runtime`), the message declares it itself. */
const readingVerb = /\.(?:count|diff|find|get|list|preview|read|retrieve|search)(?:-[a-z-]+)?$/;

/** Defines a request once, for the service that answers and all that ask. */
export function defineRequest<Body extends z.ZodType, Reply extends z.ZodType>(message: {
  subject: Subject;
  request: Body;
  reply: Reply;
  timeoutMs?: number;
  onlyReads?: boolean;
}): RequestContract<Body, Reply> {
  return { kind: 'request', timeoutMs: requestTimeoutMs, onlyReads: readingVerb.test(message.subject), ...message };
}

/** Defines a stream of replies: tokens of an answer, blocks of audio, progress. */
export function defineStream<Body extends z.ZodType, Item extends z.ZodType>(message: {
  subject: Subject;
  request: Body;
  item: Item;
  timeoutMs?: number;
  pausesAfter?: string;
}): StreamContract<Body, Item> {
  return { kind: 'stream', timeoutMs: streamTimeoutMs, ...message };
}

/** Defines a durable event. Its payload is a public record: fields may be added, but never changed. */
export function defineEvent<Payload extends z.ZodType>(message: { subject: Subject; payload: Payload }): EventContract<Payload> {
  return { kind: 'event', ...message };
}

/** Defines a channel. `timeoutMs` limits the opening, not the time it stays open. */
export function defineChannel<Opening extends z.ZodType, Accepted extends z.ZodType, Signal extends z.ZodType>(message: {
  subject: Subject;
  opening: Opening;
  accepted: Accepted;
  signal: Signal;
  timeoutMs?: number;
}): ChannelContract<Opening, Accepted, Signal> {
  return { kind: 'channel', timeoutMs: requestTimeoutMs, ...message };
}

/** The service that answers a message. */
export function ownerOf(contract: { subject: Subject }): ServiceName {
  const owner = serviceNames.find((name) => contract.subject.startsWith(`${name}.`));
  if (!owner) throw new TypeError(`subject ${contract.subject} names no service`);
  return owner;
}
