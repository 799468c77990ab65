import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { EventContract } from '@parley/contracts';
import {
  DataSource,
  type EntityManager,
  type EntitySubscriberInterface,
  type QueryRunner,
  type TransactionCommitEvent,
} from 'typeorm';
import type { z } from 'zod';
import { prepared, type Statement } from '../queries';

/** Below the broker's limit of one megabyte, with room for headers. */
const payloadBytesMax = 900_000;

/** The table and columns of an outbox row, in the order of its values. */
export const outboxColumns = 'outbox (id, subject, org_id, payload, bytes)';

const insertion = `INSERT INTO ${outboxColumns} VALUES ($1, $2, $3, $4, $5)`;

interface Addition<Payload extends z.ZodType> {
  readonly orgId: number | null;
  readonly payload: z.input<Payload>;
}

const laterMs = 1_000;

/** Publishes events: written in the transaction that causes them, sent by the OutboxPublisher. */
@Injectable()
export class Outbox implements EntitySubscriberInterface {
  private readonly touched = new WeakSet<QueryRunner>();
  private readonly listeners = new Set<() => void>();
  private later: NodeJS.Timeout | undefined;

  constructor(dataSource: DataSource) {
    dataSource.subscribers.push(this);
  }

  /** Adds an event to the caller's transaction; returns its id. It is sent if and only if that transaction commits. */
  async add<Payload extends z.ZodType>(
    manager: EntityManager,
    contract: EventContract<Payload>,
    event: Addition<Payload>,
  ): Promise<string> {
    const { id, statement } = await this.addition(manager, contract, event);
    await prepared(manager, statement);
    return id;
  }

  /** The same as a statement, for a transaction that sends its last statements together with COMMIT. */
  async addition<Payload extends z.ZodType>(
    manager: EntityManager,
    contract: EventContract<Payload>,
    event: Addition<Payload>,
  ): Promise<{ id: string; statement: Statement }> {
    const runner = manager.queryRunner;
    if (!runner?.isTransactionActive) throw new TypeError(`${contract.subject} needs a transaction to be part of`);
    const { id, values } = outboxRow(contract, event);
    this.touched.add(runner);
    return { id, statement: { name: 'add-to-outbox', text: insertion, values } };
  }

  /** Calls back when a transaction with events has committed in this process. */
  onCommitted(listener: () => void): void {
    this.listeners.add(listener);
  }

  /**
   * Reports that a statement with rows from `outboxRow` has committed. They are sent within a second, together with later
   * ones, which saves a busy service one publishing round per commit.
   */
  noteCommitted(): void {
    this.later ??= setTimeout(() => {
      this.later = undefined;
      this.tell();
    }, laterMs).unref();
  }

  /** TypeORM's hook, which is also called for savepoints, while the transaction is still open. */
  afterTransactionCommit({ queryRunner }: TransactionCommitEvent): void {
    if (queryRunner.isTransactionActive || !this.touched.delete(queryRunner)) return;
    this.tell();
  }

  private tell(): void {
    for (const listener of this.listeners) listener();
  }
}

/**
 * An event as values for `outboxColumns`, for the statement that writes it together with its cause; it is sent after
 * `Outbox.noteCommitted`. Parsed here as well as when sending: an invalid payload must fail where it is written, not block the
 * queue.
 */
export function outboxRow<Payload extends z.ZodType>(
  contract: EventContract<Payload>,
  event: { orgId: number | null; payload: z.input<Payload> },
): { id: string; values: [string, string, number, string, number] } {
  const payload = JSON.stringify(contract.payload.parse(event.payload));
  const bytes = Buffer.byteLength(payload);
  if (bytes > payloadBytesMax) throw new TypeError(`${contract.subject} carries ${bytes} bytes: put them into the file store`);
  const id = randomUUID();
  return { id, values: [id, contract.subject, event.orgId ?? 0, payload, bytes] };
}

