import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describeConfiguration } from '@parley/service-kit';
import { newInstallationKeys } from '../apps/all-in-one/src/keys/installation-keys';
import { services } from '../apps/all-in-one/src/platform';
import { keptComplete, withMissingSecrets } from './checks/completed';
import { ComposeFile } from './checks/compose-file';
import { identityOf } from './checks/manifest';
import { renderKustomization } from './checks/render-kustomization';
import { Mapping, parseYaml, readYaml, repository } from './checks/yaml-documents';

describe('the manifests', () => {
  const rows = describeConfiguration(services);
  const compose = ComposeFile.parse(readYaml('docker-compose.yml')[0]);
  const readBy = (name: string) => rows.filter(({ service }) => service === 'every service' || service === name);

  it.each(services.map(({ name }) => name))('docker-compose.yml gives %s what it needs and nothing it does not read', (name) => {
    const mounted = Object.keys(newInstallationKeys().secrets[name] ?? {});
    const given = [...Object.keys(compose.services[name]?.environment ?? {}), ...mounted];
    const read = readBy(name);
    expect(given.filter((variable) => !read.some((row) => row.variable === variable))).toEqual([]);
    const keepsNothing = services.every((service) => service.name !== name || !service.database);
    const needed = read.filter(({ isRequired, variable }) => isRequired && !(keepsNothing && variable === 'DATABASE_URL'));
    expect(needed.filter(({ variable }) => !given.includes(variable))).toEqual([]);
  });

  // Compose has stores of its own, and mounts no other folders and files than it names.
  const notInEnv = new Set([
    ...['NATS_USER', 'NATS_NKEY_FILE', 'NATS_CA_FILE', 'NATS_CERT_FILE', 'NATS_KEY_FILE', 'EVENT_REPLICAS'],
    ...['LLAMA_MODEL_PATH', 'PARLEY_MODELS', 'POCKETSPHINX_DIR', 'VECTORS_DIR', 'DEMO_WIDGET_FILE', 'DEMO_PHONE_URL'],
  ]);

  it.each(services.map(({ name }) => name))('docker-compose.yml passes every setting of .env on to %s, but no secret', (name) => {
    const given = compose.services[name]?.environment ?? {};
    const missing = readBy(name).filter(({ variable, isSecret }) => !isSecret && !(variable in given) && !notInEnv.has(variable));
    expect(missing.map(({ variable }) => variable)).toEqual([]);
    const own = Object.entries(given).filter(([, value]) => value.startsWith('${'));
    expect(own.filter(([variable, value]) => !value.startsWith(`\${${variable}:`))).toEqual([]);
  });

  it('docs/deployment.md names the settings that .env does not pass on', () => {
    const page = readFileSync(path.join(repository, 'docs/deployment.md'), 'utf8');
    expect([...notInEnv].filter((variable) => !page.includes(`\`${variable}\``))).toEqual([]);
  });

  it('docker-compose.yml gives the migration only its database, its broker and the size of its streams', () => {
    expect(Object.keys(compose.services['migrate']?.environment ?? {})).toEqual(['NATS_URL', 'SECRETS_DIR', 'EVENT_MEGABYTES']);
    expect(Object.keys(newInstallationKeys().secrets['migrate'] ?? {})).toEqual(['DATABASE_URL', 'NATS_NKEY']);
  });

  const { secrets } = newInstallationKeys();
  const isUpdated = Boolean(process.env['UPDATE_DOCS']);
  const example = parseYaml(keptComplete('k8s/secret.example.yaml', isUpdated, (text) => withMissingSecrets(text, secrets)));
  const exampleOf = (name: string): string[] => {
    const secret = example.find((object) => identityOf(object) === `Secret/parley-${name}`);
    return Object.keys(secret?.['stringData'] ?? {});
  };

  it.each(Object.keys(secrets))(
    'k8s/secret.example.yaml gives %s what npm run keys makes for it (add it with UPDATE_DOCS=1 jest deploy/variables)',
    (name) => {
      expect(exampleOf(name)).toEqual(expect.arrayContaining(Object.keys(secrets[name] ?? {})));
    },
  );

  it.each(services.map(({ name }) => name))('the Secret of %s holds nothing that it does not read', (name) => {
    expect(exampleOf(name).filter((variable) => !readBy(name).some((row) => row.variable === variable))).toEqual([]);
  });

  it.each([...services.map(({ name }) => name), 'migrate'])('the settings of %s are not secret, and are read by it', (name) => {
    for (const folder of ['k8s/base', 'k8s/overlays/trial', 'k8s/overlays/production']) {
      const given = Object.keys(settingsOf(renderKustomization(folder), `parley-${name}`));
      const read = name === 'migrate' ? readBy('every service') : readBy(name);
      expect(given.filter((variable) => !read.some((row) => row.variable === variable))).toEqual([]);
      const isSecret = (variable: string) => read.some((row) => row.variable === variable && row.isSecret);
      expect(given.filter(isSecret).filter((variable) => variable !== 'NATS_URL')).toEqual([]);
    }
  });

  it('the common settings are read by every service', () => {
    const given = Object.keys(settingsOf(renderKustomization('k8s/overlays/production'), 'parley'));
    const read = readBy('every service').map(({ variable }) => variable);
    expect(given.filter((variable) => !read.includes(variable))).toEqual([]);
    expect(given).toContain('NATS_URL');
  });

  it('what the migration shares with the services is the same for both', () => {
    for (const folder of ['k8s/base', 'k8s/overlays/trial', 'k8s/overlays/production']) {
      const objects = renderKustomization(folder);
      const [all, migration] = [settingsOf(objects, 'parley'), settingsOf(objects, 'parley-migrate')];
      const both = Object.keys(migration).filter((variable) => variable in all);
      expect(both.map((variable) => migration[variable])).toEqual(both.map((variable) => all[variable]));
    }
  });
});

/** What a ConfigMap sets. */
function settingsOf(objects: readonly Mapping[], name: string): Mapping {
  return Mapping.parse(objects.find((object) => identityOf(object) === `ConfigMap/${name}`)?.['data'] ?? {});
}
