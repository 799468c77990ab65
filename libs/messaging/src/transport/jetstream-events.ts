import { setTimeout as pause } from 'node:timers/promises';
import {
  type Consumer,
  type ConsumerMessages,
  jetstream,
  JetStreamApiCodes,
  JetStreamApiError,
  type JetStreamClient,
  type JsMsg,
} from '@nats-io/jetstream';
import { InvalidArgumentError, type NatsConnection, PermissionViolationError } from '@nats-io/transport-node';
import {
  type Backlog,
  type ConsumerOptions,
  type Consumption,
  type Delivery,
  type EventLog,
  eventSubject,
  RefusedEvent,
  type StoredEvent,
  type DeliveryOutcome,
} from '../event-envelope';
import { limits } from '../limits';
import { eventConsumers } from '../uses/event-consumers';
import { messageUses } from '../uses/message-uses';
import { unavailable } from '../wire/body';
import { deadLetters, durableOf, type EventStream, JetStreamStructure, storeTimeoutMs, streamOf } from './jetstream-structure';
import type { MessageLog, Transport } from './transport';

interface JetStreamOptions {
  readonly log: MessageLog;
  readonly makesStreams?: boolean;
  readonly eventReplicas?: number;
  readonly eventBytesMax?: number;
  readonly eventAgeMaxMs?: number;
}

const absent: readonly number[] = [JetStreamApiCodes.ConsumerNotFound, JetStreamApiCodes.StreamNotFound];
const isAbsent = (error: unknown): boolean => error instanceof JetStreamApiError && absent.includes(error.code);

/** One stream for each service's own events, and one durable consumer for each event and service that consumes it. */
export class JetStreamEventLog implements EventLog {
  readonly redeliveryMs = limits.redeliveryMs;
  private readonly client: JetStreamClient;
  private readonly structure: JetStreamStructure | undefined;
  private readonly untellable = new Set<string>();

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

  /** Sends all in one write. Each names its predecessor, so that the broker stores no event after a gap. */
  async appendTogether(events: readonly StoredEvent[]): Promise<number> {
    const [first] = events;
    if (!first || this.transport.status() !== 'connected') return 0;
    await this.structure?.ensureStream(streamOf(first.subject)).catch(() => undefined);
    const acks = events.map(({ id, subject, data }, index) => {
      const before = events[index - 1];
      return this.client.publish(eventSubject(subject), data, { msgID: id, ...(before && { expect: { lastMsgID: before.id } }) });
    });
    const outcomes = acks.map((ack) =>
      ack.then(
        () => true,
        () => false,
      ),
    );
    // After a gap nothing is stored, so the rest is not awaited.
    for (const [stored, outcome] of outcomes.entries()) if (!(await outcome)) return stored;
    return events.length;
  }

  async behind(subjects: readonly string[]): Promise<number> {
    if (this.transport.status() !== 'connected') return 0;
    const consumers = eventConsumers(messageUses).filter(({ subject }) => subjects.includes(subject));
    return Math.max(0, ...(await Promise.all(consumers.map((consumer) => this.waitingOf(consumer)))));
  }

  /** A service that this installation does not run has no consumer, and delays nothing. */
  private async waitingOf({ subject, group }: { readonly subject: string; readonly group: string }): Promise<number> {
    try {
      const consumer = await this.client.consumers.get(streamOf(subject).name, durableOf(group, subject));
      return (await consumer.info(true)).num_pending;
    } catch (error) {
      // A failed look-up stops nothing. The outbox asks often, so each consumer's failure is logged only once.
      const consumer = durableOf(group, subject);
      if (isAbsent(error) || this.untellable.has(consumer)) return 0;
      this.untellable.add(consumer);
      this.options.log.warn({ err: error, consumer }, 'the backlog of a consumer cannot be read');
      return 0;
    }
  }

  addDeadLetter(group: string, { id, subject, data }: StoredEvent): Promise<void> {
    return this.store(deadLetters, { id, subject: `parley.dead.${group}.${subject}`, data });
  }

  async consume(
    { subject, group, concurrency }: ConsumerOptions,
    deliver: (delivery: Delivery) => Promise<DeliveryOutcome>,
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
    // From now on the group exists, so it misses no event, however late its first worker starts.
    await consumption.start();
    return consumption;
  }

  private async store(stream: EventStream, event: StoredEvent): Promise<void> {
    if (this.transport.status() !== 'connected') throw unavailable('the event store is not connected', 'nats');
    try {
      await this.structure?.ensureStream(stream);
      await this.client.publish(event.subject, event.data, { msgID: event.id });
    } catch (cause) {
      // The stream may have been lost with its store: check again next time.
      this.structure?.forget(stream);
      const reason = `the event was not stored: ${String(cause)}`;
      throw unavailable(isRefusal(event, cause) ? new RefusedEvent(reason, { cause }) : reason, 'nats');
    }
  }
}

/** Whether the user may not publish to this subject, or the message is larger than the server accepts. */
function isRefusal({ subject }: Pick<StoredEvent, 'subject'>, error: unknown): boolean {
  if (error instanceof PermissionViolationError) return error.operation === 'publish' && error.subject === subject;
  if (error instanceof InvalidArgumentError) return true;
  return error instanceof Error && error.cause !== undefined && isRefusal({ subject }, error.cause);
}

