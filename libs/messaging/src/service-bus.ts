import { randomUUID } from 'node:crypto';
import { type DynamicModule, Module, type OnApplicationShutdown } from '@nestjs/common';
import type { ChannelContract, EventContract, RequestContract, ServiceName, StreamContract } from '@parley/contracts';
import type { z } from 'zod';
import type { Channel } from './line/channel-end';
import { ask, type AskOptions } from './requests/ask';
import { openChannel, readLater } from './requests/open-streams';
import { currentCall } from './call';
import { TransportEndpoint } from './endpoint';
import { Broadcasts, type EventEnvelope, EventEnvelopeSchema, heardSubject, type StoredEvent } from './event-envelope';
import { startOutgoing } from './tracing';
import { type MessageLog, nestMessageLog, type Transport } from './transport/transport';
import { asRequestFault, encodeBody } from './wire/body';

/** What an event contains besides its subject. The id identifies repeated deliveries. */
type EmittedEvent<Payload> = Omit<EventEnvelope, 'subject' | 'payload'> & { readonly payload: Payload };

/**
 * How services reach each other, with the same guarantees over NATS and in process: both ends parse, faults keep their code,
 * deadlines and cancellation propagate, and a missing service is SERVICE_UNAVAILABLE at once.
 */
export abstract class ServiceBus {
  abstract ask<Body extends z.ZodType, Reply extends z.ZodType>(
    contract: RequestContract<Body, Reply>,
    body: z.input<Body>,
    options?: AskOptions,
  ): Promise<z.output<Reply>>;

  /** Leaving the loop early cancels the producer. */
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

  /** Hands an event to the broker; resolves when it is stored there. Business code uses the Outbox instead. */
  abstract emit<Payload extends z.ZodType>(
    contract: EventContract<Payload>,
    event: EmittedEvent<z.input<Payload>>,
  ): Promise<void>;

  /** The same for an envelope that was checked when it was written, as sent by the outbox publisher. */
  abstract publish(envelope: EventEnvelope): Promise<void>;

  /**
   * Stores a prefix of the events in one write, if the broker can, and returns how many: each is stored after the previous one,
   * or not at all. The caller publishes the rest one by one.
   */
  publishTogether(_envelopes: readonly EventEnvelope[]): Promise<number> {
    return Promise.resolve(0);
  }

  /** How many events of these subjects wait at the broker for their slowest consumer, as far as the broker can tell. */
  eventsBehind(_subjects: readonly string[]): Promise<number> {
    return Promise.resolve(0);
  }
}

/** The bus over any transport. Close it when its application stops; the transport is closed by its owner. */
export class TransportBus extends ServiceBus implements Broadcasts {
  private readonly endpoint: TransportEndpoint;

  constructor(transport: Transport, log: MessageLog = nestMessageLog) {
    super();
    this.endpoint = new TransportEndpoint(transport, log);
  }

  ask<Body extends z.ZodType, Reply extends z.ZodType>(
    contract: RequestContract<Body, Reply>,
    body: z.input<Body>,
    options: AskOptions = {},
  ): Promise<z.output<Reply>> {
    return ask(this.endpoint, contract, body, options);
  }

  stream<Body extends z.ZodType, Item extends z.ZodType>(
    contract: StreamContract<Body, Item>,
    body: z.input<Body>,
    options: AskOptions = {},
  ): AsyncIterable<z.output<Item>> {
    return readLater(this.endpoint, contract, body, options, currentCall());
  }

  open<Opening extends z.ZodType, Accepted extends z.ZodType, Signal extends z.ZodType>(
    contract: ChannelContract<Opening, Accepted, Signal>,
    opening: z.input<Opening>,
    options: AskOptions = {},
  ) {
    return openChannel(this.endpoint, contract, opening, options);
  }

  async emit<Payload extends z.ZodType>(contract: EventContract<Payload>, event: EmittedEvent<z.input<Payload>>): Promise<void> {
    try {
      encodeBody(contract.payload, event.payload);
    } catch (error) {
      throw asRequestFault(error);
    }
    const span = startOutgoing(contract.subject);
    const traced = span.traceparent ? { traceparent: span.traceparent } : {};
    try {
      await this.publish({ subject: contract.subject, ...traced, ...event });
    } finally {
      span.end();
    }
  }

  /** The same for an envelope whose payload was checked when it was written. */
  async publish(envelope: EventEnvelope): Promise<void> {
    await this.endpoint.transport.events.append(stored(envelope));
  }

  override publishTogether(envelopes: readonly EventEnvelope[]): Promise<number> {
    return this.endpoint.transport.events.appendTogether(envelopes.map(stored));
  }

  override eventsBehind(subjects: readonly string[]): Promise<number> {
    return this.endpoint.transport.events.behind(subjects);
  }

  announce<Payload extends z.ZodType>(
    { subject, payload }: EventContract<Payload>,
    event: { readonly orgId: number | null; readonly payload: z.input<Payload> },
  ): void {
    encodeBody(payload, event.payload);
    const envelope = { id: randomUUID(), subject, occurredAt: new Date().toISOString(), ...event };
    this.endpoint.transport.publish(heardSubject(subject), Buffer.from(encodeBody(EventEnvelopeSchema, envelope)));
  }

  onMissed(listener: () => void): () => void {
    return this.endpoint.transport.onLost(listener);
  }

  close(): void {
    this.endpoint.close();
  }
}

function stored(envelope: EventEnvelope): StoredEvent {
  const { id, subject } = envelope;
  return { id, subject, data: Buffer.from(encodeBody(EventEnvelopeSchema, envelope)) };
}

class ClosingBus extends TransportBus implements OnApplicationShutdown {
  onApplicationShutdown(): void {
    this.close();
  }
}

/** Provides the ServiceBus, and Broadcasts over it, to every module of an application. `BusServer` does the serving. */
@Module({})
export class MessagingModule {
  static forTransport(transport: Transport, { log }: { service: ServiceName; log?: MessageLog }): DynamicModule {
    const bus = { provide: ServiceBus, useFactory: () => new ClosingBus(transport, log) };
    const broadcasts = { provide: Broadcasts, useExisting: ServiceBus };
    return { module: MessagingModule, global: true, providers: [bus, broadcasts], exports: [ServiceBus, Broadcasts] };
  }
}
