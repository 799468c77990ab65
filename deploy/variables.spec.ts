import { describeConfiguration } from '@parley/service-kit';
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
    expect(read.filter(({ isRequired, variable }) => isRequired && !given.includes(variable))).toEqual([]);
  });

  it('docker-compose.yml gives the migration its database alone', () => {
    expect(Object.keys(compose.services['migrate']?.environment ?? {})).toEqual(['DATABASE_URL']);
  });

  it.each([
    ['the settings of k8s/base', settingsOf(renderKustomization('k8s/base'), 'ConfigMap')],
    ['the settings of the production overlay', settingsOf(renderKustomization('k8s/overlays/production'), 'ConfigMap')],
    ['k8s/secret.example.yaml', settingsOf(readYaml('k8s/secret.example.yaml'), 'Secret')],
  ])('%s are read by some service', (_where, given) => {
    expect(given).not.toEqual([]);
    expect(given.filter((variable) => !rows.some((row) => row.variable === variable))).toEqual([]);
  });
});

/** The variables that a ConfigMap or Secret of our services sets. */
function settingsOf(objects: readonly Mapping[], kind: 'ConfigMap' | 'Secret'): string[] {
  const settings = objects.find((object) => identityOf(object) === `${kind}/parley`);
  return Object.keys(settings?.[kind === 'Secret' ? 'stringData' : 'data'] ?? {});
}
