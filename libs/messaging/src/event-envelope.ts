import { type EventContract, type ServiceName, serviceNames } from '@parley/contracts';
import { z } from 'zod';

/** An event as stored in the outbox and sent over the broker. */
export interface EventEnvelope {
  readonly id: string;
  readonly subject: `${ServiceName}.${string}`;
  /** Absent for what concerns no single organization. */
  readonly orgId: number | null;
  readonly occurredAt: string;
  readonly payload: unknown;
  readonly traceparent?: string;
}

/** What a consumer learns of an event beside its payload. The id is the same at every delivery. */
export type EventMeta = Omit<EventEnvelope, 'payload'> & { readonly attempt: number };

/** Reads an envelope from a broker or a table; the payload is parsed by its own contract. */
export const EventEnvelopeSchema = z.object({
  id: z.string().min(1).max(255),
  subject: z.templateLiteral([z.enum(serviceNames), '.', z.string()]),
  orgId: z.int().nullable(),
  occurredAt: z.string(),
  payload: z.unknown(),
  traceparent: z.string().optional(),
});

/** Sends an event that is stale a moment later to every replica that `@Hears` it: not stored, not retried. */
export abstract class Broadcasts {
  abstract announce<Payload extends z.ZodType>(
    contract: EventContract<Payload>,
    event: { readonly orgId: number | null; readonly payload: z.input<Payload> },
  ): void;

  /** Calls back after the connection was lost, when events may have been missed. Returns how to stop. */
  abstract onMissed(listener: () => void): () => void;
}

/** The subject of a stored event: live listeners hear the same message that is stored. */
export function eventSubject(subject: string): string {
  return `parley.event.${subject}`;
}

/** The subject of an event that is not stored. */
export function heardSubject(subject: string): string {
  return `parley.heard.${subject}`;
}

/** One event as the log stores it. For two minutes the log refuses a second event with the same owner and id. */
export interface StoredEvent {
  readonly id: string;
  readonly subject: string;
  readonly data: Uint8Array;
}

export interface Delivery {
  readonly data: Uint8Array;
  /** From 1. Above 1 the same event was delivered before and not acknowledged. */
  readonly attempt: number;
}

/** The outcome of a delivery: done, or deliver again after a while. */
export type DeliveryOutcome = 'done' | { againInMs: number };

export interface ConsumerOptions {
  readonly subject: string;
  /** The consuming service: each group receives every event once it exists, one member of the group each. */
  readonly group: string;
  /** How many events it works on at a time; the limit of messaging by default. */
  readonly concurrency?: number | undefined;
}

/** What a group has still to deal with. */
export interface Backlog {
  /** Events stored and not done yet, including those in progress. */
  readonly events: number;
  /** For how long the oldest undone event has been the oldest. It grows while a consumer is stuck. */
  readonly stuckMs: number;
}

export interface Consumption {
  backlog(): Promise<Backlog>;
  /** Takes no more events; resolves once those in progress have their verdict. */
  stop(): Promise<void>;
}

/** The durable half of a transport: events stay until each group has dealt with them. */
export interface EventLog {
  /** How long to wait before each next attempt at an event whose consumer failed. */
  readonly redeliveryMs: readonly number[];
  /** Resolves once the event is stored; inside one process, once every consumer that is present has dealt with it. */
  append(event: StoredEvent): Promise<void>;
  /** Stores the first so many, each behind the one before it, and answers how many; none where nothing is gained by it. */
  appendTogether(events: readonly StoredEvent[]): Promise<number>;
  /** How many events the slowest of those who consume one of these subjects has still to be given, as far as the log can tell. */
  behind(subjects: readonly string[]): Promise<number>;
  consume(options: ConsumerOptions, deliver: (delivery: Delivery) => Promise<DeliveryOutcome>): Promise<Consumption>;
  /** Moves an event that a group gave up on to the dead letters. */
  bury(group: string, event: StoredEvent): Promise<void>;
}

/** The service that an event comes from: the first word of its subject. */
export function ownerOfEvent(subject: string): string {
  return subject.slice(0, subject.indexOf('.'));
}
