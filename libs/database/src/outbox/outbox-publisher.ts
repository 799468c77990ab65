import { setTimeout as delay } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Injectable, Logger, Module, type OnApplicationBootstrap } from '@nestjs/common';
import { serviceNames, type Subject } from '@parley/contracts';
import { type EventEnvelope, isRefusedEvent, ServiceBus } from '@parley/messaging';
import { FirstFailure, within } from '@parley/ports';
import { DataSource, type EntityManager } from 'typeorm';
import { inTransaction } from '../transaction';
import {
  countDead,
  countWaiting,
  type DeadEvent,
  type FailedEvent,
  holdBack,
  isOutboxEmpty,
  oldestWaitSeconds,
  Outbox,
  setAside,
  readDeadEvents,
  removeSent,
  rowsMax,
  takeBatch,
  triesMax,
  type WaitingEvent,
} from './outbox';

/** Longer than the broker keeps an event, so that one cannot arrive again after it was forgotten. */
const rememberedDays = 14;

const prunedAtOnceMax = 10_000;

/** The interval while something waits: it was held back, or another publisher was busy with its organization. */
const againMs = 500;
/**
 * The interval while the outbox is empty. Every new event notifies the publisher in its own process, so this only finds what a killed
 * process left. A pool closes connections after thirty idle seconds, and opening one costs more than many polls.
 */
export const idleLookMs = 20_000;
/** Events that arrive while a publisher is busy are sent together; an idle publisher sends at once. */
const gatherMs = 20;
const failurePauseMs = 1_000;
/** The most time for one organization's events before others get their turn; well below the idle-in-transaction timeout. */
const batchMs = 500;
/**
 * How far behind a consumer may be. The broker delivers in order, so a backlog of one organization there delays all others; the
 * rest waits here, where organizations take turns.
 */
const behindMax = 500;
/** Events of one organization sent per batch while a consumer is further behind. */
const ofEachWhileBehind = 5;
const togetherMs = 2_000;
const publishMs = 5_000;
/** Does not wait for the disk: what a crash loses is sent a second time. */
const opening = 'BEGIN; SET LOCAL synchronous_commit = off';
const pruneEveryMs = 3_600_000;

/**
 * Sends the outbox: at least once, in order within an organization, with one publisher per replica. An event leaves the table only
 * once the broker has stored it.
 */
