import { setTimeout as delay } from 'node:timers/promises';
import { DataSource, type MigrationInterface, type QueryRunner } from 'typeorm';
import { type MappedSchema, onePoolOptions, type Pooling } from './connection-options';
import { createIndex, lockWaitMs, step } from './large-tables';
import { isTemporaryFailure } from './queries';
import { NoteDeletedOrganizations1600000000005, refuseDeletedOrganizations } from './deleted-organizations';
import { closeTenantPolicies, grantSchema } from './tenancy/roles';

/** A change of a schema. Older builds keep working, unless the migration declares that it removes something they use. */
export interface Migration extends MigrationInterface {
  readonly breaksOlder?: boolean;
  /**
   * False for a migration that indexes an existing table or fills its rows: it is not rolled back, and is repeated after a
   * failure, which every step must tolerate.
   */
  readonly transaction?: boolean;
}

/** One Postgres schema, owned by one service: its entities and migrations. */
export interface SchemaDefinition extends MappedSchema {
  readonly migrations: (new () => Migration)[];
  /** Tables that keep something of an organization when it is deleted, such as a line that says so. */
  readonly keptOfDeleted?: readonly string[];
}

const databaseWaitMs = 30_000;
const retryAfterMs = 250;
const migrationWaitMs = 30_000;
/** How long one replica waits for another that is migrating. */
const turnWaitMs = 120_000;
const turnRetryMs = 100;

/** The database cannot be migrated to what this build needs. The message is the one line to show. */
class MigrationRefused extends Error {
  override readonly name = 'MigrationRefused';
}

/**
 * Migrates a schema; returns which migrations ran. Each runs completely and only once, however many replicas start together,
 * because they queue on an advisory lock. Waits for a Postgres that is starting. A role that may not change the schema, such as a
 * service's, waits for one that may, and refuses if none does. A schema migrated by a newer build is accepted unless that build
 * removed something, which is then reported.
 */
export async function migrateSchema(definition: SchemaDefinition, url: string, pooling?: Pooling): Promise<string[]> {
  const options = onePoolOptions(definition, { url, poolMax: 1, statementTimeoutMs: 0, ...(pooling && { pooling }) });
  const dataSource = await connectPatiently(() => new DataSource(options).initialize());
  const runner = dataSource.createQueryRunner();
  try {
    if (!(await mayChange(runner))) return await untilMigrated(definition, runner);
    await takeTurn(runner, definition.schema);
    const migrated = await runPending(definition, runner);
    await closeTenantPolicies(runner);
    await refuseDeletedOrganizations(runner, definition.keptOfDeleted ?? []);
    await grantSchema(runner, definition.schema);
    return migrated;
  } finally {
    // Closing the connection releases the lock.
    await dataSource.destroy();
  }
}

async function mayChange(runner: QueryRunner): Promise<boolean> {
  const [row] = await runner.manager.query<{ may: boolean }[]>(
    `SELECT has_database_privilege(current_database(), 'CREATE') AS may`,
  );
  return row?.may ?? false;
}

/**
 * Polls for the lock instead of waiting in Postgres: a concurrent index build waits for all earlier statements, and a session
 * blocked on this lock would be one of them.
 */
async function takeTurn(runner: QueryRunner, schema: string): Promise<void> {
  for (const until = Date.now() + turnWaitMs; ; await delay(turnRetryMs)) {
    const [turn] = await runner.manager.query<{ mine: boolean }[]>(
      `SELECT pg_try_advisory_lock(hashtext('parley.migrations'), hashtext($1)) AS mine`,
      [schema],
    );
    if (turn?.mine) return;
    if (Date.now() > until)
      throw new MigrationRefused(`schema ${schema} is being migrated by another process, which takes its time`);
  }
}

async function untilMigrated(definition: SchemaDefinition, runner: QueryRunner): Promise<string[]> {
  const { schema } = definition;
  for (const until = Date.now() + migrationWaitMs; ; await delay(retryAfterMs)) {
    // The schema, or the right to read it, may not exist yet.
    const executed = await readExecuted(schema, runner).catch(() => []);
    const [missing] = pendingOf(definition, executed);
    if (!missing) return [];
    if (Date.now() > until)
      throw new MigrationRefused(
        `schema ${schema} lacks migration ${missing.name}, which this role may not run: run the migration`,
      );
  }
}

async function connectPatiently<T>(connect: () => Promise<T>): Promise<T> {
  const until = Date.now() + databaseWaitMs;
  for (;;) {
    try {
      return await connect();
    } catch (error) {
      if (!isTemporaryFailure(error) || Date.now() > until) throw error;
      await delay(retryAfterMs);
    }
  }
}

