// Finds import cycles: of files across the repository, and of sibling folders.
import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { isOfTests } from './shipped.mjs';

const aliases = [
  [/^@parley\/apps\/gateway\/credits$/, 'apps/gateway/src/money/index.ts'],
  [/^@parley\/apps\/(knowledge-ingest|telephony-bridge)\/(retrieval|campaigns)$/, 'apps/$1/src/$2/index.ts'],
  [/^@parley\/apps\/(.+)$/, 'apps/$1/src/service.ts'],
  [/^@parley\/(ports|voice-session)\/(suites|scripted)$/, 'libs/$1/src/$2/index.ts'],
  [/^@parley\/providers\/(.+)$/, 'libs/providers/src/$1/index.ts'],
  [/^@parley\/([^/]+)$/, 'libs/$1/src/index.ts'],
];

/** Every cycle below `root`, each as one line with its path. Type imports count too, because a reader follows them as well. */
export function importCycles(root) {
  const files = globSync('{apps,libs,bench,deploy,docs,k8s,tools}/**/*.{ts,mjs}', {
    cwd: root,
    exclude: (name) => /node_modules|dist/.test(String(name)),
  });
  const imports = new Map(files.map((file) => [file, importsOf(root, file)]));
  return [...cyclesIn(imports), ...folderCycles(imports)].map((cycle) => [...cycle, cycle[0]].join(' → '));
}

/** The files of this repository that a file imports, including for types. */
export function importsOf(root, file) {
  const { importedFiles } = ts.preProcessFile(readFileSync(path.join(root, file), 'utf8'), true, false);
  return [...new Set(importedFiles.flatMap(({ fileName }) => importedFile(root, file, fileName) ?? []))];
}

/** The file of this repository that an import refers to, if any. */
export function importedFile(root, file, specifier) {
  const alias = aliases.find(([pattern]) => pattern.test(specifier));
  if (!alias && !specifier.startsWith('.')) return undefined;
  const bare = alias ? specifier.replace(...alias) : path.join(path.dirname(file), specifier);
  return [bare, `${bare}.ts`, `${bare}/index.ts`].find((each) => /\.(ts|mjs)$/u.test(each) && isFile(path.join(root, each)));
}

function isFile(name) {
  return existsSync(name) && statSync(name).isFile();
}

/** Cycles among the files and subfolders of each folder. Tests may import what they test, wherever it is. */
function folderCycles(imports) {
  const byParent = new Map();
  for (const [file, targets] of imports) {
    if (isOfTests(file)) continue;
    for (const target of targets) {
      const edge = isOfTests(target) ? undefined : siblings(file, target);
      if (!edge) continue;
      const graph = byParent.get(edge.parent) ?? new Map();
      byParent.set(edge.parent, graph.set(edge.from, new Set([...(graph.get(edge.from) ?? []), edge.to])));
    }
  }
  return [...byParent.values()].flatMap((graph) =>
    cyclesIn(graph).filter((cycle) => cycle.some((each) => !/\.(ts|mjs)$/u.test(each))),
  );
}

/** The two entries of the closest common folder through which one file imports another. Nx checks the boundaries of projects. */
function siblings(file, target) {
  const [from, to] = [file.split('/'), target.split('/')];
  const depth = from.findIndex((part, at) => part !== to[at]);
  if (depth < (/^(apps|libs)$/.test(from[0]) ? 3 : 1)) return undefined;
  return {
    parent: from.slice(0, depth).join('/'),
    from: from.slice(0, depth + 1).join('/'),
    to: to.slice(0, depth + 1).join('/'),
  };
}

/** One cycle for each strongly connected component: the shortest path back to its first member. */
function cyclesIn(graph) {
  return componentsIn(graph).map((component) => pathBack(graph, new Set(component)));
}

/** Tarjan's strongly connected components with more than one member, or with an edge to itself. */
function componentsIn(graph) {
  const [order, low, stack, components] = [new Map(), new Map(), [], []];
  const visit = (node) => {
    order.set(node, order.size);
    low.set(node, order.get(node));
    stack.push(node);
    for (const next of graph.get(node) ?? []) {
      if (!order.has(next)) visit(next);
      if (stack.includes(next)) low.set(node, Math.min(low.get(node), low.get(next)));
    }
    if (low.get(node) !== order.get(node)) return;
    const component = stack.splice(stack.indexOf(node));
    if (component.length > 1 || [...(graph.get(node) ?? [])].includes(node)) components.push(component.sort());
  };
  for (const node of graph.keys()) if (!order.has(node)) visit(node);
  return components;
}

function pathBack(graph, component) {
  const [start] = component;
  const ways = [[start]];
  const seen = new Set();
  for (const way of ways) {
    for (const next of graph.get(way.at(-1)) ?? []) {
      if (next === start) return way;
      if (!component.has(next) || seen.has(next)) continue;
      seen.add(next);
      ways.push([...way, next]);
    }
  }
  return [start];
}
