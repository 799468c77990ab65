// Finds exports that no other file imports: what is not asked for outside of its file is not exported.
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { importedFile } from './import-cycles.mjs';

/** Every export below `root` that nobody imports, as `file: name`. A face (`index.ts`) that only passes a name on does not use it. */
export function deadExports(root) {
  const exclude = (name) => /node_modules|dist|console|lint-canary/.test(String(name));
  const names = globSync('{apps,libs,bench,tools,deploy,k8s,docs}/**/*.ts', { cwd: root, exclude });
  const modules = new Map(names.map((file) => [file, parsed(root, file)]));
  const programs = globSync('{apps,libs,bench,tools,deploy}/**/*.mjs', { cwd: root, exclude });
  const used = usedNames(modules);
  const textOf = (file) => readFileSync(path.join(root, file), 'utf8');
  // Programs load TypeScript by its path, and tests start functions by their name in processes of their own.
  const quoted = names.filter((file) => file.endsWith('.spec.ts')).flatMap((file) => textOf(file).match(/(?<=')\w+(?=')/g) ?? []);
  const spoken = new Set([...programs.flatMap((file) => textOf(file).match(/\w+/g) ?? []), ...quoted]);
  return [...modules].flatMap(([file, { declared }]) =>
    declared.filter((name) => !used.has(`${file}#${name}`) && !spoken.has(name)).map((name) => `${file}: ${name}`),
  );
}

/** What a file declares for others, what it passes on, and what it takes. */
function parsed(root, file) {
  const source = ts.createSourceFile(file, readFileSync(path.join(root, file), 'utf8'), ts.ScriptTarget.ES2023, true);
  const found = { declared: [], passedOn: [], taken: [] };
  const from = (specifier) => importedFile(root, file, specifier);
  const visit = (node) => {
    if (ts.isImportDeclaration(node)) {
      const bindings = node.importClause?.namedBindings;
      const named = bindings && ts.isNamedImports(bindings) ? bindings.elements.map(importedName) : ['*'];
      found.taken.push({ from: from(node.moduleSpecifier.text), names: named });
      return;
    }
    if (ts.isExportDeclaration(node) && node.moduleSpecifier) {
      const named = node.exportClause && ts.isNamedExports(node.exportClause) ? node.exportClause.elements.map(namesOf) : '*';
      found.passedOn.push({ from: from(node.moduleSpecifier.text), names: named });
      return;
    }
    const specifier = lateImport(node);
    if (specifier) found.taken.push({ from: from(specifier), names: ['*'] });
    ts.forEachChild(node, visit);
  };
  visit(source);
  found.declared = source.statements.filter(isExported).flatMap(declaredNames);
  return found;
}

/** Follows every import through the faces between it and the file that declares the name. */
function usedNames(modules) {
  const used = new Set();
  const use = (file, name) => {
    if (!modules.has(file) || used.has(`${file}#${name}`)) return;
    used.add(`${file}#${name}`);
    const { declared, passedOn } = modules.get(file);
    if (name === '*') for (const each of declared) used.add(`${file}#${each}`);
    for (const { from, names } of passedOn) {
      if (names === '*') use(from, name);
      else for (const { inner, outer } of names) if (name === '*' || name === outer) use(from, inner);
    }
  };
  for (const { taken } of modules.values()) for (const { from, names } of taken) for (const name of names) use(from, name);
  return used;
}

const importedName = ({ propertyName, name }) => (propertyName ?? name).text;
const namesOf = ({ propertyName, name }) => ({ inner: (propertyName ?? name).text, outer: name.text });
const isExported = ({ modifiers }) => modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) ?? false;

function declaredNames(statement) {
  if (!ts.isVariableStatement(statement)) return statement.name ? [statement.name.text] : [];
  return statement.declarationList.declarations.flatMap(({ name }) => (ts.isIdentifier(name) ? [name.text] : []));
}

/** The module of `import('./x')`, as a call or as a type. */
function lateImport(node) {
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) return node.argument.literal.text;
  const isCall = ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword;
  const [specifier] = isCall ? node.arguments : [];
  return specifier && ts.isStringLiteral(specifier) ? specifier.text : undefined;
}