async function runPending(definition: SchemaDefinition, runner: QueryRunner): Promise<string[]> {
  const { schema } = definition;
  await runner.query(`CREATE SCHEMA IF NOT EXISTS "${schema}"`);
  await runner.query(`
    CREATE TABLE IF NOT EXISTS "${schema}".migrations (name text PRIMARY KEY, executed_at timestamptz NOT NULL DEFAULT now())`);
  await runner.query(`ALTER TABLE "${schema}".migrations ADD COLUMN IF NOT EXISTS breaks_older boolean NOT NULL DEFAULT false`);
  const pending = pendingOf(definition, await readExecuted(schema, runner));
  for (const { name, migration } of pending) {
    await runOne(runner, name, migration).catch((error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error);
      const left = migration.transaction === false ? 'and will be tried again from its beginning' : 'and was rolled back';
      throw new MigrationRefused(`migration ${name} of schema ${schema} failed ${left}: ${reason}`, { cause: error });
    });
  }
  return pending.map(({ name }) => name);
}

interface Executed {
  readonly name: string;
  readonly breaksOlder: boolean;
}

/** The pending migrations in order. Refuses a schema from which a newer build removed what this one needs. */
function pendingOf({ schema, migrations }: SchemaDefinition, executed: readonly Executed[]) {
  const all: (new () => Migration)[] = [...migrationsOfEverySchema, ...migrations];
  const known = all.map((migration) => new migration()).map((migration) => ({ name: nameOf(migration), migration }));
  const isKnown = (name: string): boolean => known.some((migration) => migration.name === name);
  const breaking = executed.find(({ name, breaksOlder }) => breaksOlder && !isKnown(name));
  if (breaking)
    throw new MigrationRefused(
      `schema ${schema} has migration ${breaking.name}, after which builds that do not know it cannot work: use a newer build`,
    );
  return known
    .filter(({ name }) => !executed.some((done) => done.name === name))
    .sort((a, b) => timestampOf(a.name) - timestampOf(b.name));
}

function readExecuted(schema: string, runner: QueryRunner): Promise<Executed[]> {
  return runner.query(`SELECT name, breaks_older AS "breaksOlder" FROM "${schema}".migrations`);
}

async function runOne(runner: QueryRunner, name: string, migration: Migration): Promise<void> {
  const note = (): Promise<unknown> =>
    runner.query('INSERT INTO migrations (name, breaks_older) VALUES ($1, $2)', [name, migration.breaksOlder ?? false]);
  if (migration.transaction === false) {
    await runner.query(`SET lock_timeout = ${lockWaitMs}`);
    await migration.up(runner);
    await note();
  } else
    await step(runner, async () => {
      await migration.up(runner);
      await note();
    });
}

function nameOf(migration: Migration): string {
  const name = migration.name ?? migration.constructor.name;
  if (Number.isNaN(timestampOf(name))) throw new TypeError(`migration ${name} does not end with the 13 digits of its time`);
  return name;
}

function timestampOf(name: string): number {
  return Number(/\d{13}$/.exec(name)?.[0]);
}

/** The outbox: events written in the transactions that cause them, waiting to be stored by the broker. */
class CreateOutbox1600000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE outbox (
        seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        id uuid NOT NULL,
        subject text NOT NULL,
        -- 0: an event of no organization
        org_id int NOT NULL,
        occurred_at timestamptz NOT NULL DEFAULT now(),
        -- json and not jsonb: it leaves as it came, and nobody looks inside
        payload json NOT NULL,
        bytes int NOT NULL,
        attempts int NOT NULL DEFAULT 0,
        retry_at timestamptz
      );
      CREATE INDEX outbox_held_back ON outbox (org_id, retry_at) WHERE retry_at IS NOT NULL`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE outbox');
  }
}

/** Lets organizations take turns in the outbox: finds which ones wait, and the oldest events of each. */
class QueueOutboxByOrganization1600000000003 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await createIndex(runner, { name: 'outbox_of_organization', table: 'outbox', on: '(org_id, seq)' });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX outbox_of_organization');
  }
}

/** Events that a consumer has processed, so that a second delivery has no effect. */
class CreateProcessedEvents1600000000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE processed_events (
        event_id uuid NOT NULL,
        consumer text NOT NULL,
        processed_at timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (event_id, consumer)
      );
      CREATE INDEX processed_events_age ON processed_events (processed_at)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE processed_events');
  }
}

/** Events that kept failing while others succeeded: set aside so that they block no others, and kept for inspection. */
class CreateDeadEvents1600000000002 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE dead_events (
        seq bigint PRIMARY KEY,
        id uuid NOT NULL,
        subject text NOT NULL,
        org_id int NOT NULL,
        occurred_at timestamptz NOT NULL,
        payload json NOT NULL,
        attempts int NOT NULL,
        reason text NOT NULL,
        died_at timestamptz NOT NULL DEFAULT now()
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE dead_events');
  }
}

/** Events whose subject the broker refuses wait alone, and not with their organization's others. */
class MarkRefusedEvents1600000000004 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE outbox ADD COLUMN is_refused boolean NOT NULL DEFAULT false');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE outbox DROP COLUMN is_refused');
  }
}

/** The tables that every schema has in addition to its service's own, so that no service can forget them. */
const migrationsOfEverySchema = [
  CreateOutbox1600000000000,
  CreateProcessedEvents1600000000001,
  CreateDeadEvents1600000000002,
  QueueOutboxByOrganization1600000000003,
  MarkRefusedEvents1600000000004,
  NoteDeletedOrganizations1600000000005,
];