/** The most events in one batch. */
export const rowsMax = 200;
const bytesMax = 4_000_000;
const firstRetryMs = 250;
const lastRetryMs = 60_000;

/** An event waiting in the outbox. */
export interface WaitingEvent {
  readonly seq: number;
  readonly id: string;
  readonly subject: string;
  readonly orgId: number;
  readonly occurredAt: Date;
  readonly payload: unknown;
  readonly attempts: number;
}

/** An event that the broker did not store. */
export interface FailedEvent {
  readonly event: WaitingEvent;
  readonly error: unknown;
  /** Whether the broker is there and refuses the event itself. */
  readonly isRefused: boolean;
}

/**
 * The oldest events of each organization, in turns: the first of each, then the second of each, up to `ofEachMax`, in order
 * within each. An organization belongs to one publisher until its transaction ends, so two publishers never interleave its events.
 * Events of a subject that the broker refuses wait for their next try without holding up other subjects: each subject has a
 * consumer of its own, so no consumer sees the difference. Locking the rows as well skips those that another publisher has sent since this statement's snapshot.
 */
export async function takeBatch(manager: EntityManager, ofEachMax = rowsMax): Promise<WaitingEvent[]> {
  const values = [rowsMax, bytesMax, ofEachMax];
  return prepared<WaitingEvent>(manager, { name: 'take-outbox-batch', text: oldestByTurns, values });
}

// Each waiting organization is found by one index lookup, however many events it has waiting.
const oldestByTurns = `
  WITH RECURSIVE waiting AS (
    (SELECT org_id, seq FROM outbox ORDER BY org_id, seq LIMIT 1)
    UNION ALL
    SELECT following.org_id, following.seq FROM waiting CROSS JOIN LATERAL
      (SELECT org_id, seq FROM outbox WHERE org_id > waiting.org_id ORDER BY org_id, seq LIMIT 1) following
  ), first AS MATERIALIZED (
    SELECT org_id, refused FROM waiting CROSS JOIN LATERAL
      (SELECT ARRAY(SELECT held.subject FROM outbox held
       WHERE held.org_id = waiting.org_id AND held.retry_at > now() AND held.is_refused) AS refused) own
    WHERE NOT EXISTS (SELECT FROM outbox held
      WHERE held.org_id = waiting.org_id AND held.retry_at > now() AND NOT held.is_refused)
    AND (refused = '{}' OR EXISTS (SELECT FROM outbox other WHERE other.org_id = waiting.org_id AND other.subject <> ALL (refused)))
    ORDER BY seq LIMIT $1
  ), oldest AS MATERIALIZED (
    SELECT seq, org_id, bytes, place FROM first CROSS JOIN LATERAL
      (SELECT seq, bytes, row_number() OVER (ORDER BY seq) AS place FROM outbox
       WHERE outbox.org_id = first.org_id AND outbox.subject <> ALL (first.refused) ORDER BY seq LIMIT $3) own
    ORDER BY place, seq LIMIT $1
  ), fitting AS MATERIALIZED (
    SELECT seq, org_id FROM (SELECT *, sum(bytes) OVER (ORDER BY place, seq) - bytes AS before FROM oldest) summed WHERE before < $2
  ), organizations AS MATERIALIZED (
    SELECT DISTINCT org_id FROM fitting
  ), mine AS MATERIALIZED (
    SELECT org_id FROM organizations WHERE pg_try_advisory_xact_lock(hashtext(current_schema() || '.outbox'), org_id)
  )
  SELECT seq, id, subject, org_id AS "orgId", occurred_at AS "occurredAt", payload, attempts FROM outbox
  WHERE seq IN (SELECT seq FROM fitting JOIN mine USING (org_id))
  ORDER BY seq FOR UPDATE SKIP LOCKED`;

/** Deletes events that the broker has stored. */
export async function removeSent(manager: EntityManager, sent: WaitingEvent[]): Promise<void> {
  if (sent.length === 0) return;
  const values = [sent.map(({ seq }) => seq)];
  await prepared(manager, { name: 'remove-from-outbox', text: 'DELETE FROM outbox WHERE seq = ANY($1::bigint[])', values });
}

