import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chown, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import type { PostgresAccount } from './postgres-account';
import type { PostgresBinaries } from './postgres-binaries';
import type { Durability } from './settings';

const run = promisify(execFile);
const initTimeoutMs = 60_000;

const Passwords = z.object({ postgres: z.string(), parley: z.string() });
/** The passwords of the two roles of a cluster, kept beside it for its owner alone. */
export type Passwords = z.output<typeof Passwords>;

/** Makes the data directory on a first start; afterwards checks only that this Postgres can read it. */
export async function prepareCluster(folder: string, making: Omit<Making, 'passwords'>): Promise<Passwords> {
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

interface Making {
  binaries: PostgresBinaries;
  passwords: Passwords;
  durability: Durability;
  account?: PostgresAccount;
}

/** Into a folder that gets its name at the end, so that a start killed half-way leaves nothing to trip over. */
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
  // The locale that Postgres itself brings: the same order of words on every machine.
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
