import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { ServiceName } from '@parley/contracts';
import { adminDatabaseRole, serviceRole, systemRole } from '@parley/database';
import { brokerUsers, callersWithKeys, newCallKey, newNkey, nkeyVariable } from '@parley/messaging';
import { describeConfiguration, type ServiceDefinition } from '@parley/service-kit';
import { z } from 'zod';
import { services } from '../platform';

/** The generated variables of an installation. */
interface InstallationKeys {
  /** Public values, by their variables in docker-compose.yml. */
  readonly publicKeys: Readonly<Record<string, string>>;
  /** The variables of each process, by process name. */
  readonly secrets: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

const upper = (name: string): string => name.replaceAll('-', '_').toUpperCase();
const passwordVariable = (schema: string): string => `DATABASE_PASSWORD_${upper(schema)}`;
const word = (): string => randomBytes(32).toString('hex');

/** The address of Postgres in docker-compose.yml and in k8s/overlays/trial, with the name of its database. */
const shippedDatabase = 'postgres:5432/parley';

/**
 * Generates every secret of an installation. Each process gets only its own; servers get public halves. The database is given as
 * the part of its URL after the password: `db.example.com:5432/parley?sslmode=verify-full`. Migrations bypass a pooler, so they
 * may have another address.
 */
export function newInstallationKeys(address = shippedDatabase, migrationAddress = address): InstallationKeys {
  const databaseUrl = databaseUrlAt(address);
  const migrationUrl = databaseUrlAt(migrationAddress);
  const nkeys = new Map(brokerUsers.map((user) => [user, newNkey()]));
  const callKeys = new Map(callersWithKeys.map((caller) => [caller, newCallKey(caller)]));
  const schemas = services.flatMap(({ name, database }) =>
    database ? [{ name, schema: database.schema, password: word() }] : [],
  );
  const [secretKey, owner, superuser, admin] = [word(), word(), word(), word()];
  const callers = [...callKeys.values()].map(({ publicKey }) => publicKey).join(',');
  const publicNkeys = brokerUsers.map((user) => [nkeyVariable(user), nkeys.get(user)?.publicKey ?? ''] as const);
  const stores = {
    POSTGRES_PASSWORD: superuser,
    PARLEY_DATABASE_PASSWORD: owner,
    [passwordVariable('admin')]: admin,
    ...Object.fromEntries(schemas.map(({ schema, password }) => [passwordVariable(schema), password])),
  };
  const secretOf = (name: ServiceName, config: object): Record<string, string> => {
    const kept = schemas.find((each) => each.name === name);
    const callKey = new Map<string, { seed: string }>(callKeys).get(name);
    return {
      NATS_NKEY: nkeys.get(name)?.seed ?? '',
      PARLEY_CALLERS: callers,
      ...(callKey && { PARLEY_CALL_KEY: callKey.seed }),
      ...(kept && { DATABASE_URL: databaseUrl(serviceRole(kept.schema), kept.password) }),
      ...('PARLEY_SECRET_KEY' in config ? { PARLEY_SECRET_KEY: secretKey } : {}),
    };
  };
  return {
    publicKeys: { ...Object.fromEntries(publicNkeys), PARLEY_CALLERS: callers },
    secrets: {
      ...Object.fromEntries(services.map(({ name, config }) => [name, secretOf(name, config.shape)])),
      admin: {
        DATABASE_URL: databaseUrl(adminDatabaseRole, admin),
        NATS_NKEY: nkeys.get('admin')?.seed ?? '',
        PARLEY_CALLERS: callers,
        PARLEY_CALL_KEY: callKeys.get('admin')?.seed ?? '',
      },
      migrate: { DATABASE_URL: migrationUrl('parley', owner), NATS_NKEY: nkeys.get('setup')?.seed ?? '' },
      postgres: stores,
      nats: Object.fromEntries(publicNkeys),
    },
  };
}

function databaseUrlAt(address: string): (role: string, password: string) => string {
  if (!/^[^/@\s]+\/[^/@\s]+$/.test(address) || !URL.canParse(`postgres://${address}`))
    throw new Error(`${JSON.stringify(address)} is no address of a database: expected one such as ${shippedDatabase}`);
  return (role, password) => `postgres://${role}:${password}@${address}`;
}

/**
 * The folder is closed to other users of this machine. In a container, only a process's own part is mounted, which a process of
 * another user can then read.
 */
const modes = { folder: 0o700, process: 0o755, file: 0o444 };

/** Writes the variables of each process into a folder of its own, one file per variable. Refuses to overwrite keys in use. */
export function writeSecrets(folder: string, { publicKeys, secrets }: InstallationKeys): void {
  if (existsSync(folder))
    throw new Error(`${folder} is there already, and keys in use are not overwritten: name another by --folder`);
  makeFolder(folder, modes.folder);
  for (const [process, variables] of Object.entries(secrets))
    for (const [name, value] of Object.entries(variables)) if (!(name in publicKeys)) write(folder, { process, name, value });
}

/** Stores of docker-compose.yml that also need a secret of the services. */
const storesThatRead: Readonly<Record<string, readonly string[]>> = { S3_SECRET_ACCESS_KEY: ['storage'] };

interface NamedSecret {
  readonly name: string;
  readonly value: string;
}
type Readers = readonly Pick<ServiceDefinition, 'name' | 'config'>[];

/** Writes a secret for each service that reads it, and for its store; returns their names. */
export function keepSecret(folder: string, secret: NamedSecret, services: Readers): string[] {
  if (!existsSync(folder)) throw new Error(`there is no ${folder}: make it by npm run keys`);
  const all = [...readersOf(secret, services), ...(storesThatRead[secret.name] ?? [])];
  for (const process of all) {
    const former = secret.name === 'PARLEY_SECRET_KEY' ? stored(folder, process, secret.name) : undefined;
    if (former !== undefined && former !== secret.value) addFormer(folder, process, former);
    if (secret.name === formerKeys) addFormer(folder, process, secret.value);
    else write(folder, { process, ...secret });
  }
  return all;
}

const formerKeys = 'PARLEY_SECRET_KEYS_OLD';

/** The list of former keys only grows here: one that is dropped may be the only copy of what everything is sealed with. */
function addFormer(folder: string, process: string, key: string): void {
  const known = stored(folder, process, formerKeys)?.split(',') ?? [];
  write(folder, { process, name: formerKeys, value: [...new Set([...key.split(','), ...known])].join(',') });
}

function stored(folder: string, process: string, name: string): string | undefined {
  const file = path.join(folder, process, name);
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined;
}

/**
 * The services that read a secret. Refuses a secret that is different for each process, one that no service reads, and a value with
 * which they would not start.
 */
export function readersOf({ name, value }: NamedSecret, services: Readers): string[] {
  const known = describeConfiguration(services).filter(({ isSecret, variable }) => isSecret && variable === name);
  const readers = known.map(({ service }) => service);
  if (readers.includes('every service'))
    throw new Error(`each process has a ${name} of its own: write it into the folder or the Secret of that process`);
  if (readers.length === 0) throw new Error(`no service reads a secret ${name}: docs/configuration.md lists them`);
  if (value === '') throw new Error('the secret is read from standard input, which is empty');
  const shapes: Readonly<Record<string, z.core.$ZodType | undefined>>[] = services.map(({ config }) => config.shape);
  if (!shapes.every(({ [name]: schema }) => !schema || z.core.safeParse(schema, value).success))
    throw new Error(`this is no ${name}, and is not kept: it must be ${known[0]?.expected ?? 'another'}`);
  return readers;
}

/** The file from which an empty Postgres makes the roles of a process. */
function storedPasswordOf(process: string): string {
  if (process === 'migrate') return 'PARLEY_DATABASE_PASSWORD';
  if (process === 'admin') return passwordVariable('admin');
  const schema = services.find(({ name }) => name === process)?.database?.schema;
  if (schema === undefined) throw new Error(`${JSON.stringify(process)} is no process that has a password at Postgres`);
  return passwordVariable(schema);
}

/**
 * Gives a process a new password at Postgres, in its own files and in the one that a restore into an empty Postgres reads. Returns the
 * statements for the Postgres that runs.
 */
export function changePassword(folder: string, process: string): string[] {
  const stored = storedPasswordOf(process);
  const names = ['DATABASE_URL', 'DATABASE_READ_URL'].filter(
    (name) => name === 'DATABASE_URL' || existsSync(path.join(folder, process, name)),
  );
  const urls = names.map((name) => ({ name, url: new URL(readFileSync(path.join(folder, process, name), 'utf8').trim()) }));
  const password = word();
  for (const { name, url } of urls) {
    url.password = password;
    write(folder, { process, name, value: url.href });
  }
  write(folder, { process: 'postgres', name: stored, value: password });
  const isService = process !== 'migrate' && process !== 'admin';
  const roles = urls.slice(0, 1).flatMap(({ url: { username } }) => [username, ...(isService ? [systemRole(username)] : [])]);
  return roles.map((role) => `ALTER ROLE ${role} PASSWORD '${password}';`);
}

interface ProcessNkey {
  readonly variable: string;
  readonly publicKey: string;
  readonly seed: string;
}

/** A new nkey for one process, with the variable by which the server knows its public half. */
export function newNkeyOf(process: string): ProcessNkey {
  const user = brokerUsers.find((each) => each === (process === 'migrate' ? 'setup' : process));
  if (!user) throw new Error(`${JSON.stringify(process)} is no process that has an nkey`);
  return { variable: nkeyVariable(user), ...newNkey() };
}

/** Keeps the seed for its process. */
export function keepNkey(folder: string, process: string, seed: string): void {
  if (!existsSync(path.join(folder, process)))
    throw new Error(`there is no ${path.join(folder, process)}: make it by npm run keys`);
  write(folder, { process, name: 'NATS_NKEY', value: seed });
}

/**
 * A new key with which one process signs its calls, as lines of variables. Nothing is kept: every other service has to know the public
 * half before the process signs with the secret one.
 */
export function newCallKeyLines(process: string): string[] {
  const caller = callersWithKeys.find((each) => each === process);
  if (!caller) throw new Error(`${JSON.stringify(process)} is no process that signs calls: ${callersWithKeys.join(', ')} do`);
  const { publicKey, seed } = newCallKey(caller);
  return [`PARLEY_CALLERS=${publicKey}`, `PARLEY_CALL_KEY=${seed}`];
}

function write(folder: string, { process, name, value }: { process: string; name: string; value: string }): void {
  const file = path.join(folder, process, name);
  makeFolder(path.dirname(file), modes.process);
  // The file is read-only, so it is deleted first.
  rmSync(file, { force: true });
  writeFileSync(file, `${value}\n`);
  chmodSync(file, modes.file);
}

/** Set by chmod, since the umask reduces mkdir's mode. */
function makeFolder(folder: string, mode: number): void {
  mkdirSync(folder, { recursive: true });
  chmodSync(folder, mode);
}
