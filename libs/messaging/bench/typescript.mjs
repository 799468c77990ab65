// Lets plain Node load the workspace's TypeScript, compiled as the build does it.
import { existsSync, readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { transformSync } from '@swc/core';
import { swcOptions } from '../../../swc.config.mjs';

const root = path.resolve(import.meta.dirname, '../../..');
const options = swcOptions(root);

registerHooks({
  resolve(specifier, context, next) {
    const file = sourceOf(specifier, context.parentURL);
    return file ? { url: pathToFileURL(file).href, shortCircuit: true } : next(specifier, context);
  },
  load(url, context, next) {
    if (!url.endsWith('.ts')) return next(url, context);
    const filename = fileURLToPath(url);
    const { code } = transformSync(readFileSync(filename, 'utf8'), { ...options, filename, sourceMaps: 'inline' });
    return { format: 'commonjs', source: code, shortCircuit: true };
  },
});

function sourceOf(specifier, parent) {
  if (!specifier.startsWith('.') || !parent) return undefined;
  const base = path.resolve(path.dirname(fileURLToPath(parent)), specifier);
  return [base, `${base}.ts`, path.join(base, 'index.ts')].find((file) => file.endsWith('.ts') && existsSync(file));
}
