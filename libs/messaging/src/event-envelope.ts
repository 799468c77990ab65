import { type EventContract, Fault, type ServiceName, serviceNames } from '@parley/contracts';
import { z } from 'zod';

/** An event as stored in the outbox and sent over the broker. */
export interface EventEnvelope {
  readonly id: string;
  readonly subject: `${ServiceName}.${string}`;
  /** Null for what concerns no single organization. */
  readonly orgId: number | null;
  readonly occurredAt: string;
  readonly payload: unknown;
  readonly traceparent?: string;
}

/** What a consumer learns about an event besides its payload. The id is the same at every delivery. */
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

/** Sends an event that is soon outdated to every replica that `@Hears` it: not stored, not retried. */
export abstract class Broadcasts {
  abstract announce<Payload extends z.ZodType>(
    contract: EventContract<Payload>,
    event: { readonly orgId: number | null; readonly payload: z.input<Payload> },
  ): void;

  /** Calls back after the connection was lost and events may have been missed. Returns a function that stops this. */
  abstract onMissed(listener: () => void): () => void;
}

/** Why the event log refuses an event that it would refuse again, although it is there. The cause of a Fault. */
export class RefusedEvent extends Error {
  override readonly name = 'RefusedEvent';
}

/** Whether an event was not stored because of what it is, and not because the event log was unavailable. */
export function isRefusedEvent(error: unknown): boolean {
  return error instanceof Fault && error.cause instanceof RefusedEvent;
}

/** Why nothing is written for an organization any more. The cause of a Fault. */
export class DeletedOrganization extends Error {
  override readonly name = 'DeletedOrganization';

  static fault(cause: unknown): Fault {
    const message = 'This organization was deleted.';
    return new Fault('NOT_FOUND', { message, cause: new DeletedOrganization(message, { cause }) });
  }
}

/** Whether work failed only because its organization was deleted: an event of it that comes late has nothing left to do. */
export function isOfDeletedOrganization(error: unknown): boolean {
  return error instanceof Fault && error.cause instanceof DeletedOrganization;
}

/** The subject of a stored event: live listeners receive the same message that is stored. */
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
  /** Starts at 1. A higher number means that the event was delivered before and not acknowledged. */
  readonly attempt: number;
}

/**
 * The outcome of a delivery: done, or to be delivered again after a delay. One that says nothing about the event, since what its consumer
 * needs is away, is not counted as an attempt.
 */
export type DeliveryOutcome = 'done' | { againInMs: number; isUncounted?: true };

export interface ConsumerOptions {
  readonly subject: string;
  /** The consuming service. Each group receives every event from when it is first created, delivered to one of its members. */
  readonly group: string;
  /** How many events it processes at a time; by default the limit of messaging. */
  readonly concurrency?: number | undefined;
}

/** What a group still has to process. */
export interface Backlog {
  /** Events stored and not processed yet, including those in progress. */
  readonly events: number;
  /** For how long the oldest unprocessed event has been the oldest. Grows while a consumer is stuck. */
  readonly stuckMs: number;
}

export interface Consumption {
  backlog(): Promise<Backlog>;
  /** Accepts no more events; resolves once those in progress have an outcome. */
  stop(): Promise<void>;
}

/** The durable part of a transport: events are kept until each group has processed them. */
export interface EventLog {
  /** The delays before each further attempt at an event whose consumer failed. */
  readonly redeliveryMs: readonly number[];
  /** Resolves once the event is stored; in process, once every present consumer has processed it. */
  append(event: StoredEvent): Promise<void>;
  /** Stores a prefix of the events, each after the previous one, and returns how many; 0 if nothing is gained by it. */
  appendTogether(events: readonly StoredEvent[]): Promise<number>;
  /** How many events the slowest consumer of these subjects has yet to receive, as far as the log can tell. */
  behind(subjects: readonly string[]): Promise<number>;
  consume(options: ConsumerOptions, deliver: (delivery: Delivery) => Promise<DeliveryOutcome>): Promise<Consumption>;
  /** Moves an event that a group gave up on to the dead letters. */
  addDeadLetter(group: string, event: StoredEvent): Promise<void>;
}

/** The service that an event comes from: the first word of its subject. */
export function ownerOfEvent(subject: string): string {
  return subject.slice(0, subject.indexOf('.'));
}
