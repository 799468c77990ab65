import { describeConfiguration } from '@parley/service-kit';
import { newInstallationKeys } from '../apps/all-in-one/src/keys/installation-keys';
import { services } from '../apps/all-in-one/src/services';
import { ComposeFile } from './checks/compose-file';
import { identityOf } from './checks/manifest';
import { renderKustomization } from './checks/render-kustomization';
import { type Mapping, readYaml } from './checks/yaml-documents';

describe('the manifests', () => {
  const rows = describeConfiguration(services);
  const compose = ComposeFile.parse(readYaml('docker-compose.yml')[0]);
  const readBy = (name: string) => rows.filter(({ service }) => service === 'every service' || service === name);

  it.each(services.map(({ name }) => name))('docker-compose.yml gives %s what it needs and nothing it does not read', (name) => {
    const given = Object.keys(compose.services[name]?.environment ?? {});
    const read = readBy(name);
    expect(given.filter((variable) => !read.some((row) => row.variable === variable))).toEqual([]);
    const keepsNothing = services.every((service) => service.name !== name || !service.database);
    const needed = read.filter(({ isRequired, variable }) => isRequired && !(keepsNothing && variable === 'DATABASE_URL'));
    expect(needed.filter(({ variable }) => !given.includes(variable))).toEqual([]);
  });

  it('docker-compose.yml gives the migration its database and its broker alone', () => {
    expect(Object.keys(compose.services['migrate']?.environment ?? {})).toEqual(['DATABASE_URL', 'NATS_URL', 'NATS_NKEY']);
  });

  it.each(services.map(({ name }) => name))('the Secret of %s holds what it reads, and the ConfigMap no secret', (name) => {
    const secret = readYaml('k8s/secret.example.yaml').find((object) => identityOf(object) === `Secret/parley-${name}`);
    const given = Object.keys(secret?.['stringData'] ?? {});
    expect(given.filter((variable) => !readBy(name).some((row) => row.variable === variable))).toEqual([]);
    expect(given).toEqual(expect.arrayContaining(Object.keys(newInstallationKeys().secrets[`parley-${name}`] ?? {})));
    const isSecret = (variable: string) => rows.some((row) => row.variable === variable && row.isSecret);
    expect(settingsOf(renderKustomization('k8s/base')).filter(isSecret)).toEqual(['NATS_URL']);
  });

  it.each([
    ['the settings of k8s/base', settingsOf(renderKustomization('k8s/base'))],
    ['the settings of the production overlay', settingsOf(renderKustomization('k8s/overlays/production'))],
  ])('%s are read by some service', (_where, given) => {
    expect(given).not.toEqual([]);
    expect(given.filter((variable) => !rows.some((row) => row.variable === variable))).toEqual([]);
  });
});

/** The variables that the ConfigMap of our services sets. */
function settingsOf(objects: readonly Mapping[]): string[] {
  return Object.keys(objects.find((object) => identityOf(object) === 'ConfigMap/parley')?.['data'] ?? {});
}
