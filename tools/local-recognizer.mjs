// Installs a local speech recognizer: Moonshine from npm's registry, or else Debian's pocketsphinx. Runs on Node 20 and later. If
// neither is available, it prints why and exits: everything except local speech recognition still works.
import { spawn } from 'node:child_process';
import { setPriority } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { addModel, isModelThere } from './models.mjs';
import { unpackPocketsphinx } from './pocketsphinx.mjs';
import { isStall } from './progress.mjs';

const model = 'moonshine-base';
const attempts = 5;
const pauseMs = 60_000;

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
  return addModel(model, { signal: interrupted }).then(
    () => undefined,
    (failure) => [failure.message, failure.cause?.message].filter(Boolean).join(': '),
  );
}

async function main() {
  // Unpacking takes seconds of CPU time; the starting platform has priority.
  setPriority(15);
  const interruption = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => interruption.abort());
  const { signal } = interruption;
  say(
    `no speech is recognized on this machine yet: installing ${model} (65 MB) meanwhile; transcription answers 409 ` +
      'PROVIDER_NOT_CONFIGURED until a line says that it is ready',
  );
  for (let attempt = 1; !signal.aborted; attempt += 1) {
    const outcome = await install(signal);
    if (signal.aborted) return;
    const isLast = !outcome.isStalled || attempt === attempts;
    say(isLast ? outcome.line : `${outcome.line}; trying again in ${pauseMs / 1_000} s`);
    if (isLast) return;
    await delay(pauseMs, undefined, { signal }).catch(() => undefined);
  }
}

/** One attempt at either recognizer: what to say of it, and whether the machine was merely too busy. */
async function install(signal) {
  const withoutModel = await installModel(signal);
  if (!withoutModel) return { line: `local speech recognition is ready (${model})` };
  if (signal.aborted) return { line: '' };
  say(`${model} cannot be installed (${withoutModel}): unpacking pocketsphinx instead`);
  const withoutPackage = await unpackPocketsphinx({ interrupted: signal });
  const better = `\`npm run models -- add ${model}\` tries again for a better recognizer (${withoutModel})`;
  if (!withoutPackage) return { line: `local speech recognition is ready (pocketsphinx); ${better}` };
  return {
    line: `local speech recognition stays off: ${withoutPackage}; ${better}, or configure a speech-to-text provider`,
    isStalled: isStall(withoutModel) || isStall(withoutPackage),
  };
}

function say(line) {
  process.stderr.write(`parley: ${line}\n`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
