import type { EntityManager } from 'typeorm';

/** Longer than the broker keeps an event, so that what is forgotten here cannot come again. */
const rememberedDays = 14;
const prunedAtOnceMax = 10_000;

/**
 * Runs a consumer's work once for an event, however often it is delivered. Work and memory of it share the given
 * transaction; a second delivery at the same time waits for the first. Resolves with whether the work ran.
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

/** Forgets deliveries of long ago, a bounded number at a time. */
export async function pruneProcessed(manager: EntityManager): Promise<void> {
  await manager.query(
    `DELETE FROM processed_events WHERE ctid = ANY (ARRAY(
       SELECT ctid FROM processed_events WHERE processed_at < now() - $1 * interval '1 day' LIMIT $2))`,
    [rememberedDays, prunedAtOnceMax],
  );
}
