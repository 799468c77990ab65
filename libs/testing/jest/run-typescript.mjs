// `node --import` this file, and the process runs our TypeScript as the build would compile it. For tests of whole processes.
import { existsSync } from 'node:fs';
import { registerHooks } from 'node:module';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { swcOptions } from '../../../swc.config.mjs';
import { compilerOf } from './compiled-source.mjs';

const root = path.resolve(import.meta.dirname, '../../..');
const options = swcOptions(root);
delete options.jsc.paths;
delete options.jsc.baseUrl;
const compile = compilerOf('processes', { ...options, sourceMaps: 'inline' });

function sourceOf(specifier, parentURL) {
  const app = /^@parley\/apps\/([\w-]+)$/.exec(specifier)?.[1];
  if (app) return path.join(root, 'apps', app, 'src/service.ts');
  const lib = /^@parley\/([\w-]+)$/.exec(specifier)?.[1];
  if (lib) return path.join(root, 'libs', lib, 'src/index.ts');
  if (!/^\.{1,2}\//.test(specifier) || !parentURL?.endsWith('.ts')) return undefined;
  const file = path.resolve(path.dirname(fileURLToPath(parentURL)), specifier);
  return [`${file}.ts`, path.join(file, 'index.ts')].find((candidate) => existsSync(candidate));
}

registerHooks({
  resolve(specifier, context, next) {
    const source = sourceOf(specifier, context.parentURL);
    return source ? { url: pathToFileURL(source).href, format: 'commonjs', shortCircuit: true } : next(specifier, context);
  },
  load(url, context, next) {
    if (!url.endsWith('.ts') || url.includes('/node_modules/')) return next(url, context);
    return { format: 'commonjs', source: compile(fileURLToPath(url)), shortCircuit: true };
  },
});
