import {
  AckPolicy,
  type ConsumerConfig,
  DeliverPolicy,
  DiscardPolicy,
  JetStreamApiError,
  type JetStreamManager,
  jetstreamManager,
  RetentionPolicy,
  StorageType,
  type StreamConfig,
} from '@nats-io/jetstream';
import { nanos, type NatsConnection } from '@nats-io/transport-node';
import { eventSubject, ownerOfEvent } from '../event-envelope';
import { limits } from '../limits';

/** A stream of the broker and its subjects. */
export interface EventStream {
  readonly name: string;
  readonly subjects: string[];
}

/** Events that their consumers gave up on. */
export const deadLetters: EventStream = { name: 'DEAD_LETTERS', subjects: ['parley.dead.>'] };

export const storeTimeoutMs = 5_000;

const dayMs = 24 * 60 * 60 * 1000;
/** JetStream's own codes: a stream or consumer of this name exists with another configuration. */
const otherConfigurationCodes = [10058, 10148];

interface StructureOptions {
  readonly eventReplicas?: number;
  readonly eventBytesMax?: number;
  readonly eventAgeMaxMs?: number;
}

/** The stream of an event: one for each service that publishes any. */
export function streamOf(subject: string): EventStream {
  const owner = ownerOfEvent(subject);
  return { name: `EVENTS_${owner}`, subjects: [`${eventSubject(owner)}.>`] };
}

/** The name of the durable consumer of one event in one service. */
export function durableOf(group: string, subject: string): string {
  return `${group}__${subject.replaceAll('.', '_')}`;
}

/**
 * Creates the streams and consumers that events need. The right to do so would allow redirecting any message, so services do not
 * have it.
 */
export class JetStreamStructure {
  private readonly known = new Map<string, Promise<void>>();
  private manager: Promise<JetStreamManager> | undefined;

  constructor(
    private readonly connection: NatsConnection,
    private readonly options: StructureOptions,
  ) {}

  /** Creates a stream or updates an existing one; asks the broker only once. */
  ensureStream(stream: EventStream): Promise<void> {
    const known = this.known.get(stream.name);
    if (known) return known;
    const making = this.makeStream(stream);
    this.known.set(stream.name, making);
    making.catch(() => this.known.delete(stream.name));
    return making;
  }

  /** The stream may be gone: the next call checks again. */
  forget({ name }: EventStream): void {
    this.known.delete(name);
  }

  /** Creates the durable consumer of an event for a service, and the stream that it reads. */
  async ensureConsumer(subject: string, group: string): Promise<void> {
    const stream = streamOf(subject);
    await this.ensureStream(stream);
    const durable = durableOf(group, subject);
    const config: Partial<ConsumerConfig> = {
      durable_name: durable,
      filter_subject: eventSubject(subject),
      ack_policy: AckPolicy.Explicit,
      deliver_policy: DeliverPolicy.All,
      ack_wait: nanos(limits.consumerTimeoutMs + 5_000),
      max_ack_pending: limits.pendingEventsMax,
      // Retries are counted above the transport, so that giving up always leaves a dead letter.
      max_deliver: -1,
    };
    const { consumers } = await this.manage();
    await consumers.add(stream.name, config).catch((error: unknown) => {
      if (!isOtherConfiguration(error)) throw error;
      return consumers.update(stream.name, durable, config);
    });
  }

  private async makeStream(stream: EventStream): Promise<void> {
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

  private manage(): Promise<JetStreamManager> {
    this.manager ??= jetstreamManager(this.connection, { checkAPI: false, timeout: storeTimeoutMs });
    return this.manager;
  }
}

function isOtherConfiguration(error: unknown): boolean {
  return error instanceof JetStreamApiError && otherConfigurationCodes.includes(error.code);
}
