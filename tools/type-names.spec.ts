import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { isShipped } from './shipped.mjs';

const root = path.resolve(__dirname, '..');
interface Declaration {
  readonly name: string;
  readonly file: string;
  readonly isExported: boolean;
  /** A short name for a type of a contract is no idea of its own. */
  readonly isAlias: boolean;
}

function declarationsIn(file: string, text: string): Declaration[] {
  return ts.createSourceFile(file, text, ts.ScriptTarget.Latest).statements.flatMap((statement) => {
    const isType =
      ts.isClassDeclaration(statement) || ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement);
    if (!isType || !statement.name) return [];
    const isExported = statement.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) ?? false;
    return [{ name: statement.name.text, file, isExported, isAlias: ts.isTypeAliasDeclaration(statement) }];
  });
}

const projectOf = (file: string): string => file.split('/').slice(0, 2).join('/');

/** Whether a reader may take one for the other: both exported, or in one project with one exported, or in one folder. */
function isMistakable(one: Declaration, other: Declaration): boolean {
  if (one.isExported && other.isExported) return true;
  if (projectOf(one.file) === projectOf(other.file) && (one.isExported || other.isExported))
    return !(one.isExported ? other : one).isAlias;
  return path.dirname(one.file) === path.dirname(other.file) && !one.isAlias && !other.isAlias;
}

function mistakable(declarations: readonly Declaration[]): string[] {
  const byName = Map.groupBy(declarations, ({ name }) => name);
  return [...byName.values()].flatMap((all) =>
    all.flatMap((one, at) =>
      all
        .slice(at + 1)
        .filter((other) => isMistakable(one, other))
        .map((other) => `${one.name}: ${one.file}, ${other.file}`),
    ),
  );
}

it('gives an exported type a name that no other has, and two shapes of one folder different names', () => {
  const files = globSync('{apps,libs}/*/src/**/*.ts', { cwd: root }).filter(isShipped);
  const declarations = files.flatMap((file) => declarationsIn(file, readFileSync(path.join(root, file), 'utf8')));
  expect(declarations.length).toBeGreaterThan(1_000);
  expect(mistakable(declarations)).toEqual([]);
});

it.each([
  ['two that are exported', ['apps/a/src/x.ts', 'export type T = 1'], ['apps/b/src/y.ts', 'export interface T {}'], 1],
  ['one beside an exported one', ['apps/a/src/x.ts', 'export class T {}'], ['apps/a/src/b/y.ts', 'interface T {}'], 1],
  ['two shapes of a folder', ['apps/a/src/x.ts', 'class T {}'], ['apps/a/src/y.ts', 'interface T {}'], 1],
  ['two shapes of two folders', ['apps/a/src/x.ts', 'class T {}'], ['apps/a/src/b/y.ts', 'class T {}'], 0],
  ['short names of contracts', ['apps/a/src/x.ts', 'type T = 1'], ['apps/a/src/y.ts', 'type T = 2'], 0],
] as const)('judges %s', (_what, one, other, found) => {
  expect(mistakable([one, other].flatMap(([file, text]) => declarationsIn(file, text)))).toHaveLength(found);
});
