// Ears for this machine: Moonshine, which needs npm's registry only, or else Debian's pocketsphinx. Runs on any Node from 20 on. Where
// neither can be had, it says why and leaves: everything but local speech recognition works.
import { spawn } from 'node:child_process';
import { setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import { addModel, isModelThere } from './models.mjs';
import { unpackPocketsphinx } from './pocketsphinx.mjs';

const model = 'moonshine-tiny';
const patienceMs = 180_000;

/**
 * Brings an ear beside a platform that is starting, which waits for nothing: the speech service finds the engine once it is there.
 * Says one line when it is done. Ends with us.
 */
export async function bringEarsBeside() {
  if (await isModelThere(model)) return;
  const child = spawn(process.execPath, [fileURLToPath(import.meta.url)], { stdio: ['ignore', 'ignore', 'inherit'] });
  child.on('error', () => {});
  child.unref();
  process.on('exit', () => child.kill());
}

/** Brings the model, unless it is there. Answers undefined when it is, and otherwise the reason why it is not. */
export async function bringModel(interrupted) {
  if (await isModelThere(model)) return undefined;
  const patience = AbortSignal.timeout(patienceMs);
  return addModel(model, { signal: interrupted ? AbortSignal.any([interrupted, patience]) : patience }).then(
    () => undefined,
    (failure) => [failure.message, failure.cause?.message].filter(Boolean).join(': '),
  );
}

async function main() {
  // Unpacking costs seconds of a core; a platform that starts beside it goes first.
  setPriority(15);
  const interruption = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => interruption.abort());
  const withoutModel = await bringModel(interruption.signal);
  if (interruption.signal.aborted) return;
  if (!withoutModel) return say(`local speech recognition is ready (${model})`);
  const withoutPackage = await unpackPocketsphinx({ interrupted: interruption.signal });
  if (interruption.signal.aborted) return;
  const better = `\`npm run models -- add ${model}\` tries again for a better ear (${withoutModel})`;
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
