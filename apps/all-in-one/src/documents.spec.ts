import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { permissionAreas, permissionNames, permissionsIn, roles } from '@parley/contracts';
import { describeConfiguration, renderConfiguration } from '@parley/service-kit';
import { services } from './platform';
import { readmeStatus } from './testing/readme-status';

const root = path.resolve(__dirname, '../../..');
const page = (name: string): string => path.join(root, 'docs', name);

const intro = `# Configuration

All settings are environment variables. An invalid value stops the start with one line that names the variable, the error and
the expected value; the exit code is 78. A duration is a whole number with its unit: ms, s, m or h. \`npm start\` and
\`npm run cluster\` set what they need themselves.

This page is generated from the schemas in each service's \`config.ts\`; a test keeps the two equal.

`;

describe('the documents', () => {
  it('docs/configuration.md lists what the services read (update with UPDATE_DOCS=1 jest documents)', () => {
    const expected = intro + renderConfiguration(describeConfiguration(services));
    if (process.env['UPDATE_DOCS']) writeFileSync(page('configuration.md'), expected);
    expect(readFileSync(page('configuration.md'), 'utf8')).toBe(expected);
  });

  it('README.md lists the engines, carriers and endpoints of this build (update with UPDATE_DOCS=1 jest documents)', () => {
    const file = path.join(root, 'README.md');
    const made = /(?<=<!-- generated from the catalogues -->\n)[^]*(?=<!-- end of the generated part -->)/;
    const present = readFileSync(file, 'utf8');
    const expected = present.replace(made, () => `\n${readmeStatus()}\n\n`);
    if (process.env['UPDATE_DOCS']) writeFileSync(file, expected);
    expect(present).toMatch(made);
    expect(readFileSync(file, 'utf8')).toBe(expected);
  });

  it('docs/agents.md says what each role may do', () => {
    const letterOf = (name: string): string => name.replace('Can', '').charAt(0);
    const rows = permissionAreas.map((area) => {
      const rights = Object.keys(roles).map((role) => {
        const held = permissionsIn(area, { roleTypeId: Number(role), permissions: undefined });
        return (
          permissionNames
            .filter((name) => held.includes(name))
            .map(letterOf)
            .join('') || '–'
        );
      });
      return `| \`${area}\` | ${rights.join(' | ')} |`;
    });
    const table = [`| Area | ${Object.values(roles).join(' | ')} |`, '|---|---|---|---|---|', ...rows].join('\n');
    expect(readFileSync(page('agents.md'), 'utf8')).toContain(table);
  });

  it('docs/architecture.md names every app and lib, and no others', () => {
    const named = [...readFileSync(page('architecture.md'), 'utf8').matchAll(/^\| `((?:apps|libs)\/[\w-]+)` \|/gm)].map(
      ([, name]) => name,
    );
    const present = ['apps', 'libs'].flatMap((room) =>
      readdirSync(path.join(root, room), { withFileTypes: true })
        .filter((entry) => entry.isDirectory() && existsSync(path.join(root, room, entry.name, 'project.json')))
        .map((entry) => `${room}/${entry.name}`),
    );
    expect(named.toSorted()).toEqual(present.toSorted());
  });

  it.each([
    'README.md',
    'CONTRIBUTING.md',
    ...readdirSync(path.join(root, 'docs'))
      .filter((name) => name.endsWith('.md'))
      .map((name) => `docs/${name}`),
  ])('%s links to files that exist', (name) => {
    const links = [...readFileSync(path.join(root, name), 'utf8').matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)/g)].map(
      ([, link]) => link ?? '',
    );
    const missing = links.filter((link) => !existsSync(path.resolve(root, path.dirname(name), link)));
    expect(missing).toEqual([]);
  });
});
