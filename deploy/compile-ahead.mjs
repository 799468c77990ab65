// What V8 makes of the code of every service, kept in a folder: `node deploy/compile-ahead.mjs FOLDER`. A process that is told of it by
// NODE_COMPILE_CACHE, and may only read it, compiles nothing when it starts. Node keeps it for one version, one user and one kind of
// processor: with another it is left alone, and the start takes as long as without.
import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '..');
/** A service without variables loads all of its code, says what it lacks, and ends so. */
const wrongVariable = 78;

export async function compileAhead(folder, { tree = root, ...account } = {}) {
  mkdirSync(folder, { recursive: true });
  const apps = path.join(tree, 'dist/apps');
  const names = readdirSync(apps).filter((name) => name !== 'all-in-one' && existsSync(path.join(apps, name, 'src/main.js')));
  for (const name of names) await compile(name, folder, { cwd: tree, ...account });
  return names;
}

async function compile(name, folder, options) {
  const environment = { PATH: process.env.PATH, NODE_ENV: 'production', PARLEY_ENVIRONMENT: 'production' };
  const child = spawn(process.execPath, ['--enable-source-maps', `dist/apps/${name}/src/main.js`], {
    ...options,
    env: { ...environment, NODE_COMPILE_CACHE: folder },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const said = [];
  child.stderr.on('data', (text) => said.push(text));
  const code = await new Promise((resolve) => child.on('close', resolve));
  const expected = name === 'admin' ? [0, 64, wrongVariable] : [wrongVariable];
  if (!expected.includes(code)) throw new Error(`${name} ended with ${code}: ${Buffer.concat(said).toString().slice(-500)}`);
}

if (import.meta.filename === process.argv[1]) {
  const [folder] = process.argv.slice(2);
  await compileAhead(path.resolve(folder));
  // Whoever runs the code reads this and writes nothing: it is code, too.
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true }))
    chmodSync(path.join(entry.parentPath, entry.name), entry.isDirectory() ? 0o755 : 0o644);
}
