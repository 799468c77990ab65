import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { services } from '../platform';
import { keepSecret, newInstallationKeys, writeSecrets } from './installation-keys';

const usage = `npm run keys: the secrets of an installation

  npm run --silent keys >> .env                          new ones: secret ones as files in secrets/, public ones as lines for .env
  npm run --silent keys -- --set NAME < file             keeps a provider's key, read from standard input, for each service that reads it
  npm run --silent keys -- --kubernetes > secrets.json   new ones as Secrets, for kubectl apply

  --folder secrets   where the files are, a folder for each process, a file for each variable
`;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      folder: { type: 'string', default: 'secrets' },
      set: { type: 'string' },
      kubernetes: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return print(usage);
  if (values.set) {
    const readers = keepSecret(values.folder, { name: values.set, value: (await text(process.stdin)).trim() }, services);
    return print(`${values.set} is kept for ${readers.join(', ')}\n`);
  }
  const keys = newInstallationKeys();
  if (values.kubernetes) {
    const items = Object.entries(keys.secrets).map(secretObject);
    return print(`${JSON.stringify({ apiVersion: 'v1', kind: 'List', items }, null, 2)}\n`);
  }
  writeSecrets(values.folder, keys);
  print(
    Object.entries(keys.publicKeys)
      .map(([name, value]) => `${name}=${value}\n`)
      .join(''),
  );
}

/** JSON is YAML, so kubectl accepts it. */
function secretObject([process, stringData]: [string, Readonly<Record<string, string>>]) {
  const metadata = { name: `parley-${process}`, namespace: 'parley' };
  return { apiVersion: 'v1', kind: 'Secret', metadata, type: 'Opaque', stringData };
}

function print(words: string): void {
  process.stdout.write(words);
}

main().catch((error: unknown) => {
  process.stderr.write(`keys: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
