import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { postgresForTests } from './postgres-server';

/** An empty database for one test file. */
export interface TestDatabase {
  /** Connects as the ordinary role that owns the database, as a service does. */
  readonly url: string;
  /** Connects as a superuser, to see what a tenant may not. */
  readonly adminUrl: string;
  /** Drops the database, even with open connections. */
  close(): Promise<void>;
}

/** Makes 64-bit ids start beyond 32 bits, so that columns, queries and contracts that are too narrow fail in every test. */
const wideIds = `
  CREATE FUNCTION begin_wide_ids() RETURNS event_trigger LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM setval(seqrelid::regclass, 4294967296) FROM pg_event_trigger_ddl_commands() made JOIN pg_sequence ON seqrelid = made.objid
    WHERE seqtypid = 'bigint'::regtype;
  END $$;
  CREATE EVENT TRIGGER begin_wide_ids ON ddl_command_end WHEN TAG IN ('CREATE TABLE') EXECUTE FUNCTION begin_wide_ids()`;

/** Creates a database on the Postgres of this test run. */
export async function testDatabase(): Promise<TestDatabase> {
  const server = await postgresForTests();
  const name = `test_${randomBytes(6).toString('hex')}`;
  // WAL_LOG is faster for a small template, since it needs no checkpoints.
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
