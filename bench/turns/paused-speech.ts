import { joinSamples } from '@parley/audio';
import type { VoiceActivity, VoiceWindow } from '@parley/ports';
import { noise } from '../hearing/spoken';
import { type HumanRecording, recordedRate } from './recordings';

/** Speech with a pause in it, and its end. */
export interface PausedSpeech {
  readonly isHeldOut: boolean;
  readonly pauseMs: number;
  /** The sound up to the moment when the pause, or the end, could be detected. */
  readonly untilPause: Int16Array;
  readonly untilEnd: Int16Array;
}

const voiceAbove = 0.5;
const gapMsMin = 60;
const spokenMsMin = 700;
/** How long it is quiet before a recording. */
export const quietMs = 500;
/** How long after it ends a voice is reported as ended. */
export const noticedAfterMs = 160;
const pauseMsMin = 300;
const pauseMsMax = 1500;
const pauses = 7;
const roomNoise = 12;
/** Recordings of all other speakers, and half of those of these, were not looked at when waits were chosen. */
const speakersTuned = /^(?:en|es)_/;

/**
 * Lengthens a natural pause of a recording: between phrases the longest one, which is often the end of a sentence; between words
 * the shortest. Undefined if there is none.
 */
export async function pausedSpeech(
  { samples, speaker }: HumanRecording,
  { between, index, voiceActivity }: { between: 'phrases' | 'words'; index: number; voiceActivity: VoiceActivity },
): Promise<PausedSpeech | undefined> {
  const voiced = (await windowsOf(samples, voiceActivity)).filter(({ probability }) => probability > voiceAbove);
  const [first, last] = [voiced[0], voiced.at(-1)];
  if (!first || !last) return undefined;
  const gaps = gapsOf(voiced).filter(
    ({ startMs, endMs }) => startMs - first.startMs >= spokenMsMin && last.endMs - endMs >= spokenMsMin,
  );
  const gap = between === 'phrases' ? gaps.at(-1) : gaps[0];
  if (!gap) return undefined;
  const pauseMs = pauseMsMin + ((index % pauses) * (pauseMsMax - pauseMsMin)) / (pauses - 1);
  const before = [quiet(quietMs), part(samples, 0, gap.startMs)];
  const untilPause = joinSamples([...before, quiet(noticedAfterMs)]);
  const untilEnd = joinSamples([...before, quiet(pauseMs), part(samples, gap.endMs, last.endMs), quiet(noticedAfterMs)]);
  return { isHeldOut: !speakersTuned.test(speaker) || index % 2 === 1, pauseMs, untilPause, untilEnd };
}

async function windowsOf(samples: Int16Array, voiceActivity: VoiceActivity): Promise<VoiceWindow[]> {
  const windows: VoiceWindow[] = [];
  const expected = Math.floor(samples.length / ((recordedRate * voiceActivity.capabilities.windowMs) / 1000));
  const judged = Promise.withResolvers<void>();
  const listener = (window: VoiceWindow): void => {
    if (windows.push(window) === expected) judged.resolve();
  };
  const stream = await voiceActivity.open({ sampleRate: recordedRate, listener });
  stream.push(samples);
  await judged.promise;
  stream.close();
  return windows;
}

/** The silences between voices, shortest first. */
function gapsOf(voiced: readonly VoiceWindow[]): { readonly startMs: number; readonly endMs: number }[] {
  return voiced
    .slice(1)
    .map((window, index) => ({ startMs: voiced[index]?.endMs ?? 0, endMs: window.startMs }))
    .filter(({ startMs, endMs }) => endMs - startMs >= gapMsMin)
    .toSorted((a, b) => a.endMs - a.startMs - (b.endMs - b.startMs));
}

function part(samples: Int16Array, fromMs: number, toMs: number): Int16Array {
  return samples.slice((fromMs * recordedRate) / 1000, (toMs * recordedRate) / 1000);
}

function quiet(ms: number): Int16Array {
  return noise((ms * recordedRate) / 1000, roomNoise);
}
