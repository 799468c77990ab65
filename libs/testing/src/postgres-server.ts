import { Client } from 'pg';
import { z } from 'zod';
import { databaseUrlForTests, postgresOfRun } from './config';

const ServerUrls = z.object({ url: z.string(), adminUrl: z.string() });
/** `url` connects as an ordinary role, `adminUrl` as one that may create databases. */
type ServerUrls = z.output<typeof ServerUrls>;

const role = 'parley_test';
let asked: Promise<ServerUrls> | undefined;

/** The Postgres shared by all test files of a run. It starts when it is first needed. */
export function postgresForTests(): Promise<ServerUrls> {
  asked ??= databaseUrlForTests ? givenServer(databaseUrlForTests) : serverOfRun();
  return asked;
}

async function serverOfRun(): Promise<ServerUrls> {
  if (!postgresOfRun) throw new Error('tests with Postgres need the global setup of jest.config.mjs');
  const response = await fetch(postgresOfRun);
  const body = await response.text();
  if (!response.ok) throw new Error(body);
  return ServerUrls.parse(JSON.parse(body));
}

/** Creates an ordinary role on the given server, since tests must not run as a superuser, who sees all tenants' rows. */
async function givenServer(adminUrl: string): Promise<ServerUrls> {
  const client = new Client({ connectionString: adminUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ rolsuper: boolean }>('SELECT rolsuper FROM pg_roles WHERE rolname = current_user');
    if (!rows[0]?.rolsuper) return { url: adminUrl, adminUrl };
    // Several workers may do this at once, so the role may exist already.
    const made = (words: string) =>
      client.query(`DO $$ BEGIN CREATE ROLE ${words}; EXCEPTION WHEN duplicate_object OR unique_violation THEN END $$`);
    await made('parley_every_organization NOLOGIN');
    await made(`${role} LOGIN PASSWORD '${role}'`);
    // Work across organizations has a separate role, as in an installation.
    await made(`${role}_system LOGIN PASSWORD '${role}' IN ROLE ${role}, parley_every_organization`);
  } finally {
    await client.end();
  }
  const url = new URL(adminUrl);
  url.username = role;
  url.password = role;
  return { url: url.href, adminUrl };
}
