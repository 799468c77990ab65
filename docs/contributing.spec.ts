import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { serviceNames } from '../libs/contracts/src';

const root = path.resolve(__dirname, '..');
const ofTests = /\.(spec|suite|fake|fixture|e2e)\.ts$|\/(testing|e2e|carrier-peers|carrier-phones|node_modules)\//;
/** Made by a test, so nobody writes it. */
const generated = 'libs/messaging/src/uses/message-uses.ts';

const sources = new Map(
  globSync('{apps,libs}/*/src/**/*.ts', { cwd: root })
    .filter((file) => !ofTests.test(file) && file !== generated)
    .map((file) => [file, readFileSync(path.join(root, file), 'utf8')] as const),
);

/** The list that CONTRIBUTING gives of an example: the files between its name and the next empty line. */
function listOf(example: string): string[] {
  const text = readFileSync(path.join(root, 'CONTRIBUTING.md'), 'utf8');
  const [, entry = ''] = new RegExp(`^- [^\n]*\`${example}\`[^:]*:((?:\n  - [^\n]*)+)`, 'mu').exec(text) ?? [];
  return [...entry.matchAll(/`((?:apps|libs|k8s|deploy)\/[^`]+|[\w-]+\.yml)`/gu)].map(([, file = '']) => file).sort();
}

describe('the files to touch according to CONTRIBUTING', () => {
  it.each([
    { example: 'resetImei', what: 'an endpoint', most: 3 },
    { example: 'exportContacts', what: 'a streamed endpoint', most: 4 },
  ])('are those that name $example, and at most $most for $what', ({ example, most }) => {
    const name = new RegExp(`\\b${example}\\b`, 'u');
    const files = [...sources].filter(([, text]) => name.test(text)).map(([file]) => file);
    expect(files.sort()).toEqual(listOf(example));
    expect(files.length).toBeLessThanOrEqual(most);
  });

  it.each([
    { vendor: 'telnyx', folder: 'libs/providers/src/telnyx/' },
    { vendor: 'anthropic', folder: 'libs/providers/src/anthropic-model/' },
    { vendor: 'deepgram', folder: 'libs/providers/src/deepgram/' },
  ])('are the folder of $vendor and a line in the catalogue', ({ vendor, folder }) => {
    const name = new RegExp(vendor, 'iu');
    const outside = [...sources].filter(([file, text]) => !file.startsWith(folder) && name.test(text)).map(([file]) => file);
    expect([folder, ...outside].sort()).toEqual(listOf(vendor));
  });
});

describe('a new service', () => {
  const name = 'dashboards';
  /** Made from others by a test, as their first line or the test says, or a test themselves. */
  const madeOrTests = /^deploy\/(helm|stores|verify)\/|message-uses\.ts$|\.(spec|suite)\.ts$|\/(testing|node_modules|dist)\//;
  const isNamed = (text: string, each: string): boolean => new RegExp(`(?<![\\w-])${each}(?![\\w-])`, 'u').test(text);

  it(`is, like ${name}, a folder, and a line in each list of all services: eight places, which CONTRIBUTING names`, () => {
    const lists = globSync(['{apps,libs,k8s,deploy,tools}/**/*.{ts,mjs,yaml,conf,sql}', '*.{yml,json,mjs}'], { cwd: root })
      .filter((file) => !madeOrTests.test(file))
      .filter((file) => {
        const text = readFileSync(path.join(root, file), 'utf8');
        return serviceNames.every((each) => isNamed(text, each));
      });
    expect(listOf(name)).toEqual([`apps/${name}/`, `k8s/base/services/${name}.yaml`, ...lists].sort());
    expect(listOf(name).length).toBeLessThanOrEqual(8);
  });
});

describe('the number of production files', () => {
  // The definition of docs/architecture.md, under "Size".
  const ofNoProduction =
    /\.(spec|suite|fake|fixture|example|e2e|d)\.ts$|(^|\/)(testing|suites|suite|fuzz|scripted|e2e|node_modules|dist)\//;

  it('stays at 750 or fewer', () => {
    const files = globSync('{apps,libs}/**/*.ts', { cwd: root }).filter((file) => !ofNoProduction.test(file));
    expect(files.length).toBeGreaterThan(500);
    expect(files.length).toBeLessThanOrEqual(750);
  });
});

it('a question in text passes 30 files in 12 folders at most', () => {
  const text = readFileSync(path.join(root, 'docs/architecture.md'), 'utf8');
  const [, walk = ''] = /### A question in text\n(.*?)\n### /su.exec(text) ?? [];
  const files = [...walk.matchAll(/\]\(\.\.\/([^)]+\.ts)\)/gu)].map(([, file = '']) => file);
  expect(files.length).toBeGreaterThan(20);
  expect(files.length).toBeLessThanOrEqual(30);
  expect(new Set(files.map((file) => path.dirname(file))).size).toBeLessThanOrEqual(12);
});

it('every file in the walks of docs/architecture.md exists', () => {
  const text = readFileSync(path.join(root, 'docs/architecture.md'), 'utf8');
  const files = [...text.matchAll(/\]\(\.\.\/([^)]+\.ts)\)/gu)].map(([, file = '']) => file);
  expect(files.length).toBeGreaterThan(50);
  expect(files.filter((file) => !existsSync(path.join(root, file)))).toEqual([]);
});

describe('the decisions', () => {
  it('are numbered without gaps, and the index lists each with its file and status', () => {
    const files = globSync('docs/decisions/[0-9]*.md', { cwd: root }).map((file) => path.basename(file));
    const numbered = files.toSorted().map((file, place) => [file, file.startsWith(`${String(place + 1).padStart(3, '0')}-`)]);
    expect(numbered.filter(([, isInOrder]) => !isInOrder)).toEqual([]);
    const index = readFileSync(path.join(root, 'docs/decisions/README.md'), 'utf8');
    const listed = [...index.matchAll(/^\| (\d{3}) \| \[[^\]]+\]\((\d{3}-[a-z0-9-]+\.md)\) \| \w.* \|$/gmu)];
    expect(listed.map(([, number, file]) => `${number} ${file}`)).toEqual(
      files.toSorted().map((file) => `${file.slice(0, 3)} ${file}`),
    );
  });
});
