import { randomUUID } from 'node:crypto';
import { type DynamicModule, Module, type OnApplicationShutdown } from '@nestjs/common';
import type { ChannelContract, EventContract, RequestContract, ServiceName, StreamContract } from '@parley/contracts';
import type { z } from 'zod';
import { ask } from './asking/ask';
import { openChannel, readLater } from './asking/streams-and-channels';
import { currentCall } from './call';
import { Endpoint } from './endpoint';
import { Broadcasts, type EventEnvelope, EventEnvelopeSchema, heardSubject, type StoredEvent } from './event-envelope';
import { type MessageLog, nestMessageLog } from './message-log';
import { type AskOptions, type EmittedEvent, ServiceBus } from './service-bus';
import { startOutgoing } from './tracing';
import type { Transport } from './transport/transport';
import { asRequestFault, encodeBody } from './wire/body';

/** The bus over any transport. Close it when its application stops; the transport belongs to whoever made it. */
export class TransportBus extends ServiceBus implements Broadcasts {
  private readonly endpoint: Endpoint;

  constructor(transport: Transport, log: MessageLog = nestMessageLog) {
    super();
    this.endpoint = new Endpoint(transport, log);
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

/** Gives every module of an application the ServiceBus, and Broadcasts over it. Serving is the part of `BusServer`. */
@Module({})
export class MessagingModule {
  static forTransport(transport: Transport, { log }: { service: ServiceName; log?: MessageLog }): DynamicModule {
    const bus = { provide: ServiceBus, useFactory: () => new ClosingBus(transport, log) };
    const broadcasts = { provide: Broadcasts, useExisting: ServiceBus };
    return { module: MessagingModule, global: true, providers: [bus, broadcasts], exports: [ServiceBus, Broadcasts] };
  }
}
