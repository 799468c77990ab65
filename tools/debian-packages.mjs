// Unpacks packages of Debian or Ubuntu without root and without installing anything. Plain Node, from 20 on.
import { execFile } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const inEnglish = { ...process.env, LC_ALL: 'C' };

/**
 * Unpacks the packages that `choose` names into `folder`, laid out like a root directory, atomically. Returns undefined when that
 * succeeded, here or in another process; otherwise the reason. `options` are passed to apt.
 */
export async function unpackPackages(wanted) {
  const { folder, choose, isThere, patienceMs, options = [], interrupted = new AbortController().signal } = wanted;
  if (process.platform !== 'linux') return `there is no package of it for ${process.platform}`;
  await mkdir(path.dirname(folder), { recursive: true });
  const work = await mkdtemp(`${folder}-`);
  const signal = AbortSignal.any([interrupted, AbortSignal.timeout(patienceMs)]);
  try {
    await run('apt-get', [...options, 'download', ...(await choose(signal))], { cwd: work, signal });
    for (const file of await readdir(work)) {
      if (file.endsWith('.deb')) await run('dpkg', ['-x', file, 'root'], { cwd: work, signal });
    }
    // One step, so that a broken attempt is never taken for the whole.
    await rename(path.join(work, 'root'), folder);
    return undefined;
  } catch (failure) {
    return isThere() ? undefined : reasonOf(failure, patienceMs);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** Packages and everything that they need and this machine has not installed, as apt itself would choose. */
export async function withDependencies(names, signal) {
  const words = ['--simulate', '--no-install-recommends', 'install', ...names];
  const { stdout } = await run('apt-get', words, { env: inEnglish, signal });
  return [...stdout.matchAll(/^Inst (\S+)/gm)].map(([, found]) => found);
}

/** Whether this is a file that can be started. */
export function isProgram(file) {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function reasonOf(failure, patienceMs) {
  if (failure.code === 'ENOENT') return 'apt-get and dpkg are not on this machine';
  if (failure.name === 'AbortError') return `unpacking it was stopped, or took more than ${patienceMs / 1000} s`;
  return String(failure.stderr || failure.message)
    .trim()
    .split('\n')
    .at(-1);
}
