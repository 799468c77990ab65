import { setTimeout as delay } from 'node:timers/promises';
import type { QueryRunner } from 'typeorm';
import { isLockTimeout } from './queries';
import { withEveryRow } from './tenancy/roles';

/** How long a migration waits for a table's lock: meanwhile every request for the table queues behind it. */
export const lockWaitMs = 5_000;
const lockTriesMax = 24;
const retryAfterMs = 250;
const batchRows = 1_000;

/** Retries on a busy table: a statement waiting for a lock blocks all later ones. */
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

/** Runs one migration step completely or not at all, and releases its tables if one of them is busy. */
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

/** A step in a transaction, retried while its tables are busy. */
export function step(runner: QueryRunner, work: () => Promise<void>): Promise<void> {
  return patiently(() => inTransaction(runner, work));
}

/** An index, defined as in Postgres after the table's name: `(org_id) WHERE …`. */
export interface Index {
  readonly name: string;
  readonly table: string;
  readonly on: string;
}

/**
 * For migrations outside a transaction: creates an index without blocking writes, after dropping one left incomplete by an
 * earlier attempt. Postgres cannot do this for a partitioned table, so each partition gets its own.
 */
export async function createIndex(runner: QueryRunner, index: Index): Promise<void> {
  const partitions = await partitionsOf(runner, index.table);
  if (!partitions) return createPlainIndex(runner, index);
  const { name, table, on } = index;
  await step(runner, async () => {
    await runner.query(`CREATE INDEX IF NOT EXISTS ${name} ON ONLY ${table} ${on}`);
  });
  // Partitions created from now on have the index from the start.
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
  // Waits for older transactions, such as a backup, without blocking anything meanwhile.
  await runner.query('SET lock_timeout = 0');
  try {
    if (made) await runner.query(`DROP INDEX CONCURRENTLY ${name}`);
    await runner.query(`CREATE INDEX CONCURRENTLY ${name} ON ${table} ${on}`);
  } finally {
    await runner.query(`SET lock_timeout = ${lockWaitMs}`);
  }
}

/** The partitions of a table; undefined if it is not partitioned. */
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

/** The existing rows to be changed. */
export interface Batches {
  readonly table: string;
  /** The column of its primary key; `id` by default. */
  readonly key?: string;
  /** Other tenant tables that the statement reads or writes. */
  readonly beside?: readonly string[];
}

/**
 * For migrations outside a transaction: runs a statement over the rows of all organizations, a thousand at a time in key order.
 * `statement` receives the condition that selects its batch. After each batch it pauses for as long as the batch took, to let
 * others use the table. A retry starts from the beginning.
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

/** The last key of the next batch; undefined if the remaining rows fit into one. */
async function endOfBatch(runner: QueryRunner, { table, key = 'id' }: Batches, after: unknown): Promise<unknown> {
  const left = after === undefined ? '' : `WHERE ${key} > $1`;
  const sql = `SELECT ${key} AS key FROM ${table} ${left} ORDER BY ${key} OFFSET ${batchRows - 1} LIMIT 1`;
  const [row] = await keysOf(runner, sql, after === undefined ? [] : [after]);
  return row?.key;
}

function keysOf(runner: QueryRunner, sql: string, values: unknown[]): Promise<{ readonly key: unknown }[]> {
  return runner.query(sql, values);
}
