import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { postgresForTests } from './postgres-server';

/** A database of one test file, empty and its own. */
export interface TestDatabase {
  /** Connects as an ordinary role that owns the database, as a service does. */
  readonly url: string;
  /** Connects as superuser, to look at what a tenant may not see. */
  readonly adminUrl: string;
  /** Drops the database, even with open connections. */
  close(): Promise<void>;
}

/** Ids of 64 bits begin beyond 32, so that a query, a column or a contract that is too narrow for them fails in every test. */
const wideIds = `
  CREATE FUNCTION begin_wide_ids() RETURNS event_trigger LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM setval(seqrelid::regclass, 4294967296) FROM pg_event_trigger_ddl_commands() made JOIN pg_sequence ON seqrelid = made.objid
    WHERE seqtypid = 'bigint'::regtype;
  END $$;
  CREATE EVENT TRIGGER begin_wide_ids ON ddl_command_end WHEN TAG IN ('CREATE TABLE') EXECUTE FUNCTION begin_wide_ids()`;

/** Makes a fresh database on the Postgres of this test run. */
export async function testDatabase(): Promise<TestDatabase> {
  const server = await postgresForTests();
  const name = `test_${randomBytes(6).toString('hex')}`;
  // The template is small, and copying it through the log spares the two checkpoints of the other strategy.
  await administer(server.adminUrl, `CREATE DATABASE ${name} OWNER "${new URL(server.url).username}" STRATEGY WAL_LOG`);
  await administer(withDatabase(server.adminUrl, name), wideIds);
  return {
    url: withDatabase(server.url, name),
    adminUrl: withDatabase(server.adminUrl, name),
    close: () => administer(server.adminUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`),
  };
}

async function administer(url: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

function withDatabase(url: string, name: string): string {
  const changed = new URL(url);
  changed.pathname = `/${name}`;
  return changed.href;
}
