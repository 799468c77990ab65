// Unpacks Debian's or Ubuntu's own pocketsphinx into .cache/pocketsphinx, without root and without installing anything.
// Runs on any Node from 20 on. Where it cannot, it says why and leaves: everything but local speech recognition works.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { setPriority } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { unpackPackages, withDependencies } from './debian-packages.mjs';

const cache = path.resolve(import.meta.dirname ?? path.dirname(fileURLToPath(import.meta.url)), '../.cache');

/** Where the engine is unpacked to, laid out like a root directory. */
export const pocketsphinxFolder = path.join(cache, 'pocketsphinx');

const program = path.join(pocketsphinxFolder, 'usr/bin/pocketsphinx_continuous');
const patienceMs = 120_000;

const packages = ['pocketsphinx', 'pocketsphinx-en-us'];

/** Makes the engine available. Answers undefined when it is, and otherwise the reason why it is not; within two minutes. */
export async function unpackPocketsphinx(interrupted = new AbortController().signal) {
  if (isThere()) return undefined;
  return unpackPackages({
    folder: pocketsphinxFolder,
    choose: (signal) => withDependencies(packages, signal),
    isThere,
    patienceMs,
    interrupted,
  });
}

/**
 * The same beside a platform that is starting, which waits for nothing: the speech service finds the engine once it is there.
 * Says one line when it is done. Ends with us.
 */
export function unpackPocketsphinxBeside() {
  if (isThere()) return;
  const child = spawn(process.execPath, [fileURLToPath(import.meta.url), '--beside'], { stdio: ['ignore', 'ignore', 'inherit'] });
  child.on('error', () => {});
  child.unref();
  process.on('exit', () => child.kill());
}

function isThere() {
  return existsSync(program) || existsSync('/usr/bin/pocketsphinx_continuous');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main(process.argv.includes('--beside'));

async function main(isBeside) {
  // Unpacking costs ten seconds of a core; a platform that starts beside it goes first.
  if (isBeside) setPriority(15);
  const interruption = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => interruption.abort());
  const reason = await unpackPocketsphinx(interruption.signal);
  if (interruption.signal.aborted) return;
  const [outcome, advice] = reason
    ? [
        `local speech recognition stays off: ${reason}`,
        '; install pocketsphinx and pocketsphinx-en-us, or configure a speech-to-text provider',
      ]
    : [`local speech recognition is ready (pocketsphinx in ${path.relative(process.cwd(), pocketsphinxFolder)})`, ''];
  process.stderr.write(`parley: ${outcome}${advice}\n`);
}
