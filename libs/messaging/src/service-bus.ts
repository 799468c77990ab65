import type { ChannelContract, EventContract, Principal, RequestContract, StreamContract } from '@parley/contracts';
import type { z } from 'zod';
import type { EventEnvelope } from './event-envelope';

export interface AskOptions {
  /** Gives up sooner than the contract and the surrounding call would. */
  timeoutMs?: number;
  signal?: AbortSignal;
  /** Only the gateway and timers set it; everyone else passes on the principal of the call they serve. */
  principal?: Principal;
}

/** One end of a live line. Frames keep their order; a full queue drops the oldest and counts it in `dropped`. */
export interface Channel<Signal> {
  send(frame: Uint8Array): void;
  signal(signal: Signal): void;
  readonly incoming: AsyncIterable<{ frame: Uint8Array } | { signal: Signal }>;
  readonly dropped: number;
  /** Resolves once either side closed or the other side fell silent. */
  readonly closed: Promise<{ reason: string }>;
  close(reason?: string): void;
}

/** What an event says beside its subject. The id makes every later delivery of it recognizable. */
export type EmittedEvent<Payload> = Omit<EventEnvelope, 'subject' | 'payload'> & { readonly payload: Payload };

/**
 * How services reach each other. The same promises over NATS and inside one process:
 * both ends parse, faults cross with their code, deadlines and cancellation are passed on,
 * nobody listening is SERVICE_UNAVAILABLE at once.
 */
export abstract class ServiceBus {
  abstract ask<Body extends z.ZodType, Reply extends z.ZodType>(
    contract: RequestContract<Body, Reply>,
    body: z.input<Body>,
    options?: AskOptions,
  ): Promise<z.output<Reply>>;

  /** Ending the loop early cancels the producer. */
  abstract stream<Body extends z.ZodType, Item extends z.ZodType>(
    contract: StreamContract<Body, Item>,
    body: z.input<Body>,
    options?: AskOptions,
  ): AsyncIterable<z.output<Item>>;

  abstract open<Opening extends z.ZodType, Accepted extends z.ZodType, Signal extends z.ZodType>(
    contract: ChannelContract<Opening, Accepted, Signal>,
    opening: z.input<Opening>,
    options?: AskOptions,
  ): Promise<{ accepted: z.output<Accepted>; channel: Channel<z.output<Signal>> }>;

  /** Hands an event to the broker and resolves when it is stored there. Business code writes to the Outbox instead. */
  abstract emit<Payload extends z.ZodType>(
    contract: EventContract<Payload>,
    event: EmittedEvent<z.input<Payload>>,
  ): Promise<void>;

  /** The same for an envelope that was checked when it was written: what the outbox relay sends. */
  abstract publish(envelope: EventEnvelope): Promise<void>;

  /**
   * Stores the first so many of some events in one go, where the broker can, and answers how many: each behind the one before
   * it, or not at all. The rest is for whoever publishes them one by one.
   */
  publishTogether(_envelopes: readonly EventEnvelope[]): Promise<number> {
    return Promise.resolve(0);
  }

  /** How many events of these subjects wait at the broker for their slowest consumer, as far as the broker can tell. */
  eventsBehind(_subjects: readonly string[]): Promise<number> {
    return Promise.resolve(0);
  }
}
