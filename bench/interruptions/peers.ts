import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { bytesFromSamples } from '@parley/audio';
import { z } from 'zod';
import { jsonLinesOf } from '../measure/json-lines';
import { livekitFolder } from '../voice/contestants/livekit-install';

/** The sound for a peer: a call with a question, and later a sound while the agent speaks. */
export interface PlayedCall {
  readonly samples: Int16Array;
  readonly sampleRate: number;
  /** When the sound begins. */
  readonly atMs: number;
  readonly question: string;
  /** What a recognizer transcribes from the sound; empty if nothing is said. */
  readonly text: string;
}

/**
 * How an agent reacts to a sound: when it first fell silent after the sound began, for how long, and whether it gave up its
 * answer.
 */
export interface Reaction {
  readonly tookFloor: boolean;
  readonly silentAfterMs: number | undefined;
  readonly silentMs: number;
}

const Told = z.object({
  tookFloor: z.boolean(),
  setting: z.string().optional(),
  wasSpeaking: z.boolean().optional(),
  fromMs: z.number().optional(),
  untilMs: z.number().optional(),
});
type Told = z.output<typeof Told>;

/** Undefined if the agent had not begun to speak: on a busy machine a peer may be too late for that. */
type Reactions = readonly (Reaction | undefined)[];

/** The available peers by setting, and their reactions to every call. */
export function peersHearing(calls: readonly PlayedCall[], python: string | undefined): Map<string, Reactions> {
  const folder = mkdtempSync(path.join(tmpdir(), 'interruptions-'));
  try {
    const index = calls.map(({ samples, ...about }, at) => {
      writeFileSync(path.join(folder, `${at}.pcm`), bytesFromSamples(samples));
      return { file: `${at}.pcm`, ...about };
    });
    writeFileSync(path.join(folder, 'index.json'), JSON.stringify(index));
    return new Map([...livekit(folder), ...(python === undefined ? [] : pipecat(folder, python))]);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/**
 * With its defaults. Its rule of several words is meant for a streaming recognizer, while here words only arrive once a voice has
 * ended.
 */
function livekit(sounds: string): [string, Reactions][] {
  const agents = livekitFolder();
  if (!agents) return [];
  const script = path.join(__dirname, 'livekit.mjs');
  return [['livekit agents-js', jsonLinesOf([process.execPath, script, agents, sounds], Told).map(reactionOf)]];
}

function pipecat(sounds: string, python: string): [string, Reactions][] {
  const told = jsonLinesOf([python, path.join(__dirname, 'pipecat_interrupts.py'), sounds], Told);
  const bySetting = Map.groupBy(told, ({ setting }) => setting ?? 'pipecat');
  return [...bySetting].map(([name, those]) => [name, those.map(reactionOf)]);
}

function reactionOf({ tookFloor, wasSpeaking = true, fromMs, untilMs }: Told): Reaction | undefined {
  if (!wasSpeaking) return undefined;
  const silentMs = fromMs !== undefined && untilMs !== undefined ? untilMs - fromMs : 0;
  return { tookFloor, silentAfterMs: fromMs, silentMs };
}
