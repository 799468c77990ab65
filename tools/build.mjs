// Compiles apps and libs with swc into dist/, incrementally. Then run `node dist/apps/<service>/src/main.js`. With --shipped it
// leaves out what only developers run; the image is built this way.
import { createHash } from 'node:crypto';
import { cp, mkdir, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { swcOptions } from '../swc.config.mjs';
import { isBuilt, isShipped } from './shipped.mjs';
import { refuse, root } from './workspace.mjs';

const rooms = ['libs', 'apps', 'bench'];
const output = path.join(root, 'dist');

/** Updates dist/ and prints how many files were compiled. */
export async function build({ isWanted = isBuilt } = {}) {
  await forgetOtherCompiler();
  const sources = (await Promise.all(rooms.map(listFiles))).flat().filter(isWanted);
  const { transformFile } = await import('@swc/core');
  const results = await inTurn(sources, (file) => compileOrCopy(file, transformFile));
  await removeLeftovers(new Set(sources.map(targetOf)));
  return results.filter(Boolean).length;
}

/** A few files at a time: with a limit of 1,024 open files, all at once would be too many. */
const filesAtOnce = 64;

async function inTurn(sources, work) {
  const results = [];
  for (let from = 0; from < sources.length; from += filesAtOnce)
    results.push(...(await Promise.all(sources.slice(from, from + filesAtOnce).map(work))));
  return results;
}

async function listFiles(folder) {
  const entries = await readdir(path.join(root, folder), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)).split(path.sep).join('/'));
}

const targetOf = (file) => file.replace(/\.ts$/, '.js');

async function compileOrCopy(file, transformFile) {
  const [from, to] = [path.join(root, file), path.join(output, targetOf(file))];
  if ((await modifiedAtMs(to)) >= (await modifiedAtMs(from))) return false;
  await mkdir(path.dirname(to), { recursive: true });
  if (!file.endsWith('.ts')) await cp(from, to);
  else await compile(from, to, transformFile);
  return true;
}

async function compile(from, to, transformFile) {
  const { code, map } = await transformFile(from, { ...swcOptions(root), cwd: root });
  await writeFile(`${to}.map`, map);
  await writeFile(to, `${code}\n//# sourceMappingURL=${path.basename(to)}.map\n`);
}

async function modifiedAtMs(file) {
  const found = await stat(file).catch(() => undefined);
  return found?.mtimeMs ?? -1;
}

/** Deletes the output of other compiler options or of another swc version. */
async function forgetOtherCompiler() {
  const recipe = createHash('sha256')
    .update(await readFile(path.join(root, 'swc.config.mjs')))
    .update(await readFile(path.join(root, 'node_modules/@swc/core/package.json')))
    .digest('hex');
  const stamp = path.join(output, '.recipe');
  if ((await readFile(stamp, 'utf8').catch(() => '')) === recipe) return;
  await rm(output, { recursive: true, force: true });
  await mkdir(output, { recursive: true });
  await writeFile(stamp, recipe);
}

async function removeLeftovers(wanted) {
  for (const room of rooms) {
    const present = await listFiles(path.join('dist', room)).catch(() => []);
    for (const file of present) {
      const target = file.slice('dist/'.length).replace(/\.map$/, '');
      if (!wanted.has(target)) await rm(path.join(root, file));
    }
  }
}

if (process.argv[1] === import.meta.filename) {
  const startedAt = Date.now();
  const compiled = await build(process.argv.includes('--shipped') ? { isWanted: isShipped } : {}).catch((error) =>
    refuse(`the build failed: ${error.message}`),
  );
  process.stderr.write(`parley: ${compiled} files compiled in ${Date.now() - startedAt} ms\n`);
}
