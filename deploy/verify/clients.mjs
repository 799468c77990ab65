// Makes clients of an API document with the generators that people use, and compiles them as strictly as TypeScript can. The generators
// are no dependency: `npm run verify -- clients` installs these versions below .cache/clients.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '../..');
const folder = path.join(root, '.cache/clients');
// openapi-typescript works with TypeScript 5 only; what it writes is compiled by ours.
const packages = ['openapi-typescript@7.13.0', 'orval@8.38.0', 'typescript@5.9.3'];
const manifest = path.join(folder, 'package.json');
const program = (name) => path.join(folder, 'node_modules/.bin', name);

/** A use of the types, which fails to compile where a generator gave up and wrote `unknown` or `never`. */
const use = `import type { operations } from './typescript/api.js';
type Json<Name extends keyof operations> = operations[Name] extends { requestBody: { content: { 'application/json': infer Body } } } ? Body : never;
const profile: Json<'saveBusinessProfile'>['businessInfo'] = { KBBusinessInfoID: 0, business_name: 'Demo Bazaar', support_email: '', website_url: '' };
const config: Json<'saveRuntimeConfig'> = { AgentID: 12, TranscribeID: null, IsAllowInteruption: 1 };
const answer: operations['askText']['responses'][200]['content']['application/json']['answer'] = 'Yes.';
// @ts-expect-error: the id is a number.
const wrong: Json<'saveRuntimeConfig'> = { AgentID: 'twelve' };
export { answer, config, profile, wrong };
`;

/** Whether the generators are there, in these versions. */
export function areGeneratorsInstalled() {
  if (!existsSync(manifest) || !existsSync(program('orval'))) return false;
  return JSON.stringify(JSON.parse(readFileSync(manifest, 'utf8')).packages) === JSON.stringify(packages);
}

/** Installs the generators; returns false where npm cannot. */
export function installGenerators() {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  // A manifest of its own keeps npm from installing into the workspace.
  writeFileSync(manifest, JSON.stringify({ private: true }));
  const words = ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error', ...packages];
  if (spawnSync('npm', words, { cwd: folder, stdio: ['ignore', 2, 2] }).status !== 0) return false;
  writeFileSync(manifest, JSON.stringify({ private: true, packages }));
  return true;
}

/** Generates and compiles the clients of a document. Returns what each step that failed said; nothing if all is well. */
export async function compileClients(document) {
  const made = path.join(folder, 'made');
  rmSync(made, { recursive: true, force: true });
  mkdirSync(path.join(made, 'typescript'), { recursive: true });
  writeFileSync(path.join(made, 'openapi.json'), document);
  writeFileSync(path.join(made, 'use.ts'), use);
  writeFileSync(path.join(made, 'package.json'), JSON.stringify({ type: 'module' }));
  const clients = ['fetch', 'zod'].map((client) => [
    client,
    {
      input: './openapi.json',
      output: { target: `./${client}/api.ts`, schemas: `./${client}/model`, client, mode: 'tags-split' },
    },
  ]);
  writeFileSync(path.join(made, 'orval.config.mjs'), `export default ${JSON.stringify(Object.fromEntries(clients))};\n`);
  const generated = await Promise.all([
    run('openapi-typescript', [program('openapi-typescript'), 'openapi.json', '-o', 'typescript/api.d.ts'], made),
    run('orval', [program('orval'), '--config', 'orval.config.mjs'], made),
  ]);
  const failed = generated.filter((said) => said !== undefined);
  return failed.length > 0 ? failed : [await compile(made)].filter((said) => said !== undefined);
}

function compile(made) {
  const compilerOptions = {
    ...{ strict: true, noEmit: true, skipLibCheck: false, allowImportingTsExtensions: true, types: [] },
    ...{ target: 'es2022', module: 'esnext', moduleResolution: 'bundler', lib: ['es2022', 'dom', 'dom.iterable'] },
  };
  writeFileSync(path.join(made, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['**/*.ts'] }));
  return run('tsc', [path.join(root, 'node_modules/typescript/bin/tsc'), '-p', 'tsconfig.json'], made);
}

/** Runs a program of Node; resolves to what it said if it failed, and otherwise to nothing. */
function run(name, words, cwd) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, words, { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
    let said = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => (said += part));
    child.once('error', (error) => resolve(`${name}: ${error.message}`));
    child.once('close', (code) => resolve(code === 0 ? undefined : `${name} ended with ${code}:\n${said.slice(0, 4_000)}`));
  });
}
