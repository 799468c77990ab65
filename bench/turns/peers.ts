import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { bytesFromSamples } from '@parley/audio';
import { z } from 'zod';
import { jsonLinesOf } from '../measure/json-lines';
import { livekitFolder } from '../voice/contestants/livekit-install';
import { quantile } from '../voice/quantile';
import type { PausedSpeech } from './paused-speech';
import { recordedRate } from './recordings';

/** How long a peer waits at each pause and at each end, with one of its settings. */
export interface Peer {
  readonly name: string;
  readonly atPauseMs: readonly number[];
  readonly atEndMs: readonly number[];
}

const Verdict = z.object({ done: z.number(), from: z.number(), ms: z.number() });
type Verdict = z.output<typeof Verdict>;

/** The silence after which both ask their models. */
const askedAfterMs = 200;
/**
 * The default waits of agents-js: for a streaming recognizer and for another, and the longest for a speaker who sounds
 * unfinished.
 */
const livekitWaits = [
  { minMs: 300, maxMs: 2500 },
  { minMs: 500, maxMs: 3000 },
];
const pipecatUnfinishedMs = 3000;
/** Thresholds other than their own give the rest of their curves. */
const shifts = [0.5, 1, 1.5];

/** The available peers, with the judgements of these callers by their own code and models. */
export async function peersThere(
  said: readonly { readonly speech: PausedSpeech; readonly language: string }[],
  python: string | undefined,
): Promise<Peer[]> {
  const folder = mkdtempSync(path.join(tmpdir(), 'turns-'));
  try {
    const sounds = said.flatMap(({ speech: { untilPause, untilEnd }, language }) =>
      [untilPause, untilEnd].map((samples) => ({ samples, language })),
    );
    const index = sounds.map(({ samples, language }, at) => {
      writeFileSync(path.join(folder, `${at}.pcm`), bytesFromSamples(samples));
      return { file: `${at}.pcm`, sampleRate: recordedRate, language };
    });
    writeFileSync(path.join(folder, 'index.json'), JSON.stringify(index));
    return [...livekit(folder), ...(python === undefined ? [] : pipecat(folder, python))];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function livekit(sounds: string): Peer[] {
  const folder = livekitFolder();
  if (!folder) return [];
  const verdicts = jsonLinesOf([process.execPath, path.join(__dirname, 'contestants/livekit.mjs'), folder, sounds], Verdict);
  return livekitWaits.flatMap(({ minMs, maxMs }) =>
    shifts.map((shift) =>
      peerOf(`livekit agents-js, ${minMs} to ${maxMs} ms, certainty times ${shift}`, verdicts, ({ done, from }, judgedMs) =>
        done < from * shift ? maxMs : Math.max(minMs, judgedMs),
      ),
    ),
  );
}

function pipecat(sounds: string, python: string): Peer[] {
  const verdicts = jsonLinesOf([python, path.join(__dirname, 'contestants/pipecat_judge.py'), sounds], Verdict);
  return shifts.map((shift) =>
    peerOf(`pipecat, certainty times ${shift}`, verdicts, ({ done, from }, judgedMs) =>
      done > from * shift ? judgedMs : pipecatUnfinishedMs,
    ),
  );
}

/** Every peer is assumed to be as fast as its median on this machine. */
function peerOf(name: string, verdicts: readonly Verdict[], wait: (verdict: Verdict, judgedMs: number) => number): Peer {
  const usualMs = quantile(
    verdicts.map(({ ms }) => ms),
    0.5,
  );
  const waits = verdicts.map((verdict) => wait(verdict, askedAfterMs + usualMs));
  return { name, atPauseMs: waits.filter((_, at) => at % 2 === 0), atEndMs: waits.filter((_, at) => at % 2 === 1) };
}
