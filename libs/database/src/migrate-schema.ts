import { setTimeout as delay } from 'node:timers/promises';
import { DataSource, type MigrationInterface, type QueryRunner } from 'typeorm';
import { connectionOptions } from './connection-options';
import type { SchemaDefinition } from './schema-definition';
import { isPassingFailure } from './sql-failure';
import { standingMigrations } from './standing-migrations';

const databaseWaitMs = 30_000;
const retryAfterMs = 250;
const lockWaitMs = 120_000;

/** The database cannot be brought to what this build needs. Its message is the one line to show. */
export class MigrationRefused extends Error {
  override readonly name = 'MigrationRefused';
}

/**
 * Brings a schema up to date and answers which migrations ran. Each runs once and whole, however many
 * replicas start at the same time: they queue on an advisory lock. Waits for a Postgres that is still starting.
 */
export async function migrateSchema(definition: SchemaDefinition, url: string): Promise<string[]> {
  const options = connectionOptions(definition, { url, poolMax: 1, statementTimeoutMs: 0 });
  const dataSource = await connectPatiently(() => new DataSource(options).initialize());
  const runner = dataSource.createQueryRunner();
  try {
    await runner.query(`SET lock_timeout = ${lockWaitMs}`);
    await runner.query(`SELECT pg_advisory_lock(hashtext('parley.migrations'), hashtext($1))`, [definition.schema]);
    return await runPending(definition, runner);
  } finally {
    // Ending the connection gives the lock back.
    await dataSource.destroy();
  }
}

async function connectPatiently<T>(connect: () => Promise<T>): Promise<T> {
  const until = Date.now() + databaseWaitMs;
  for (;;) {
    try {
      return await connect();
    } catch (error) {
      if (!isPassingFailure(error) || Date.now() > until) throw error;
      await delay(retryAfterMs);
    }
  }
}

async function runPending({ schema, migrations }: SchemaDefinition, runner: QueryRunner): Promise<string[]> {
  const known = [...standingMigrations, ...migrations]
    .map((migration) => new migration())
    .map((migration) => ({ name: nameOf(migration), migration }));
  const executed = await executedNames(schema, runner);
  const unknown = executed.find((name) => !known.some((migration) => migration.name === name));
  if (unknown)
    throw new MigrationRefused(
      `schema ${schema} has migration ${unknown}, which this build does not know: the database is newer`,
    );
  const pending = known.filter(({ name }) => !executed.includes(name)).sort((a, b) => timestampOf(a.name) - timestampOf(b.name));
  for (const { name, migration } of pending) {
    await runOne(runner, name, migration).catch((error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error);
      throw new MigrationRefused(`migration ${name} of schema ${schema} failed and was rolled back: ${reason}`, { cause: error });
    });
  }
  return pending.map(({ name }) => name);
}

async function executedNames(schema: string, runner: QueryRunner): Promise<string[]> {
  await runner.query(`CREATE SCHEMA IF NOT EXISTS "${schema}"`);
  await runner.query(`
    CREATE TABLE IF NOT EXISTS "${schema}".migrations (name text PRIMARY KEY, executed_at timestamptz NOT NULL DEFAULT now())`);
  const rows: { name: string }[] = await runner.query(`SELECT name FROM "${schema}".migrations`);
  return rows.map(({ name }) => name);
}

async function runOne(runner: QueryRunner, name: string, migration: MigrationInterface): Promise<void> {
  await runner.startTransaction();
  try {
    await migration.up(runner);
    await runner.query('INSERT INTO migrations (name) VALUES ($1)', [name]);
    await runner.commitTransaction();
  } catch (error) {
    await runner.rollbackTransaction().catch(() => undefined);
    throw error;
  }
}

function nameOf(migration: MigrationInterface): string {
  const name = migration.name ?? migration.constructor.name;
  if (Number.isNaN(timestampOf(name))) throw new TypeError(`migration ${name} does not end with the 13 digits of its time`);
  return name;
}

function timestampOf(name: string): number {
  return Number(/\d{13}$/.exec(name)?.[0]);
}
