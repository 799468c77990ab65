import type { EntityManager } from 'typeorm';
import { prepared } from '../queries';

/** Events that one batch holds at most. */
export const rowsMax = 200;
const bytesMax = 4_000_000;
const firstRetryMs = 250;
const lastRetryMs = 60_000;

/** An event as it waits in the outbox. */
export interface WaitingEvent {
  readonly seq: string;
  readonly id: string;
  readonly subject: string;
  readonly orgId: number;
  readonly occurredAt: Date;
  readonly payload: unknown;
  readonly attempts: number;
}

/**
 * The oldest events of each organization, by turns: the first of all, then the second of all, up to `ofEachMax`. Those of one come
 * in order. An organization belongs to one relay until its transaction ends, so two relays never interleave it. Locking the rows
 * as well leaves out those that another relay has sent since this statement looked.
 */
export async function takeBatch(manager: EntityManager, ofEachMax = rowsMax): Promise<WaitingEvent[]> {
  const values = [rowsMax, bytesMax, ofEachMax];
  return prepared<WaitingEvent>(manager, { name: 'take-outbox-batch', text: oldestByTurns, values });
}

// Who waits is found by one look into the index for each, however much one of them has waiting.
const oldestByTurns = `
  WITH RECURSIVE waiting AS (
    (SELECT org_id, seq FROM outbox ORDER BY org_id, seq LIMIT 1)
    UNION ALL
    SELECT following.org_id, following.seq FROM waiting CROSS JOIN LATERAL
      (SELECT org_id, seq FROM outbox WHERE org_id > waiting.org_id ORDER BY org_id, seq LIMIT 1) following
  ), first AS MATERIALIZED (
    SELECT org_id FROM waiting
    WHERE NOT EXISTS (SELECT FROM outbox held WHERE held.org_id = waiting.org_id AND held.retry_at > now())
    ORDER BY seq LIMIT $1
  ), oldest AS MATERIALIZED (
    SELECT seq, org_id, bytes, place FROM first CROSS JOIN LATERAL
      (SELECT seq, bytes, row_number() OVER (ORDER BY seq) AS place FROM outbox WHERE outbox.org_id = first.org_id
       ORDER BY seq LIMIT $3) own
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

/** Forgets what the broker has. */
export async function removeSent(manager: EntityManager, sent: WaitingEvent[]): Promise<void> {
  if (sent.length === 0) return;
  const values = [sent.map(({ seq }) => seq)];
  await prepared(manager, { name: 'remove-from-outbox', text: 'DELETE FROM outbox WHERE seq = ANY($1::bigint[])', values });
}

/** Whether nothing waits, not even what was held back or what another relay sends at this moment. */
export async function isOutboxEmpty(manager: EntityManager): Promise<boolean> {
  const text = 'SELECT NOT EXISTS (SELECT FROM outbox) AS "isEmpty"';
  const [row] = await prepared<{ isEmpty: boolean }>(manager, { name: 'is-outbox-empty', text, values: [] });
  return row?.isEmpty ?? false;
}

/** Holds back the organizations of these events, longer each time, while the others go on. */
export async function holdBack(manager: EntityManager, failed: WaitingEvent[]): Promise<void> {
  if (failed.length === 0) return;
  await manager.query(
    `UPDATE outbox SET attempts = attempts + 1,
       retry_at = clock_timestamp() + LEAST($2 * 2 ^ LEAST(attempts, 20), $3) * interval '1 ms'
     WHERE seq = ANY($1::bigint[])`,
    [failed.map(({ seq }) => seq), firstRetryMs, lastRetryMs],
  );
}

/** How many events wait; counted to a hundred thousand, which is alarming enough. */
export async function countWaiting(manager: EntityManager): Promise<number> {
  const rows: { waiting: number }[] = await manager.query(
    'SELECT count(*)::int AS waiting FROM (SELECT FROM outbox LIMIT 100000) counted',
  );
  return rows[0]?.waiting ?? 0;
}

/** Tries that an event has before it is suspected of being the reason itself. With the waits between them: about five minutes. */
export const triesMax = 12;
const reasonLettersMax = 500;

/** An event that was put aside. */
export interface DeadEvent {
  readonly id: string;
  readonly subject: string;
  readonly orgId: number;
  readonly attempts: number;
  readonly reason: string;
  readonly diedAt: Date;
}

/** Takes an event out of the outbox for good, in the transaction of its batch. */
export async function putAside(manager: EntityManager, { seq }: WaitingEvent, error: unknown): Promise<void> {
  const reason = (error instanceof Error ? error.message : String(error)).slice(0, reasonLettersMax);
  await manager.query(
    `WITH gone AS (DELETE FROM outbox WHERE seq = $1 RETURNING *)
     INSERT INTO dead_events (seq, id, subject, org_id, occurred_at, payload, attempts, reason)
     SELECT seq, id, subject, org_id, occurred_at, payload, attempts + 1, $2 FROM gone`,
    [seq, reason],
  );
}

/** The youngest events that were put aside. */
export function readDeadEvents(manager: EntityManager, count: number): Promise<DeadEvent[]> {
  return manager.query(
    `SELECT id, subject, org_id AS "orgId", attempts, reason, died_at AS "diedAt" FROM dead_events ORDER BY died_at DESC, seq DESC
     LIMIT $1`,
    [count],
  );
}

/** How many events were put aside; counted to a hundred thousand. */
export async function countDead(manager: EntityManager): Promise<number> {
  const rows: { dead: number }[] = await manager.query(
    'SELECT count(*)::int AS dead FROM (SELECT FROM dead_events LIMIT 100000) counted',
  );
  return rows[0]?.dead ?? 0;
}
