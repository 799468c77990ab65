// Unpacks Debian's or Ubuntu's own pocketsphinx into .cache/pocketsphinx, without root and without installing anything.
// Runs on any Node from 20 on. Where it cannot, it says why and leaves: everything but local speech recognition works.
import { execFile } from 'node:child_process';
import { access, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const cache = path.resolve(import.meta.dirname ?? path.dirname(fileURLToPath(import.meta.url)), '../.cache');

/** Where the engine is unpacked to, laid out like a root directory. */
export const pocketsphinxFolder = path.join(cache, 'pocketsphinx');

// Each line is one library under the names that releases have given it.
const packages = [
  ['pocketsphinx'],
  ['pocketsphinx-en-us'],
  ['libpocketsphinx3'],
  ['libsphinxbase3t64', 'libsphinxbase3'],
  ['libblas3'],
  ['liblapack3'],
  ['libgfortran5'],
  ['libquadmath0'],
  ['libpulse0'],
  ['libasound2t64', 'libasound2'],
];

/** Makes the engine available. Answers undefined when it is, and otherwise the reason why it is not. */
export async function unpackPocketsphinx() {
  const program = path.join(pocketsphinxFolder, 'usr/bin/pocketsphinx_continuous');
  if (await isThere(program)) return undefined;
  if (process.platform !== 'linux') return `there is no package of it for ${process.platform}`;
  await mkdir(cache, { recursive: true });
  const folder = await mkdtemp(path.join(cache, 'pocketsphinx-'));
  try {
    await unpackInto(folder);
    // One step, so that a broken attempt is never taken for the engine.
    await rename(path.join(folder, 'root'), pocketsphinxFolder);
    return undefined;
  } catch (failure) {
    return (await isThere(program)) ? undefined : firstLine(failure);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function unpackInto(folder) {
  const names = await Promise.all(packages.map(availableName));
  await run('apt-get', ['download', ...names], { cwd: folder, timeout: 120_000 });
  for (const file of await readdir(folder)) {
    if (file.endsWith('.deb')) await run('dpkg', ['-x', file, 'root'], { cwd: folder, timeout: 60_000 });
  }
}

/** The name under which this release carries a package; the last one when it carries none, so that apt can say so. */
async function availableName(names) {
  for (const name of names) {
    const { stdout } = await run('apt-cache', ['policy', name], { env: { ...process.env, LC_ALL: 'C' } });
    if (/Candidate: (?!\(none\))/.test(stdout)) return name;
  }
  return names[names.length - 1];
}

async function isThere(file) {
  return access(file).then(
    () => true,
    () => false,
  );
}

function firstLine(failure) {
  if (failure.code === 'ENOENT') return 'apt-get and dpkg are not on this machine';
  return String(failure.stderr || failure.message).trim().split('\n')[0];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const reason = await unpackPocketsphinx();
  process.stdout.write(
    reason
      ? `Local speech recognition stays off: ${reason}.\nInstall pocketsphinx and pocketsphinx-en-us, or configure a speech-to-text provider.\n`
      : `pocketsphinx is ready in ${path.relative(process.cwd(), pocketsphinxFolder)}\n`,
  );
}
