import path from 'node:path';
import { Client, escapeIdentifier, escapeLiteral } from 'pg';
import { prepareCluster, type Passwords } from './cluster-files';
import { dataHome } from './data-home';
import { claimData, stopOrphan } from './orphan';
import { postgresAccount } from './postgres-account';
import { postgresBinaries } from './postgres-binaries';
import { serverArguments, type Durability } from './settings';
import { startServer } from './server-process';
import { keepRunning } from './supervision';

export interface EmbeddedPostgresOptions {
  /** The data directory of the installation; the database takes a folder in it. */
  readonly home: string;
  readonly durability?: Durability;
  /** Told in one line when the data has to live outside `home`, or the server had to be started again. */
  readonly onNotice?: (line: string) => void;
}

/**
 * A Postgres of our own on this machine: real server, loopback only, started again when it dies, stopped with its owner
 * however that ends.
 */
export interface EmbeddedPostgres {
  /** Connects as `parley`, which owns the database `parley` and is bound by row-level security. */
  readonly url: string;
  /** Connects as superuser. For making databases in tests; services never see it. */
  readonly adminUrl: string;
  readonly port: number;
  readonly folder: string;
  stop(): Promise<void>;
}

/** Starts Postgres on a free port, with the data of the last start if there was one. */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const { durability = 'durable' } = options;
  const home = path.resolve(options.home);
  const account = postgresAccount(path.join(home, 'postgres', 'data'));
  const { folder, moved } = dataHome(home, account);
  if (moved) options.onNotice?.(`Postgres runs as ${account?.name} and cannot reach ${home}: its data lives in ${folder}`);
  const dataDirectory = path.join(folder, 'data');
  const binaries = await postgresBinaries(account, folder);
  await stopOrphan(dataDirectory);
  const passwords = await prepareCluster(folder, { binaries, durability, account });
  await claimData(dataDirectory);
  const start = (port: number) => startServer(binaries.postgres, serverArguments(dataDirectory, port, durability), account);
  const server = await keepRunning(start, () => options.onNotice?.('Postgres ended unexpectedly and is started again'));
  const urlFor = (role: 'postgres' | 'parley') => `postgres://${role}:${passwords[role]}@127.0.0.1:${server.port}/${role}`;
  await prepareRole(urlFor('postgres'), passwords).catch(async (error: unknown) => {
    await server.stop();
    throw error;
  });
  return { url: urlFor('parley'), adminUrl: urlFor('postgres'), port: server.port, folder, stop: server.stop };
}

/** Superusers walk past row-level security, so services get an ordinary role that owns its database and nothing else. */
async function prepareRole(adminUrl: string, passwords: Passwords): Promise<void> {
  const client = new Client({ connectionString: adminUrl });
  await client.connect();
  try {
    const { rowCount: roles } = await client.query(`SELECT 1 FROM pg_roles WHERE rolname = 'parley'`);
    if (!roles)
      await client.query(`CREATE ROLE parley LOGIN NOSUPERUSER NOBYPASSRLS PASSWORD ${escapeLiteral(passwords.parley)}`);
    const { rowCount: databases } = await client.query(`SELECT 1 FROM pg_database WHERE datname = 'parley'`);
    if (!databases) await client.query(`CREATE DATABASE ${escapeIdentifier('parley')} OWNER parley`);
  } finally {
    await client.end();
  }
}
