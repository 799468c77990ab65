import type { EntityManager } from 'typeorm';
import type { WaitingEvent } from './outbox-batch';

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
