import { randomBytes } from 'node:crypto';
import type { ServiceName } from '@parley/contracts';
import { adminRole, serviceRole } from '@parley/database';
import { brokerUsers, callersWithKeys, newCallKey, newNkey, nkeyVariable } from '@parley/messaging';
import { services } from '../platform';

/** The variables of an installation that nobody can invent. */
export interface InstallationKeys {
  /** What anybody may read, by the variables of docker-compose.yml. */
  readonly publicKeys: Readonly<Record<string, string>>;
  /** What each process reads, by its name. */
  readonly secrets: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

const upper = (name: string): string => name.replaceAll('-', '_').toUpperCase();
const word = (): string => randomBytes(32).toString('hex');

/** Makes every secret of an installation anew. Each process is given its own alone; what servers are given are public halves. */
export function newInstallationKeys(): InstallationKeys {
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
        DATABASE_URL: databaseUrl(adminRole, admin),
        NATS_NKEY: nkeys.get('admin')?.seed ?? '',
        PARLEY_CALLERS: callers,
        PARLEY_CALL_KEY: callKeys.get('admin')?.seed ?? '',
      },
      migrate: { DATABASE_URL: databaseUrl('parley', owner), NATS_NKEY: nkeys.get('setup')?.seed ?? '' },
      postgres: stores,
      nats: Object.fromEntries(publicNkeys),
    },
  };
}

function databaseUrl(role: string, password: string): string {
  return `postgres://${role}:${password}@postgres:5432/parley`;
}
