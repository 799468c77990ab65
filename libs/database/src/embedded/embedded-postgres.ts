import { execFile } from 'node:child_process';
import { createHmac, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chown, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { Client, escapeIdentifier, escapeLiteral } from 'pg';
import { z } from 'zod';
import { adminDatabaseRole, adminStatements, ownerStatements, roleStatements, serviceRole } from '../tenancy/roles';
import { dataHome, postgresAccount, type PostgresAccount, postgresBinaries, type PostgresBinaries } from './postgres-binaries';
import { claimData, keepRunning, startServer, stopOrphan } from './server-process';

/** How Postgres is tuned: `durable` for real data on a laptop, `throwaway` for tests. */
type Durability = 'durable' | 'throwaway';

const small = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '200',
  shared_buffers: '32MB',
  work_mem: '4MB',
  maintenance_work_mem: '32MB',
  max_wal_size: '256MB',
  min_wal_size: '32MB',
  wal_level: 'minimal',
  max_wal_senders: '0',
  // On two cores and one disk, I/O workers, parallel plans and compiled plans cost more than they save.
  io_method: 'sync',
  max_parallel_workers_per_gather: '0',
  max_logical_replication_workers: '0',
  jit: 'off',
  autovacuum_max_workers: '2',
  timezone: 'UTC',
  log_timezone: 'UTC',
  // Logs nothing at error level or below, so that no statement and no customer value reaches the log.
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
};

// Commits still reach the operating system, so data is lost only if the machine crashes, not if the server does.
const throwaway = { fsync: 'off', full_page_writes: 'off', autovacuum: 'off', shared_buffers: '64MB' };

const run = promisify(execFile);

const initTimeoutMs = 60_000;

const Passwords = z.object({ postgres: z.string(), parley: z.string() });

/** The passwords of a cluster's two roles, stored beside it, readable by its owner only. */
type Passwords = z.output<typeof Passwords>;

interface Making {
  binaries: PostgresBinaries;
  passwords: Passwords;
  durability: Durability;
  account?: PostgresAccount;
}

interface EmbeddedPostgresOptions {
  /** The data directory of the installation; the database is in a subfolder. */
  readonly home: string;
  readonly durability?: Durability;
  /** Server settings that differ from the defaults for a laptop. */
  readonly settings?: Readonly<Record<string, string>>;
  /** The schemas whose services connect with roles of their own. */
  readonly schemas?: readonly string[];
  /** Called with one line if the data must be outside `home`, or when the server was restarted. */
  readonly onNotice?: (line: string) => void;
}

/** The connection URLs of an installation's programs. */
export interface PostgresAddresses {
  /** The URL of `parley`, which owns the database of that name and is subject to row-level security. For migrations and tests. */
  readonly url: string;
  /** The URL of the role of one schema's service. */
  urlOf(schema: string): string;
  /** The URL of the role of the operator's command. */
  readonly operatorUrl: string;
}

/**
 * Our own Postgres on this machine: a real server on the loopback interface, restarted when it dies, and stopped with its owner,
 * however that ends.
 */
export interface EmbeddedPostgres extends PostgresAddresses {
  /** Connects as superuser, to create databases in tests; services never see it. */
  readonly adminUrl: string;
  readonly port: number;
  readonly folder: string;
  stop(): Promise<void>;
}

/** Starts Postgres on a free port, with the data of the previous start if there is any. */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const { durability = 'durable', settings = {} } = options;
  const home = path.resolve(options.home);
  const account = postgresAccount(path.join(home, 'postgres', 'data'));
  const { folder, moved } = dataHome(home, account);
  if (moved) options.onNotice?.(`Postgres runs as ${account?.name} and cannot reach ${home}: its data lives in ${folder}`);
  const dataDirectory = path.join(folder, 'data');
  const binaries = await postgresBinaries(account, folder);
  await stopOrphan(dataDirectory);
  const passwords = await prepareCluster(folder, { binaries, durability, account });
  await claimData(dataDirectory);
  const start = (port: number) =>
    startServer(binaries.postgres, serverArguments(dataDirectory, durability, { ...settings, port: String(port) }), account);
  const server = await keepRunning(start, () => options.onNotice?.('Postgres ended unexpectedly and is started again'));
  const adminUrl = `postgres://postgres:${passwords.postgres}@127.0.0.1:${server.port}/postgres`;
  await prepareRoles(adminUrl, passwords, options.schemas ?? []).catch(async (error: unknown) => {
    await server.stop();
    throw error;
  });
  return { ...addressesIn(adminUrl, passwords), adminUrl, port: server.port, folder, stop: server.stop };
}

/**
 * Creates the roles and the database in a Postgres that others run, with its administrator's URL. `home` stores their passwords.
 */
export async function prepareGivenPostgres(
  adminUrl: string,
  { home, schemas }: { readonly home: string; readonly schemas: readonly string[] },
): Promise<PostgresAddresses> {
  const passwords = await keptPasswords(path.join(home, 'given-postgres.json'));
  await prepareRoles(adminUrl, passwords, schemas);
  return addressesIn(adminUrl, passwords);
}