@Injectable()
export class OutboxPublisher implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly log = new Logger(OutboxPublisher.name);
  private running: Promise<void> | undefined;
  private isStopping = false;
  private isWoken = false;
  private readonly failure = new FirstFailure((error) => this.log.warn({ err: error }, 'the outbox could not be read'));
  private wake = () => {};
  private prunedAtMs = 0;
  /** The subjects of a batch that was sent while more events waited. */
  private crowdedSubjects: readonly string[] = [];
  /** What the broker refuses, and whether it has stored other events since. */
  private readonly refusedSubjects = new Map<string, { hasStoredOthers: boolean }>();

  constructor(
    private readonly dataSource: DataSource,
    private readonly bus: ServiceBus,
    outbox: Outbox,
  ) {
    outbox.onCommitted(() => {
      this.isWoken = true;
      this.wake();
    });
  }

  /** The number of events waiting to be sent, for metrics. */
  pending(): Promise<number> {
    return countWaiting(this.dataSource.manager);
  }

  /** For how many seconds the oldest of them has waited, for metrics. */
  oldestWaitSeconds(): Promise<number> {
    return oldestWaitSeconds(this.dataSource.manager);
  }

  /** The number of events set aside because they failed while others succeeded, for metrics. */
  dead(): Promise<number> {
    return countDead(this.dataSource.manager);
  }

  /** The latest of these, with their errors. */
  deadEvents(count: number): Promise<DeadEvent[]> {
    return readDeadEvents(this.dataSource.manager, count);
  }

  onApplicationBootstrap(): void {
    this.isStopping = false;
    this.running ??= this.run();
  }

  /** Finishes the current batch. What still waits is sent by the next process. */
  async beforeApplicationShutdown(): Promise<void> {
    this.isStopping = true;
    this.wake();
    await this.running;
    this.running = undefined;
  }

  private async run(): Promise<void> {
    while (!this.isStopping) {
      this.isWoken = false;
      try {
        const { sent, isEmpty, isMore } = await this.sendBatch();
        await this.pruneSometimes();
        this.failure.recovered();
        if (sent === rowsMax) continue;
        await (this.isWoken || isMore ? delay(gatherMs) : this.pause(isEmpty ? idleLookMs : againMs));
      } catch (error) {
        this.failure.failed(error);
        await this.pause(failurePauseMs);
      }
    }
  }

  /** Resolves with how many events the broker stored, whether the outbox is now empty, and whether more can be sent at once. */
  private async sendBatch(): Promise<{ sent: number; isEmpty: boolean; isMore: boolean }> {
    const isBehind = this.crowdedSubjects.length > 0 && (await this.bus.eventsBehind(this.crowdedSubjects)) > behindMax;
    const ofEachMax = isBehind ? ofEachWhileBehind : rowsMax;
    return inTransaction(this.dataSource, { opening }, async (manager) => {
      const batch = await takeBatch(manager, ofEachMax);
      const together = batch.slice(0, await this.sendTogether(batch));
      const untilMs = Date.now() + batchMs;
      const byOrganization = Map.groupBy(batch.slice(together.length), ({ orgId }) => orgId);
      const outcomes = await Promise.all([...byOrganization.values()].map((events) => this.sendInOrder(events, untilMs)));
      const sent = [...together, ...outcomes.flatMap((outcome) => outcome.sent)];
      const [, isEmpty] = await Promise.all([removeSent(manager, sent), isOutboxEmpty(manager)]);
      const failed = outcomes.flatMap((outcome) => outcome.failed);
      this.compareRefusals(sent, failed);
      // The broker accepts other events, so it is available: an event that fails this often is itself the cause.
      const isAlone = ({ event, isRefused }: FailedEvent) =>
        sent.length > 0 || (isRefused && this.refusedSubjects.get(event.subject)?.hasStoredOthers);
      const dead = failed.filter((each) => hasHadItsTries(each.event) && isAlone(each));
      for (const each of dead) await this.setAside(manager, each);
      await this.reportAndHoldBack(
        manager,
        failed.filter((each) => !dead.includes(each)),
      );
      const isMore = !isEmpty && failed.length === 0 && sent.length > 0;
      this.crowdedSubjects = isMore ? [...new Set(sent.map(({ subject }) => subject))] : [];
      return { sent: sent.length, isEmpty, isMore };
    });
  }

  /**
   * Sends a batch in one write; returns how many were stored. The event that stopped it is found by sending the rest one by one.
   */
  private async sendTogether(events: WaitingEvent[]): Promise<number> {
    if (events.length < 2) return 0;
    try {
      return await answered(togetherMs, this.bus.publishTogether(events.map(envelopeOf)));
    } catch {
      return 0;
    }
  }

  /** Notes which subjects the broker refuses while it stores others. A refused event may be the only one of its batch. */
  private compareRefusals(sent: readonly WaitingEvent[], failed: readonly FailedEvent[]): void {
    for (const { subject } of sent) this.refusedSubjects.delete(subject);
    if (sent.length > 0) for (const refused of this.refusedSubjects.values()) refused.hasStoredOthers = true;
    for (const { event, isRefused } of failed)
      if (isRefused && !this.refusedSubjects.has(event.subject))
        this.refusedSubjects.set(event.subject, { hasStoredOthers: sent.length > 0 });
  }

  /**
   * Sends in order up to the first failure. If an event has used up its tries, the next one shows whether the broker is
   * unavailable. Where the broker refuses an event itself, those of other subjects pass by it.
   */
  private async sendInOrder(events: WaitingEvent[], untilMs: number): Promise<{ sent: WaitingEvent[]; failed: FailedEvent[] }> {
    const sent: WaitingEvent[] = [];
    const refused = new Map<string, FailedEvent>();
    let failed: FailedEvent | undefined;
    for (const event of events) {
      if (Date.now() > untilMs) break;
      if (refused.has(event.subject)) continue;
      const failure = await this.failureOf(event);
      if (!failure) sent.push(event);
      else if (failure.isRefused) refused.set(event.subject, failure);
      else failed ??= failure;
      if (failed && (failed.event !== event || !hasHadItsTries(event))) break;
    }
    return { sent, failed: [...refused.values(), ...(failed ? [failed] : [])] };
  }

  private async failureOf(event: WaitingEvent): Promise<FailedEvent | undefined> {
    try {
      await answered(publishMs, this.bus.publish(envelopeOf(event)));
      return undefined;
    } catch (error) {
      return { event, error, isRefused: isRefusedEvent(error) };
    }
  }

  private async setAside(manager: EntityManager, { event, error }: FailedEvent): Promise<void> {
    const { id, subject, orgId, attempts } = event;
    const about = { err: error, id, subject, orgId, attempts: attempts + 1 };
    this.log.error(about, 'an event was set aside: it alone failed, again and again');
    await setAside(manager, event, error);
  }

  private async reportAndHoldBack(manager: EntityManager, failed: FailedEvent[]): Promise<void> {
    const [first] = failed;
    if (!first) return;
    const { subject, orgId, attempts } = first.event;
    const about = { reason: innermost(first.error), organizations: failed.length, subject, orgId, attempts: attempts + 1 };
    this.log.warn(about, 'events wait for the broker');
    await holdBack(manager, failed);
  }

  private async pruneSometimes(): Promise<void> {
    if (Date.now() - this.prunedAtMs < pruneEveryMs) return;
    this.prunedAtMs = Date.now();
    await pruneProcessed(this.dataSource.manager);
  }

  private async pause(ms: number): Promise<void> {
    if (this.isWoken || this.isStopping) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, ms);
    this.wake = resolve;
    await promise;
    clearTimeout(timer);
  }
}