interface Source {
  /** Finds the durable consumer, or creates it. */
  readonly open: () => Promise<Consumer>;
  readonly deliver: (delivery: Delivery) => Promise<DeliveryOutcome>;
  readonly concurrency: number;
  readonly transport: Transport;
  readonly log: MessageLog;
}

/** Each fetch wakes the broker and the service, and so does its end, so an idle one lasts long. */
const fetchMs = 60_000;
/** If the broker lost a fetch, as when a stream's leader changes, it is repeated after two of these. */
const fetchBeatMs = 20_000;
const retryMs = 500;

/**
 * Processes the events of one durable consumer, a bounded number at a time. It fetches no more than it can start: an event
 * waiting in a local buffer would time out and be redelivered to another replica.
 */
class JetStreamConsumption implements Consumption {
  private readonly working = new Set<Promise<void>>();
  private readonly stopLost: () => void;
  private consumer: Consumer | undefined;
  private batch: ConsumerMessages | undefined;
  private oldest: { readonly place: number; readonly sinceMs: number } | undefined;
  private stopped = false;
  private readonly stopping = new AbortController();
  private saidAbsent = false;
  private loop: Promise<void> = Promise.resolve();

  constructor(private readonly source: Source) {
    // A batch requested before the connection broke will not arrive.
    this.stopLost = source.transport.onLost(() => void this.batch?.close());
  }

  /** If the broker has lost its streams, the work starts once the migration has created them again. */
  async start(): Promise<void> {
    try {
      this.consumer = await this.source.open();
    } catch (error) {
      if (!isAbsent(error)) throw error;
      this.tell(error);
    }
    this.loop = this.run();
  }

  async backlog(): Promise<Backlog> {
    if (!this.consumer || this.source.transport.status() !== 'connected') throw unavailable('the event store is not connected');
    const { num_pending, num_ack_pending, ack_floor } = await this.consumer.info();
    const events = num_pending + num_ack_pending;
    const place = ack_floor.stream_seq;
    if (events === 0) this.oldest = undefined;
    else if (this.oldest?.place !== place) this.oldest = { place, sinceMs: performance.now() };
    return { events, stuckMs: this.oldest ? performance.now() - this.oldest.sinceMs : 0 };
  }

  async stop(): Promise<void> {
    this.stopped = true;
    this.stopping.abort();
    this.stopLost();
    await this.batch?.close();
    await this.loop;
    await Promise.all(this.working);
  }

  private async run(): Promise<void> {
    while (!this.stopped && this.source.transport.status() !== 'closed') {
      try {
        await this.fetch();
      } catch (error) {
        this.consumer = undefined;
        if (this.source.transport.status() === 'connected') this.tell(error);
        await pause(retryMs, undefined, { ref: false });
      }
    }
  }

  /** A missing stream is logged once: it may be missing for hours, and is looked up twice a second. */
  private tell(error: unknown): void {
    const { log } = this.source;
    if (!isAbsent(error)) return log.warn({ err: error }, 'Events could not be fetched; trying again');
    if (!this.saidAbsent) log.warn({ err: error }, 'NATS has no such stream of events: run the migration, which makes it');
    this.saidAbsent = true;
  }

  private async fetch(): Promise<void> {
    if (this.source.transport.status() !== 'connected') throw new Error('not connected');
    this.consumer ??= await this.source.open();
    this.saidAbsent = false;
    const { concurrency } = this.source;
    if (this.working.size >= concurrency) await Promise.race(this.working);
    if (this.stopped) return;
    const batch = await this.consumer.fetch({
      max_messages: concurrency - this.working.size,
      expires: fetchMs,
      idle_heartbeat: fetchBeatMs,
    });
    this.batch = batch;
    if (this.stopped) await batch.close();
    for await (const message of batch) {
      if (this.stopped) message.nak();
      else this.work(message);
    }
  }

  private work(message: JsMsg): void {
    const work: Promise<void> = this.deliver(message)
      .catch((error: unknown) => this.source.log.error({ err: error }, 'An event was not acknowledged; it will be redelivered'))
      .finally(() => this.working.delete(work));
    this.working.add(work);
  }

  private async deliver(message: JsMsg): Promise<void> {
    for (;;) {
      const verdict = await this.source.deliver({ data: message.data, attempt: message.info.deliveryCount });
      if (verdict === 'done') return message.ack();
      if (!verdict.isUncounted) return message.nak(verdict.againInMs);
      await this.keep(message, verdict.againInMs);
      if (this.stopped) return message.nak();
    }
  }

  /** Keeps a delivery for a while, because the broker counts every other one as an attempt. */
  private async keep(message: JsMsg, ms: number): Promise<void> {
    const beat = setInterval(() => message.working(), limits.consumerTimeoutMs / 2);
    await pause(ms, undefined, { signal: this.stopping.signal, ref: false }).catch(() => undefined);
    clearInterval(beat);
    message.working();
  }
}
