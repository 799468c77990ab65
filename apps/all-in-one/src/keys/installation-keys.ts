import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { ServiceName } from '@parley/contracts';
import { adminDatabaseRole, serviceRole } from '@parley/database';
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
    DATABASE_PASSWORD_ADMIN: admin,
    ...Object.fromEntries(schemas.map(({ schema, password }) => [`DATABASE_PASSWORD_${upper(schema)}`, password])),
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
  for (const process of all) write(folder, { process, ...secret });
  return all;
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
