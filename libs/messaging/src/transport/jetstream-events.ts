import {
  AckPolicy,
  type ConsumerConfig,
  DeliverPolicy,
  DiscardPolicy,
  JetStreamApiError,
  type JetStreamClient,
  type JetStreamManager,
  jetstream,
  jetstreamManager,
  RetentionPolicy,
  StorageType,
  type StreamConfig,
} from '@nats-io/jetstream';
import { nanos, type NatsConnection } from '@nats-io/transport-node';
import { eventSubject } from '../broadcasts';
import { limits } from '../limits';
import type { MessageLog } from '../message-log';
import { unavailable } from '../wire/unavailable';
import type { Consumption, ConsumerOptions, Delivery, EventLog, StoredEvent, Verdict } from './event-log';
import { ownerOfEvent } from './event-log';
import { JetStreamConsumption } from './jetstream-consumption';
import type { Transport } from './transport';

export interface JetStreamOptions {
  readonly log: MessageLog;
  readonly eventReplicas?: number;
  readonly eventBytesMax?: number;
  readonly eventAgeMaxMs?: number;
}

const deadLetters = { name: 'DEAD_LETTERS', subjects: ['parley.dead.>'] };
const dayMs = 24 * 60 * 60 * 1000;
const storeTimeoutMs = 5_000;
/** JetStream's own codes: a stream or consumer of this name exists with another configuration. */
const otherConfigurationCodes = [10058, 10148];

/** One stream a service for the events that it owns, one durable consumer for each service that listens to one of them. */
export class JetStreamEventLog implements EventLog {
  readonly redeliveryMs = limits.redeliveryMs;
  private readonly client: JetStreamClient;
  private readonly known = new Map<string, Promise<void>>();
  private manager: Promise<JetStreamManager> | undefined;

  constructor(
    private readonly connection: NatsConnection,
    private readonly transport: Transport,
    private readonly options: JetStreamOptions,
  ) {
    this.client = jetstream(connection, { timeout: storeTimeoutMs });
  }

  append({ id, subject, data }: StoredEvent): Promise<void> {
    return this.store(streamOf(subject), { id, subject: eventSubject(subject), data });
  }

  /** All in one write. Each names the one before it, so the broker refuses what would be stored with a gap before it. */
  async appendTogether(events: readonly StoredEvent[]): Promise<number> {
    const [first] = events;
    if (!first || this.transport.status() !== 'connected') return 0;
    await this.ensureStream(streamOf(first.subject)).catch(() => undefined);
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

  async consume(options: ConsumerOptions, deliver: (delivery: Delivery) => Promise<Verdict>): Promise<Consumption> {
    const stream = streamOf(options.subject);
    const durable = `${options.group}__${options.subject.replaceAll('.', '_')}`;
    const open = async () => {
      await this.ensureStream(stream);
      await this.ensureConsumer(stream.name, durable, eventSubject(options.subject));
      return this.client.consumers.get(stream.name, durable);
    };
    const consumption = new JetStreamConsumption({ open, deliver, transport: this.transport, log: this.options.log });
    // From here on the group exists, so no event passes it by, however late its first worker is.
    await consumption.start();
    return consumption;
  }

  private async store(stream: { name: string; subjects: string[] }, event: StoredEvent): Promise<void> {
    if (this.transport.status() !== 'connected') throw unavailable('the event store is not connected');
    try {
      await this.ensureStream(stream);
      await this.client.publish(event.subject, event.data, { msgID: event.id });
    } catch (cause) {
      // The stream may have gone with a store that was lost: look again next time.
      this.known.delete(stream.name);
      throw unavailable(`the event was not stored: ${String(cause)}`);
    }
  }

  private ensureStream(stream: { name: string; subjects: string[] }): Promise<void> {
    const known = this.known.get(stream.name);
    if (known) return known;
    const making = this.makeStream(stream);
    this.known.set(stream.name, making);
    making.catch(() => this.known.delete(stream.name));
    return making;
  }

  private async makeStream(stream: { name: string; subjects: string[] }): Promise<void> {
    const config: Partial<StreamConfig> & { name: string } = {
      ...stream,
      storage: StorageType.File,
      retention: RetentionPolicy.Limits,
      discard: DiscardPolicy.Old,
      num_replicas: this.options.eventReplicas ?? 1,
      max_bytes: this.options.eventBytesMax ?? limits.eventBytesMax,
      max_age: nanos(this.options.eventAgeMaxMs ?? limits.eventDaysMax * dayMs),
      duplicate_window: nanos(limits.duplicateWindowMs),
    };
    const { streams } = await this.manage();
    await streams.add(config).catch((error: unknown) => {
      if (!isOtherConfiguration(error)) throw error;
      return streams.update(stream.name, config);
    });
  }

  private async ensureConsumer(stream: string, durable: string, subject: string): Promise<void> {
    const config: Partial<ConsumerConfig> = {
      durable_name: durable,
      filter_subject: subject,
      ack_policy: AckPolicy.Explicit,
      deliver_policy: DeliverPolicy.All,
      ack_wait: nanos(limits.consumerTimeoutMs + 5_000),
      max_ack_pending: limits.pendingEventsMax,
      // How often is decided above the transport, so that giving up always leaves a dead letter.
      max_deliver: -1,
    };
    const { consumers } = await this.manage();
    await consumers.add(stream, config).catch((error: unknown) => {
      if (!isOtherConfiguration(error)) throw error;
      return consumers.update(stream, durable, config);
    });
  }

  private manage(): Promise<JetStreamManager> {
    this.manager ??= jetstreamManager(this.connection, { checkAPI: false, timeout: storeTimeoutMs });
    return this.manager;
  }
}

function streamOf(subject: string): { name: string; subjects: string[] } {
  const owner = ownerOfEvent(subject);
  return { name: `EVENTS_${owner}`, subjects: [`${eventSubject(owner)}.>`] };
}

function isOtherConfiguration(error: unknown): boolean {
  return error instanceof JetStreamApiError && otherConfigurationCodes.includes(error.code);
}
