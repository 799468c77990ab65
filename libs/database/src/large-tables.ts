import { setTimeout as delay } from 'node:timers/promises';
import type { QueryRunner } from 'typeorm';
import { isLockTimeout } from './queries';
import { withEveryRow } from './tenancy/roles';

/** How long a migration waits for a table: behind it every request of the services waits, too. */
export const lockWaitMs = 5_000;
const lockTriesMax = 24;
const retryAfterMs = 250;
const batchRows = 1_000;

/** Retries on a busy table: a statement waiting for a lock blocks all that come after it. */
async function patiently<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (!isLockTimeout(error) || attempt === lockTriesMax) throw error;
      await delay(retryAfterMs * attempt);
    }
  }
}

/** One migration step, whole or not at all, that lets go of its tables when one of them is busy. */
async function inTransaction(runner: QueryRunner, work: () => Promise<void>): Promise<void> {
  await runner.startTransaction();
  try {
    await runner.query(`SET LOCAL lock_timeout = ${lockWaitMs}`);
    await work();
    await runner.commitTransaction();
  } catch (error) {
    await runner.rollbackTransaction().catch(() => undefined);
    throw error;
  }
}

/** A step of `inTransaction` that is tried again while its tables are busy. */
export function step(runner: QueryRunner, work: () => Promise<void>): Promise<void> {
  return patiently(() => inTransaction(runner, work));
}

/** An index as Postgres writes it after the table's name: `(org_id) WHERE …`. */
export interface Index {
  readonly name: string;
  readonly table: string;
  readonly on: string;
}

/**
 * For migrations outside a transaction: creates an index without blocking writes, dropping one left incomplete by an earlier
 * attempt. Postgres cannot do so on a partitioned table, so each partition gets its own.
 */
export async function createIndex(runner: QueryRunner, index: Index): Promise<void> {
  const partitions = await partitionsOf(runner, index.table);
  if (!partitions) return createPlainIndex(runner, index);
  const { name, table, on } = index;
  await step(runner, async () => {
    await runner.query(`CREATE INDEX IF NOT EXISTS ${name} ON ONLY ${table} ${on}`);
  });
  // A partition that is made from here on has the index from its beginning.
  for (const partition of (await partitionsOf(runner, table)) ?? []) {
    if (await hasPart(runner, name, partition)) continue;
    const own = `${partition}_${name}`;
    await createPlainIndex(runner, { name: own, table: partition, on });
    await step(runner, async () => {
      await runner.query(`ALTER INDEX ${name} ATTACH PARTITION ${own}`);
    });
  }
}

async function createPlainIndex(runner: QueryRunner, { name, table, on }: Index): Promise<void> {
  const [made] = await runner.manager.query<{ valid: boolean }[]>(
    'SELECT indisvalid AS valid FROM pg_index WHERE indexrelid = to_regclass($1)',
    [name],
  );
  if (made?.valid) return;
  // It waits for older transactions, such as a backup's, and blocks none meanwhile.
  await runner.query('SET lock_timeout = 0');
  try {
    if (made) await runner.query(`DROP INDEX CONCURRENTLY ${name}`);
    await runner.query(`CREATE INDEX CONCURRENTLY ${name} ON ${table} ${on}`);
  } finally {
    await runner.query(`SET lock_timeout = ${lockWaitMs}`);
  }
}

/** The partitions of a table, or undefined for a table without partitioning. */
async function partitionsOf(runner: QueryRunner, table: string): Promise<string[] | undefined> {
  const [parent] = await runner.manager.query<{ kind: string }[]>(
    'SELECT relkind AS kind FROM pg_class WHERE oid = to_regclass($1)',
    [table],
  );
  if (parent?.kind !== 'p') return undefined;
  const parts = await runner.manager.query<{ name: string }[]>(
    'SELECT relname AS name FROM pg_inherits JOIN pg_class ON oid = inhrelid WHERE inhparent = to_regclass($1) ORDER BY relname',
    [table],
  );
  return parts.map(({ name }) => name);
}

async function hasPart(runner: QueryRunner, index: string, partition: string): Promise<boolean> {
  const found = await runner.manager.query<unknown[]>(
    `SELECT FROM pg_inherits JOIN pg_index ON indexrelid = inhrelid
     WHERE inhparent = to_regclass($1) AND indrelid = to_regclass($2)`,
    [index, partition],
  );
  return found.length > 0;
}

/** Rows that are there already and are worked on. */
export interface Batches {
  readonly table: string;
  /** The column of its primary key; `id` when it is not said. */
  readonly key?: string;
  /** Tables of organizations that the statement reads or writes beside it. */
  readonly beside?: readonly string[];
}

/**
 * For migrations outside of a transaction: runs a statement over the rows of all organizations, a thousand at a time in the order of their keys.
 * `statement` is given the condition that names its thousand. Between two batches as much time passes as a batch took, which is
 * for those who wait for the table. Tried again, it begins again.
 */
export async function inBatches(runner: QueryRunner, batches: Batches, statement: (within: string) => string): Promise<void> {
  const { table, key = 'id', beside = [] } = batches;
  let after: unknown;
  for (let isLast = false; !isLast;) {
    const startedAt = performance.now();
    let upTo: unknown;
    await step(runner, () =>
      withEveryRow(runner, [table, ...beside], async () => {
        upTo = await endOfBatch(runner, batches, after);
        const bounds = [
          { compared: '>', end: after },
          { compared: '<=', end: upTo },
        ].filter(({ end }) => end !== undefined);
        const within = bounds.map(({ compared }, at) => `${table}.${key} ${compared} $${at + 1}`).join(' AND ') || 'true';
        await runner.query(
          statement(within),
          bounds.map(({ end }) => end),
        );
      }),
    );
    after = upTo;
    isLast = upTo === undefined;
    if (!isLast) await delay(performance.now() - startedAt);
  }
}

/** The last key of the next batch; undefined when the rest fits into one. */
async function endOfBatch(runner: QueryRunner, { table, key = 'id' }: Batches, after: unknown): Promise<unknown> {
  const left = after === undefined ? '' : `WHERE ${key} > $1`;
  const sql = `SELECT ${key} AS key FROM ${table} ${left} ORDER BY ${key} OFFSET ${batchRows - 1} LIMIT 1`;
  const [row] = await keysOf(runner, sql, after === undefined ? [] : [after]);
  return row?.key;
}

function keysOf(runner: QueryRunner, sql: string, values: unknown[]): Promise<{ readonly key: unknown }[]> {
  return runner.query(sql, values);
}
