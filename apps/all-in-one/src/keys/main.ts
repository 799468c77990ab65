import { newInstallationKeys } from './installation-keys';

const { compose, secrets } = newInstallationKeys();

/** JSON is YAML, so kubectl takes it as it is. */
function secretObject([name, stringData]: [string, Readonly<Record<string, string>>]) {
  return { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace: 'parley' }, type: 'Opaque', stringData };
}

const isKubernetes = process.argv.includes('--kubernetes');
const list = { apiVersion: 'v1', kind: 'List', items: Object.entries(secrets).map(secretObject) };
const lines = Object.entries(compose).map(([name, value]) => `${name}=${value}`);
process.stdout.write(isKubernetes ? `${JSON.stringify(list, null, 2)}\n` : `${lines.join('\n')}\n`);
