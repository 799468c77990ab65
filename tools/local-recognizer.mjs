// Installs a local speech recognizer: Moonshine from npm's registry, or else Debian's pocketsphinx. Runs on Node 20 and later. If
// neither is available, it prints why and exits: everything except local speech recognition still works.
import { spawn } from 'node:child_process';
import { setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import { addModel, isModelThere } from './models.mjs';
import { unpackPocketsphinx } from './pocketsphinx.mjs';

const model = 'moonshine-base';
const patienceMs = 180_000;

/**
 * Installs the recognizer in a child process while the platform starts; the speech service finds it once it is there. Prints one
 * line when done, and ends with this process.
 */
export async function installRecognizer() {
  if (await isModelThere(model)) return;
  const child = spawn(process.execPath, [fileURLToPath(import.meta.url)], { stdio: ['ignore', 'ignore', 'inherit'] });
  child.on('error', () => {});
  child.unref();
  process.on('exit', () => child.kill());
}

/** Installs the model if it is missing. Returns the reason if that fails. */
export async function installModel(interrupted) {
  if (await isModelThere(model)) return undefined;
  const patience = AbortSignal.timeout(patienceMs);
  return addModel(model, { signal: interrupted ? AbortSignal.any([interrupted, patience]) : patience }).then(
    () => undefined,
    (failure) => [failure.message, failure.cause?.message].filter(Boolean).join(': '),
  );
}

async function main() {
  // Unpacking takes seconds of CPU time; the starting platform has priority.
  setPriority(15);
  const interruption = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => interruption.abort());
  const withoutModel = await installModel(interruption.signal);
  if (interruption.signal.aborted) return;
  if (!withoutModel) return say(`local speech recognition is ready (${model})`);
  const withoutPackage = await unpackPocketsphinx({ interrupted: interruption.signal });
  if (interruption.signal.aborted) return;
  const better = `\`npm run models -- add ${model}\` tries again for a better recognizer (${withoutModel})`;
  say(
    withoutPackage
      ? `local speech recognition stays off: ${withoutPackage}; ${better}, or configure a speech-to-text provider`
      : `local speech recognition is ready (pocketsphinx); ${better}`,
  );
}

function say(line) {
  process.stderr.write(`parley: ${line}\n`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
