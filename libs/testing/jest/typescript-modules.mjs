// Jest runs its global setup outside of its own module system: no aliases, no transform. This gives it both.
import { existsSync } from 'node:fs';
import { createRequire, registerHooks } from 'node:module';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { swcOptions } from '../../../swc.config.mjs';
import { compilerOf } from './compiled-source.mjs';

const root = path.resolve(import.meta.dirname, '../../..');
const compile = compilerOf('modules', swcOptions(root));

/** Loads one of our TypeScript modules into this process. */
export function requireTypeScript(file) {
  const hooks = registerHooks({ resolve, load });
  try {
    return createRequire(import.meta.url)(path.join(root, file));
  } finally {
    hooks.deregister();
  }
}

function resolve(specifier, context, next) {
  const isOurs = /^\.{1,2}\//.test(specifier) && context.parentURL?.endsWith('.ts');
  if (!isOurs) return next(specifier, context);
  // An import that says `.ts` says `.js` once it is compiled.
  const bare = specifier.replace(/\.js$/, '');
  const [file, folder] = [`${bare}.ts`, `${bare}/index.ts`].map((name) => new URL(name, context.parentURL));
  return { url: (existsSync(file) ? file : folder).href, shortCircuit: true };
}

function load(url, context, next) {
  if (!url.endsWith('.ts')) return next(url, context);
  const filename = fileURLToPath(url);
  return { format: 'commonjs', source: compile(filename), shortCircuit: true, url: pathToFileURL(filename).href };
}
