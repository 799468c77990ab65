import { type JetStreamClient, jetstream } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import { eventSubject } from '../broadcasts';
import { limits } from '../limits';
import type { MessageLog } from '../message-log';
import { unavailable } from '../wire/unavailable';
import type { Consumption, ConsumerOptions, Delivery, EventLog, StoredEvent, Verdict } from './event-log';
import { JetStreamConsumption } from './jetstream-consumption';
import { deadLetters, durableOf, type EventStream, JetStreamStructure, storeTimeoutMs, streamOf } from './jetstream-structure';
import type { Transport } from './transport';

export interface JetStreamOptions {
  readonly log: MessageLog;
  readonly makesStreams?: boolean;
  readonly eventReplicas?: number;
  readonly eventBytesMax?: number;
  readonly eventAgeMaxMs?: number;
}

/** One stream a service for the events that it owns, one durable consumer for each service that listens to one of them. */
export class JetStreamEventLog implements EventLog {
  readonly redeliveryMs = limits.redeliveryMs;
  private readonly client: JetStreamClient;
  private readonly structure: JetStreamStructure | undefined;

  constructor(
    connection: NatsConnection,
    private readonly transport: Transport,
    private readonly options: JetStreamOptions,
  ) {
    this.client = jetstream(connection, { timeout: storeTimeoutMs });
    if (options.makesStreams ?? true) this.structure = new JetStreamStructure(connection, options);
  }

  append({ id, subject, data }: StoredEvent): Promise<void> {
    return this.store(streamOf(subject), { id, subject: eventSubject(subject), data });
  }

  /** All in one write. Each names the one before it, so the broker refuses what would be stored with a gap before it. */
  async appendTogether(events: readonly StoredEvent[]): Promise<number> {
    const [first] = events;
    if (!first || this.transport.status() !== 'connected') return 0;
    await this.structure?.ensureStream(streamOf(first.subject)).catch(() => undefined);
    const acks = events.map(({ id, subject, data }, index) => {
      const before = events[index - 1];
      return this.client.publish(eventSubject(subject), data, { msgID: id, ...(before && { expect: { lastMsgID: before.id } }) });
    });
    const outcomes = await Promise.allSettled(acks);
    const refused = outcomes.findIndex(({ status }) => status === 'rejected');
    return refused < 0 ? events.length : refused;
  }

  bury(group: string, { id, subject, data }: StoredEvent): Promise<void> {
    return this.store(deadLetters, { id, subject: `parley.dead.${group}.${subject}`, data });
  }

  async consume(
    { subject, group, concurrency }: ConsumerOptions,
    deliver: (delivery: Delivery) => Promise<Verdict>,
  ): Promise<Consumption> {
    const { name } = streamOf(subject);
    const durable = durableOf(group, subject);
    const open = async () => {
      if (this.structure) await this.structure.ensureConsumer(subject, group);
      return this.client.consumers.get(name, durable);
    };
    const consumption = new JetStreamConsumption({
      open,
      deliver,
      concurrency: concurrency ?? limits.consumerConcurrency,
      transport: this.transport,
      log: this.options.log,
    });
    // From here on the group exists, so no event passes it by, however late its first worker is.
    await consumption.start();
    return consumption;
  }

  private async store(stream: EventStream, event: StoredEvent): Promise<void> {
    if (this.transport.status() !== 'connected') throw unavailable('the event store is not connected');
    try {
      await this.structure?.ensureStream(stream);
      await this.client.publish(event.subject, event.data, { msgID: event.id });
    } catch (cause) {
      // The stream may have gone with a store that was lost: look again next time.
      this.structure?.forget(stream);
      throw unavailable(`the event was not stored: ${String(cause)}`);
    }
  }
}
