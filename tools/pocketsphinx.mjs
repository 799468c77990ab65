// Unpacks Debian's or Ubuntu's own pocketsphinx into .cache/pocketsphinx, without root and without installing anything. Runs on
// Node 20 and later. If it cannot, it prints why and exits: everything except local speech recognition still works.
import { accessSync, constants } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { isProgram, unpackPackages, withDependencies } from './debian-packages.mjs';

const cache = path.resolve(import.meta.dirname ?? path.dirname(fileURLToPath(import.meta.url)), '../.cache');

/** Where the engine is unpacked, laid out like a root directory. */
export const pocketsphinxFolder = path.join(cache, 'pocketsphinx');

const patienceMs = 120_000;

const packages = ['pocketsphinx', 'pocketsphinx-en-us'];

/** Makes the engine available, unless two minutes pass without progress. Returns undefined if that succeeded, otherwise the reason why not. */
export async function unpackPocketsphinx({ interrupted, folder = pocketsphinxFolder, system = '/' } = {}) {
  const isThere = () => [folder, system].some(holdsPocketsphinx);
  if (isThere()) return undefined;
  // What is left of an attempt without the model would block a complete one.
  await rm(folder, { recursive: true, force: true });
  const reason = await unpackPackages({ folder, choose: packagesFor, isThere, patienceMs, interrupted });
  return reason ?? (isThere() ? undefined : 'its packages hold no program or no English model');
}

/**
 * These two by name and their dependencies: apt skips installed packages, but a folder is only used if it contains both the
 * program and the model.
 */
async function packagesFor(signal) {
  return [...new Set([...packages, ...(await withDependencies(packages, signal))])];
}

/** Whether the speech service finds the engine here, which needs the program and the English model below the same root. */
function holdsPocketsphinx(root) {
  return (
    isProgram(path.join(root, 'usr/bin/pocketsphinx_continuous')) &&
    isReadable(path.join(root, 'usr/share/pocketsphinx/model/en-us/en-us.lm.bin'))
  );
}

function isReadable(file) {
  try {
    accessSync(file, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();

async function main() {
  const interruption = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => interruption.abort());
  const reason = await unpackPocketsphinx({ interrupted: interruption.signal });
  if (interruption.signal.aborted) return;
  const [outcome, advice] = reason
    ? [
        `local speech recognition stays off: ${reason}`,
        '; install pocketsphinx and pocketsphinx-en-us, or configure a speech-to-text provider',
      ]
    : [`local speech recognition is ready (pocketsphinx in ${placeOf()})`, ''];
  process.stderr.write(`parley: ${outcome}${advice}\n`);
}

function placeOf() {
  return holdsPocketsphinx(pocketsphinxFolder) ? path.relative(process.cwd(), pocketsphinxFolder) : '/usr';
}
