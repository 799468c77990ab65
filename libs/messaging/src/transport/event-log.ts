/** One event as the log stores it. The log keeps a second event of the same owner and id out, for two minutes. */
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

/** What becomes of a delivered event: done, or to be delivered again after a while. */
export type Verdict = 'done' | { againInMs: number };

export interface ConsumerOptions {
  readonly subject: string;
  /** The consuming service: each group receives every event once it exists, one member of the group each. */
  readonly group: string;
  /** How many events it works on at a time; the limit of messaging by default. */
  readonly concurrency?: number | undefined;
}

/** What a group has still to deal with. */
export interface Backlog {
  /** Events that are stored and not done, those that are being worked on included. */
  readonly events: number;
  /** For how long the oldest of them has been the oldest, as far as anybody has looked. It grows while a consumer is stuck. */
  readonly stuckMs: number;
}

export interface Consumption {
  backlog(): Promise<Backlog>;
  /** Takes no more events; resolves when those being worked on have their verdict. */
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
  consume(options: ConsumerOptions, deliver: (delivery: Delivery) => Promise<Verdict>): Promise<Consumption>;
  /** Keeps an event that a group gave up on, out of everyone's way. */
  bury(group: string, event: StoredEvent): Promise<void>;
}

/** The service that an event comes from: the first word of its subject. */
export function ownerOfEvent(subject: string): string {
  return subject.slice(0, subject.indexOf('.'));
}
