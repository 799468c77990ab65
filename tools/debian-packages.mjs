// Unpacks Debian or Ubuntu packages without root and without installing anything. Plain Node, version 20 or later.
import { execFile } from 'node:child_process';
import { accessSync, constants, existsSync, readdirSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { stoodStill, whileGrowing } from './progress.mjs';

const run = promisify(execFile);
const keyrings = ['gpg', 'pgp'].map((ending) => `/usr/share/keyrings/debian-archive-keyring.${ending}`);
const inEnglish = { ...process.env, LC_ALL: 'C' };

/**
 * Unpacks the packages chosen by `choose` into `folder`, laid out like a root directory, atomically. Returns undefined if that
 * succeeded, here or in another process; otherwise the reason. It goes on until nothing was written for `patienceMs`. `options` are
 * passed to apt.
 */
export async function unpackPackages(wanted) {
  const { folder, choose, isThere, patienceMs, options = [], interrupted } = wanted;
  if (process.platform !== 'linux') return `there is no package of it for ${process.platform}`;
  await mkdir(path.dirname(folder), { recursive: true });
  const work = await mkdtemp(`${folder}-`);
  const growth = whileGrowing(work, { stallMs: patienceMs, interrupted });
  const { signal } = growth;
  try {
    await run('apt-get', [...options, 'download', ...(await choose(signal))], { cwd: work, signal });
    for (const file of await readdir(work)) {
      if (file.endsWith('.deb')) await run('dpkg', ['-x', file, 'root'], { cwd: work, signal });
    }
    // A single rename, so that an incomplete attempt is never taken for a complete one.
    await rename(path.join(work, 'root'), folder);
    return undefined;
  } catch (failure) {
    if (isThere()) return undefined;
    return growth.isStalled() ? stoodStill(patienceMs) : reasonOf(failure);
  } finally {
    growth.close();
    await rm(work, { recursive: true, force: true });
  }
}

/** Packages and all their dependencies that are not installed on this machine, as apt itself would choose them. */
export async function withDependencies(names, signal) {
  const words = ['--simulate', '--no-install-recommends', 'install', ...names];
  const { stdout } = await run('apt-get', words, { env: inEnglish, signal });
  return [...stdout.matchAll(/^Inst (\S+)/gm)].map(([, found]) => found);
}

/**
 * Unpacks the newest Debian package of this name with all its dependencies, including its C library, so that it runs on an older
 * Debian (`loadedCommand`). Returns the same as `unpackPackages`.
 */
export async function unpackNewest(name, { folder, isThere, patienceMs }) {
  const apt = await mkdtemp(path.join(tmpdir(), 'parley-apt-'));
  try {
    const options = await privateApt(apt);
    if (typeof options === 'string') return options;
    const choose = (signal) => wholeSystem(name, options, signal);
    return await unpackPackages({ folder, choose, isThere, patienceMs, options });
  } catch (failure) {
    return reasonOf(failure);
  } finally {
    await rm(apt, { recursive: true, force: true });
  }
}

/** The command for a program in such a folder, run through the loader that was unpacked with it; undefined if there is none. */
export function loadedCommand(folder, program) {
  const at = (part) => path.join(folder, part);
  const loaders = ['usr/lib64', 'usr/lib']
    .map(at)
    .filter((place) => existsSync(place))
    .flatMap((place) => readdirSync(place).map((name) => path.join(place, name)))
    .filter((file) => /ld-linux[^/]*\.so\.\d$/.test(file));
  if (loaders.length === 0) return undefined;
  const libraries = [
    'usr/lib',
    ...readdirSync(at('usr/lib'))
      .filter((name) => name.includes('-linux-'))
      .map((name) => `usr/lib/${name}`),
  ];
  return [loaders[0], '--library-path', libraries.map(at).join(':'), at(program)];
}

/** Options for an apt with its own package lists: Debian's newest packages, chosen as if nothing were installed. */
async function privateApt(home) {
  const { stdout } = await run('apt-get', ['indextargets', '--format', '$(REPO_URI) $(ORIGIN)', 'Identifier: Packages']);
  const [mirror] =
    stdout
      .split('\n')
      .map((line) => line.split(' '))
      .find(([uri, origin]) => origin === 'Debian' && !uri.includes('security')) ?? [];
  if (!mirror) return 'this machine knows no mirror of Debian';
  await mkdir(path.join(home, 'lists/partial'), { recursive: true });
  await mkdir(path.join(home, 'cache/archives/partial'), { recursive: true });
  const keys = keyrings.find((file) => existsSync(file));
  const signed = keys ? `[signed-by=${keys}] ` : '';
  await writeFile(path.join(home, 'sources.list'), `deb ${signed}${mirror} sid main\n`);
  await writeFile(path.join(home, 'status'), '');
  const settings = {
    'Dir::Etc::sourcelist': 'sources.list',
    'Dir::State::lists': 'lists',
    'Dir::Cache': 'cache',
    'Dir::State::status': 'status',
  };
  const places = Object.entries(settings).flatMap(([name, place]) => ['-o', `${name}=${path.join(home, place)}`]);
  return [...places, '-o', 'Dir::Etc::sourceparts=/dev/null', '-o', 'Acquire::Languages=none', '-o', 'APT::Sandbox::User='];
}

async function wholeSystem(name, options, signal) {
  await run('apt-get', [...options, 'update'], { signal });
  const words = [...options, '--simulate', '--no-install-recommends', 'install', name];
  const { stdout } = await run('apt-get', words, { env: inEnglish, signal });
  return [...stdout.matchAll(/^Inst (\S+)/gm)].map(([, found]) => found);
}

/** Whether this is an executable file. */
export function isProgram(file) {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function reasonOf(failure) {
  if (failure.code === 'ENOENT') return 'apt-get and dpkg are not on this machine';
  if (failure.name === 'AbortError') return 'unpacking it was stopped';
  return String(failure.stderr || failure.message)
    .trim()
    .split('\n')
    .at(-1);
}