function addressesIn(adminUrl: string, passwords: Passwords): PostgresAddresses {
  const as = (role: string, password: string): string => {
    const { href } = Object.assign(new URL(adminUrl), { username: role, password, pathname: '/parley' });
    return href;
  };
  return {
    url: as('parley', passwords.parley),
    urlOf: (schema) => as(serviceRole(schema), passwordOf(serviceRole(schema), passwords)),
    operatorUrl: as(adminDatabaseRole, passwordOf(adminDatabaseRole, passwords)),
  };
}

/** The URL of a running installation's Postgres, for tools on the same machine; undefined if none runs. */
export async function runningPostgresUrl(home: string): Promise<string | undefined> {
  const resolved = path.resolve(home);
  const { folder } = dataHome(resolved, postgresAccount(path.join(resolved, 'postgres', 'data')));
  const lock = await readFile(path.join(folder, 'data', 'postmaster.pid'), 'utf8').catch(() => '');
  const port = Number(lock.split('\n')[3]);
  if (!port) return undefined;
  const { parley } = await keptPasswords(path.join(folder, 'passwords.json'));
  return `postgres://parley:${parley}@127.0.0.1:${port}/parley`;
}

/**
 * Superusers bypass row-level security, so an ordinary role owns the database, and each service has a pair of roles that can only
 * use its schema. `parley_system` is the owner's counterpart to a service's second role, for tests.
 */
async function prepareRoles(adminUrl: string, passwords: Passwords, schemas: readonly string[]): Promise<void> {
  const client = new Client({ connectionString: adminUrl });
  await client.connect();
  try {
    const own = [
      ...ownerStatements(escapeLiteral(passwords.parley)),
      ...roleStatements(schemas, (role) => escapeLiteral(passwordOf(role, passwords))),
      ...adminStatements(escapeLiteral(passwordOf(adminDatabaseRole, passwords))),
    ];
    for (const statement of own) await client.query(statement);
    const { rowCount: databases } = await client.query(`SELECT 1 FROM pg_database WHERE datname = 'parley'`);
    if (!databases) await client.query(`CREATE DATABASE ${escapeIdentifier('parley')} OWNER parley`);
  } finally {
    await client.end();
  }
}

/** Derived so that one role's password reveals no other. */
function passwordOf(role: string, { parley }: Passwords): string {
  return createHmac('sha256', parley).update(role).digest('hex');
}

/** Creates the data directory on the first start; after that only checks that this Postgres can read it. */
async function prepareCluster(folder: string, making: Omit<Making, 'passwords'>): Promise<Passwords> {
  const dataDirectory = path.join(folder, 'data');
  const passwords = await keptPasswords(path.join(folder, 'passwords.json'));
  const versionFile = path.join(dataDirectory, 'PG_VERSION');
  if (!existsSync(versionFile)) await initialise(folder, dataDirectory, { ...making, passwords });
  const version = (await readFile(versionFile, 'utf8')).trim();
  const { majorVersion } = making.binaries;
  if (version === majorVersion) return passwords;
  throw new Error(
    `${dataDirectory} was made by Postgres ${version}, this build brings ${majorVersion}: move the data by dump and restore`,
  );
}

async function keptPasswords(file: string): Promise<Passwords> {
  if (existsSync(file)) return Passwords.parse(JSON.parse(await readFile(file, 'utf8')));
  const passwords = { postgres: randomBytes(24).toString('hex'), parley: randomBytes(24).toString('hex') };
  await writeFile(file, JSON.stringify(passwords), { mode: 0o600 });
  return passwords;
}

/** Builds the cluster in a temporary folder and renames it at the end, so that an interrupted start leaves nothing incomplete. */
async function initialise(
  folder: string,
  dataDirectory: string,
  { binaries, passwords, durability, account }: Making,
): Promise<void> {
  const unfinished = `${dataDirectory}.unfinished`;
  const passwordFile = path.join(folder, 'password.once');
  await rm(unfinished, { recursive: true, force: true });
  await writeFile(passwordFile, passwords.postgres, { mode: 0o600 });
  if (account) await chown(passwordFile, account.uid, account.gid);
  const args = ['--pgdata', unfinished, '--username', 'postgres', '--pwfile', passwordFile, '--auth', 'scram-sha-256'];
  // The locale built into Postgres: the same sort order on every machine.
  const text = ['--encoding', 'UTF8', '--no-locale', '--locale-provider', 'builtin', '--builtin-locale', 'C.UTF-8'];
  const syncing = durability === 'throwaway' ? ['--no-sync'] : [];
  const options = {
    cwd: '/',
    env: { LC_ALL: 'C', PATH: '/usr/bin:/bin' },
    timeout: initTimeoutMs,
    uid: account?.uid,
    gid: account?.gid,
  };
  try {
    await run(binaries.initdb, [...args, ...text, ...syncing, '--no-instructions'], options);
    await rename(unfinished, dataDirectory);
  } finally {
    await rm(passwordFile, { force: true });
  }
}

/** The arguments for a server that uses little memory and is reachable only from this machine. */
function serverArguments(dataDirectory: string, durability: Durability, own: Readonly<Record<string, string>>): string[] {
  const settings = { ...small, ...(durability === 'throwaway' ? throwaway : {}), ...own };
  return ['-D', dataDirectory, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
}