/** Whether the outbox is empty, counting held-back events and those that another publisher is sending. */
export async function isOutboxEmpty(manager: EntityManager): Promise<boolean> {
  const text = 'SELECT NOT EXISTS (SELECT FROM outbox) AS "isEmpty"';
  const [row] = await prepared<{ isEmpty: boolean }>(manager, { name: 'is-outbox-empty', text, values: [] });
  return row?.isEmpty ?? false;
}

/**
 * Holds back the organizations of these events, longer each time, while others continue. Of a refused event it holds back only the
 * organization's events of that subject.
 */
export async function holdBack(manager: EntityManager, failed: readonly FailedEvent[]): Promise<void> {
  if (failed.length === 0) return;
  await manager.query(
    `UPDATE outbox SET attempts = attempts + 1, is_refused = failed.is_refused,
       retry_at = clock_timestamp() + LEAST($2 * 2 ^ LEAST(attempts, 20), $3) * interval '1 ms'
     FROM unnest($1::bigint[], $4::boolean[]) AS failed(seq, is_refused) WHERE outbox.seq = failed.seq`,
    [failed.map(({ event }) => event.seq), firstRetryMs, lastRetryMs, failed.map(({ isRefused }) => isRefused)],
  );
}

/** The number of waiting events, counted up to a hundred thousand, which is alarming enough. */
export async function countWaiting(manager: EntityManager): Promise<number> {
  const rows: { waiting: number }[] = await manager.query(
    'SELECT count(*)::int AS waiting FROM (SELECT FROM outbox LIMIT 100000) counted',
  );
  return rows[0]?.waiting ?? 0;
}

/** For how long the oldest event has waited, in seconds: one that the broker refuses is noticed by its age, however few wait. */
export async function oldestWaitSeconds(manager: EntityManager): Promise<number> {
  const rows: { seconds: number }[] = await manager.query(
    'SELECT extract(epoch FROM now() - occurred_at)::float8 AS seconds FROM outbox ORDER BY seq LIMIT 1',
  );
  return Math.max(0, rows[0]?.seconds ?? 0);
}

/**
 * How often an event is tried before it is suspected to be the cause itself. With the waits between tries: about five minutes.
 */
export const triesMax = 12;
const reasonLettersMax = 500;

/** An event that was set aside. */
export interface DeadEvent {
  readonly id: string;
  readonly subject: string;
  readonly orgId: number;
  readonly attempts: number;
  readonly reason: string;
  readonly diedAt: Date;
}

/** Permanently removes an event from the outbox, in the transaction of its batch. */
export async function setAside(manager: EntityManager, { seq }: WaitingEvent, error: unknown): Promise<void> {
  const reason = (error instanceof Error ? error.message : String(error)).slice(0, reasonLettersMax);
  await manager.query(
    `WITH gone AS (DELETE FROM outbox WHERE seq = $1 RETURNING *)
     INSERT INTO dead_events (seq, id, subject, org_id, occurred_at, payload, attempts, reason)
     SELECT seq, id, subject, org_id, occurred_at, payload, attempts + 1, $2 FROM gone`,
    [seq, reason],
  );
}

/** The latest events that were set aside. */
export function readDeadEvents(manager: EntityManager, count: number): Promise<DeadEvent[]> {
  return manager.query(
    `SELECT id, subject, org_id AS "orgId", attempts, reason, died_at AS "diedAt" FROM dead_events ORDER BY died_at DESC, seq DESC
     LIMIT $1`,
    [count],
  );
}

/** The number of events set aside, counted up to a hundred thousand. */
export async function countDead(manager: EntityManager): Promise<number> {
  const rows: { dead: number }[] = await manager.query(
    'SELECT count(*)::int AS dead FROM (SELECT FROM dead_events LIMIT 100000) counted',
  );
  return rows[0]?.dead ?? 0;
}
