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

/** One question, one answer. */
export interface RequestContract<Body extends z.ZodType = z.ZodType, Reply extends z.ZodType = z.ZodType> {
  readonly kind: 'request';
  readonly subject: Subject;
  readonly request: Body;
  readonly reply: Reply;
  readonly timeoutMs: number;
  /** The handler changes nothing, and is held to that by Postgres: another replica may be asked where one fell silent. */
  readonly onlyReads: boolean;
}

/** One question, many items in order, at the reader's pace. */
export interface StreamContract<Body extends z.ZodType = z.ZodType, Item extends z.ZodType = z.ZodType> {
  readonly kind: 'stream';
  readonly subject: Subject;
  readonly request: Body;
  readonly item: Item;
  readonly timeoutMs: number;
}

/** Something that happened. Delivered at least once, also to consumers that were away. */
export interface EventContract<Payload extends z.ZodType = z.ZodType> {
  readonly kind: 'event';
  readonly subject: Subject;
  readonly payload: Payload;
}

/** A live two-way line: binary frames (audio) and small JSON signals, both ways, until one side closes. */
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

/** What the handler of a message is given. */
export type BodyOf<Contract extends RequestContract | StreamContract> = z.output<Contract['request']>;

/** What the handler of a request answers. */
export type ReplyOf<Contract extends RequestContract> = z.input<Contract['reply']>;

/** An event's payload as it is sent. */
export type PayloadOf<Contract extends EventContract> = z.input<Contract['payload']>;

/** Verbs of requests that only read. A noun in their place (`agent.runtime`) says nothing: such a message says it of itself. */
const readingVerb = /\.(?:count|diff|find|get|list|preview|read|retrieve|search)(?:-[a-z-]+)?$/;

/** Names a request once, for the service that answers and all that ask. */
export function defineRequest<Body extends z.ZodType, Reply extends z.ZodType>(message: {
  subject: Subject;
  request: Body;
  reply: Reply;
  timeoutMs?: number;
  onlyReads?: boolean;
}): RequestContract<Body, Reply> {
  return { kind: 'request', timeoutMs: requestTimeoutMs, onlyReads: readingVerb.test(message.subject), ...message };
}

/** Names a stream of replies: tokens of an answer, blocks of audio, progress. */
export function defineStream<Body extends z.ZodType, Item extends z.ZodType>(message: {
  subject: Subject;
  request: Body;
  item: Item;
  timeoutMs?: number;
}): StreamContract<Body, Item> {
  return { kind: 'stream', timeoutMs: streamTimeoutMs, ...message };
}

/** Names a durable event. Its payload is a public record: add fields, never change one. */
export function defineEvent<Payload extends z.ZodType>(message: { subject: Subject; payload: Payload }): EventContract<Payload> {
  return { kind: 'event', ...message };
}

/** Names a live line. `timeoutMs` bounds the opening, not the talk. */
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