function hasHadItsTries({ attempts }: WaitingEvent): boolean {
  return attempts + 1 >= triesMax;
}

function envelopeOf({ id, subject, orgId, occurredAt, payload }: WaitingEvent): EventEnvelope {
  if (!isSubject(subject)) throw new TypeError(`subject ${subject} names no service`);
  return { id, subject, orgId: orgId || null, occurredAt: occurredAt.toISOString(), payload };
}

function answered<T>(ms: number, published: Promise<T>): Promise<T> {
  return within(ms, published, () => {
    throw new Error(`the broker did not answer within ${ms} ms`);
  });
}

function isSubject(word: string): word is Subject {
  return serviceNames.some((name) => word.startsWith(`${name}.`));
}

/**
 * Runs a consumer's work once per event, however often it is delivered. The work and its record share the given transaction; a
 * concurrent second delivery waits for the first. Resolves with whether the work ran.
 */
export async function onceOnly(
  manager: EntityManager,
  { eventId, consumer }: { eventId: string; consumer: string },
  work: () => Promise<void>,
): Promise<boolean> {
  if (!manager.queryRunner?.isTransactionActive) throw new TypeError('onceOnly needs a transaction to be part of');
  const rows: unknown[] = await manager.query(
    'INSERT INTO processed_events (event_id, consumer) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING event_id',
    [eventId, consumer],
  );
  if (rows.length === 0) return false;
  await work();
  return true;
}

/** Forgets old deliveries, a bounded number at a time. */
export async function pruneProcessed(manager: EntityManager): Promise<void> {
  await manager.query(
    `DELETE FROM processed_events WHERE ctid = ANY (ARRAY(
       SELECT ctid FROM processed_events WHERE processed_at < now() - $1 * interval '1 day' LIMIT $2))`,
    [rememberedDays, prunedAtOnceMax],
  );
}

/** Provides a service's Outbox and publishes it while the service runs. Requires a DataSource and a ServiceBus. */
@Module({ providers: [Outbox, OutboxPublisher], exports: [Outbox, OutboxPublisher] })
export class OutboxModule {}

/** Why the broker did not take an event, without the stacks that every outage would write. */
function innermost(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? innermost(error.cause) : error.message;
}
