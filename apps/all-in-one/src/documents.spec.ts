import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describeConfiguration, renderConfiguration } from '@parley/service-kit';
import { ComposeFile } from '../../../deploy/checks/compose-file';
import { identityOf } from '../../../deploy/checks/manifest';
import { renderKustomization } from '../../../deploy/checks/render-kustomization';
import { type Mapping, readYaml } from '../../../deploy/checks/yaml-documents';
import { services } from './services';

const root = path.resolve(__dirname, '../../..');
const page = (name: string): string => path.join(root, 'docs', name);

const intro = `# Configuration

Everything is set by environment variables. A wrong value stops the start with one line that names the variable, what is wrong
with it and what is expected; the exit code is 78. \`npm start\` and \`npm run cluster\` set what they need by themselves.

This page is made from the schemas in each service's \`config.ts\`; a test keeps the two equal.

`;

describe('the documents', () => {
  it('docs/configuration.md says what the services read (renew it with UPDATE_DOCS=1 jest documents)', () => {
    const expected = intro + renderConfiguration(describeConfiguration(services));
    if (process.env['UPDATE_DOCS']) writeFileSync(page('configuration.md'), expected);
    expect(readFileSync(page('configuration.md'), 'utf8')).toBe(expected);
  });

  it('docs/architecture.md names every app and every lib, and none that is gone', () => {
    const named = [...readFileSync(page('architecture.md'), 'utf8').matchAll(/^\| `((?:apps|libs)\/[\w-]+)` \|/gm)].map(([, name]) => name);
    const present = ['apps', 'libs'].flatMap((room) =>
      readdirSync(path.join(root, room), { withFileTypes: true })
        .filter((entry) => entry.isDirectory() && existsSync(path.join(root, room, entry.name, 'project.json')))
        .map((entry) => `${room}/${entry.name}`),
    );
    expect(named.toSorted()).toEqual(present.toSorted());
  });

  it.each(['README.md', 'CONTRIBUTING.md', ...readdirSync(path.join(root, 'docs')).filter((name) => name.endsWith('.md')).map((name) => `docs/${name}`)])(
    '%s links to files that exist',
    (name) => {
      const links = [...readFileSync(path.join(root, name), 'utf8').matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)/g)].map(([, link]) => link ?? '');
      const missing = links.filter((link) => !existsSync(path.resolve(root, path.dirname(name), link)));
      expect(missing).toEqual([]);
    },
  );
});

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
