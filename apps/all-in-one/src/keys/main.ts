import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { services } from '../platform';
import {
  changePassword,
  keepNkey,
  keepSecret,
  newCallKeyLines,
  newInstallationKeys,
  newNkeyOf,
  readersOf,
  writeSecrets,
} from './installation-keys';

const usage = `npm run keys: the secrets of an installation

  npm run --silent keys >> .env                          new ones: secret ones as files in secrets/, public ones as lines for .env
  npm run --silent keys -- --set NAME < file             keeps a provider's key, read from standard input, for each service that reads it;
                                                         former ones of PARLEY_SECRET_KEY stay, in PARLEY_SECRET_KEYS_OLD
  npm run --silent keys -- --nkey conversation           a new nkey for that process at NATS: keeps the seed, prints the line for .env;
                                                         the user setup is that of the process migrate
  npm run --silent keys -- --call-key gateway            a new key with which that process signs its calls: prints what to add to
                                                         PARLEY_CALLERS of every service, and the PARLEY_CALL_KEY to give it then
  npm run --silent keys -- --password conversation       a new password for that process at Postgres: keeps it wherever it is, prints the
                                                         statements for psql, which contain it
  npm run --silent keys -- --kubernetes --database db.example.com:5432/parley > secrets.json
                                                         new ones as Secrets, for kubectl create
  npm run --silent keys -- --kubernetes --set NAME < file
                                                         the Secrets of the services that read it with that key alone, for
                                                         kubectl apply --server-side --field-manager=NAME
  npm run --silent keys -- --kubernetes --nkey conversation
                                                         the same for a new nkey: of the process, and of NATS

  --folder secrets                   where the files are, a folder for each process, a file for each variable
  --database postgres:5432/parley    where the services find Postgres, and the database; what comes after the password in its URL
  --migration-database …             where the migration finds it, if --database is a pooler
`;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      folder: { type: 'string', default: 'secrets' },
      set: { type: 'string' },
      nkey: { type: 'string' },
      'call-key': { type: 'string' },
      password: { type: 'string' },
      kubernetes: { type: 'boolean', default: false },
      database: { type: 'string' },
      'migration-database': { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return print(usage);
  if (values.nkey) return printNkey(values.nkey, values);
  if (values['call-key']) return print(`${newCallKeyLines(values['call-key']).join('\n')}\n`);
  if (values.password) {
    if (values.kubernetes) throw new Error('--password changes files: on Kubernetes see docs/deployment.md');
    return print(`${changePassword(values.folder, values.password).join('\n')}\n`);
  }
  if (values.set) {
    const secret = { name: values.set, value: (await text(process.stdin)).trim() };
    if (values.kubernetes) return printSecrets(readersOf(secret, services).map((reader) => secretWith(reader, secret)));
    return print(`${secret.name} is kept for ${keepSecret(values.folder, secret, services).join(', ')}\n`);
  }
  const keys = newInstallationKeys(values.database, values['migration-database']);
  if (values.kubernetes)
    return printSecrets(Object.entries(keys.secrets).map(([name, stringData]) => secretObject(name, { stringData })));
  writeSecrets(values.folder, keys);
  print(
    Object.entries(keys.publicKeys)
      .map(([name, value]) => `${name}=${value}\n`)
      .join(''),
  );
}

function printNkey(name: string, { folder, kubernetes }: { folder: string; kubernetes: boolean }): void {
  const { variable, publicKey, seed } = newNkeyOf(name);
  if (kubernetes)
    return printSecrets([
      secretWith(name, { name: 'NATS_NKEY', value: seed }),
      secretWith('nats', { name: variable, value: publicKey }),
    ]);
  keepNkey(folder, name, seed);
  print(`${variable}=${publicKey}\n`);
}

/** With a server-side apply each key of `data` has its own owner, whereas `stringData` is gone once stored. */
function secretWith(process: string, { name, value }: { name: string; value: string }) {
  return secretObject(process, { data: { [name]: Buffer.from(value).toString('base64') } });
}

function secretObject(process: string, content: Readonly<Record<string, unknown>>) {
  const metadata = { name: `parley-${process}`, namespace: 'parley' };
  return { apiVersion: 'v1', kind: 'Secret', metadata, type: 'Opaque', ...content };
}

/** JSON is YAML, so kubectl accepts it. */
function printSecrets(items: readonly ReturnType<typeof secretObject>[]): void {
  print(`${JSON.stringify({ apiVersion: 'v1', kind: 'List', items }, null, 2)}\n`);
}

function print(words: string): void {
  process.stdout.write(words);
}

main().catch((error: unknown) => {
  process.stderr.write(`keys: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
