import { existsSync, globSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import path from 'node:path';
import { repository } from './checks/yaml-documents';

const { dependencies, optionalDependencies } = JSON.parse(readFileSync(path.join(repository, 'package.json'), 'utf8'));
const isTheirs = new Set([...Object.keys(dependencies), ...Object.keys(optionalDependencies)]);

/** What tools/build.mjs leaves out, read from there, so that the rule is written once. */
const [, rule = ''] = /notShipped =\s*\/(.*)\/;/.exec(readFileSync(path.join(repository, 'tools/build.mjs'), 'utf8')) ?? [];
const notShipped = new RegExp(rule);

/** What is built and then removed from the image, as in the Dockerfile. */
const removed = [...readFileSync(path.join(repository, 'Dockerfile'), 'utf8').matchAll(/dist\/((?:apps|bench)[\w/-]*)/g)].map(
  ([, folder = '']) => `${folder}/`,
);

interface Import {
  readonly file: string;
  readonly from: string;
}

const shipped = globSync('{apps,libs}/**/*.ts', { cwd: repository }).filter(isShipped);
const imports = shipped.flatMap((file) => importsOf(file, readFileSync(path.join(repository, file), 'utf8')));

function importsOf(file: string, text: string): Import[] {
  // Types are gone before anything runs.
  const values = text.replaceAll(/^(import|export) type [^;]*;/gm, '');
  const found = [
    ...values.matchAll(/^(?:import|export)(?:[^;'"]*? from)? ['"]([^'"]+)['"];/gm),
    ...values.matchAll(/\bimport\(['"]([^'"]+)['"]\)/g),
  ];
  return found.flatMap(([, from]) => (from ? [{ file, from }] : []));
}

function isShipped(file: string): boolean {
  const isRemoved = removed.some((folder) => file.startsWith(folder) && folder !== 'apps/');
  return !file.includes('node_modules') && !notShipped.test(file) && !isRemoved;
}

function packageOf(from: string): string {
  return from
    .split('/')
    .slice(0, from.startsWith('@') ? 2 : 1)
    .join('/');
}

it('reads the build’s rule, and finds what ships and what does not', () => {
  expect(shipped).toContain('apps/gateway/src/main.ts');
  expect(notShipped.test('apps/gateway/src/live/chat/recorded-charging.suite.ts')).toBe(true);
  expect(imports.length).toBeGreaterThan(1_000);
});

it('every package that a shipped file imports is a dependency, and so in the image', () => {
  const missing = imports.filter(({ from }) => {
    const isOwn = from.startsWith('.') || from.startsWith('@parley/');
    return !isOwn && !from.startsWith('node:') && !builtinModules.includes(from) && !isTheirs.has(packageOf(from));
  });
  expect(missing.map(({ file, from }) => `${file}: ${from}`)).toEqual([]);
});

it('no shipped file imports a suite, a fake or another test file', () => {
  const wrong = imports.filter(({ file, from }) => {
    if (/^@parley\/(testing|ports\/suites)/.test(from) || packageOf(from) === '@nestjs/testing') return true;
    if (!from.startsWith('.')) return false;
    const target = path.join(path.dirname(file), from);
    const candidates = [target, `${target}.ts`, path.join(target, 'index.ts')];
    const found = candidates.find((each) => each.endsWith('.ts') && existsSync(path.join(repository, each)));
    return found !== undefined && notShipped.test(found);
  });
  expect(wrong.map(({ file, from }) => `${file}: ${from}`)).toEqual([]);
});
