import { globSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import path from 'node:path';
import { z } from 'zod';
import { importsOf } from '../tools/import-cycles.mjs';
import { isShipped } from '../tools/shipped.mjs';
import { repository } from './checks/yaml-documents';

const { dependencies, optionalDependencies } = JSON.parse(readFileSync(path.join(repository, 'package.json'), 'utf8'));
const isTheirs = new Set([...Object.keys(dependencies), ...Object.keys(optionalDependencies)]);

interface Import {
  readonly file: string;
  readonly from: string;
}

const textOf = (file: string): string => readFileSync(path.join(repository, file), 'utf8');
const shipped = globSync('{apps,libs}/**/*.ts', { cwd: repository }).filter(isShipped);
const imports = shipped.flatMap((file) => valuesImportedBy(file, textOf(file)));

function valuesImportedBy(file: string, text: string): Import[] {
  // Types are gone before anything runs.
  const values = text.replaceAll(/^(import|export) type [^;]*;/gm, '');
  const found = [
    ...values.matchAll(/^(?:import|export)(?:[^;'"]*? from)? ['"]([^'"]+)['"];/gm),
    ...values.matchAll(/\bimport\(['"]([^'"]+)['"]\)/g),
  ];
  return found.flatMap(([, from]) => (from ? [{ file, from }] : []));
}

function packageOf(from: string): string {
  return from
    .split('/')
    .slice(0, from.startsWith('@') ? 2 : 1)
    .join('/');
}

/** Programs, and what they start in workers and other processes. */
const programs = shipped.filter((file) => /\/(main|migrate|[\w-]+\.worker|[\w.-]+[.-]child)\.ts$/.test(file));

it('every file that ships is loaded by a program, and no program loads one that does not ship', () => {
  const loaded = new Set(programs);
  for (const file of loaded) for (const target of importsOf(repository, file)) loaded.add(target);
  expect(programs.length).toBeGreaterThan(15);
  expect([...loaded].toSorted()).toEqual(shipped.toSorted());
});

it('lint regards the same programs as shipped', () => {
  const { entry } = z.object({ entry: z.array(z.string()) }).parse(JSON.parse(textOf('knip.json')));
  const ofProduction = entry.filter((glob) => glob.endsWith('!')).map((glob) => glob.slice(0, -1));
  const [left, taken] = [
    ofProduction.filter((glob) => glob.startsWith('!')),
    ofProduction.filter((glob) => !glob.startsWith('!')),
  ];
  const found = globSync(taken, { cwd: repository, exclude: left.map((glob) => glob.slice(1)) }).filter((file) =>
    file.endsWith('.ts'),
  );
  expect([...new Set(found)].toSorted()).toEqual(programs.toSorted());
});

it('every package that a shipped file imports is a dependency, and so in the image', () => {
  const missing = imports.filter(({ from }) => {
    const isOwn = from.startsWith('.') || from.startsWith('@parley/');
    return !isOwn && !from.startsWith('node:') && !builtinModules.includes(from) && !isTheirs.has(packageOf(from));
  });
  expect(missing.map(({ file, from }) => `${file}: ${from}`)).toEqual([]);
});

it('no shipped file imports what is for tests', () => {
  const wrong = imports.filter(({ from }) => /^@parley\/testing|^@nestjs\/testing/.test(from));
  expect(wrong.map(({ file, from }) => `${file}: ${from}`)).toEqual([]);
});
