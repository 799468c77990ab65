import { setTimeout as sleep } from 'node:timers/promises';
import { joinSamples } from '@parley/audio';
import { ScriptedSpeechToText } from '@parley/ports';
import type { Silero } from '@parley/providers/silero';
import { openRecognition } from '@parley/voice-session';
import type { Figures } from '../measure/report';
import { noise, spokenSentences } from './spoken';

const frameMs = 20;
const quietMs = 1000;
const audible = 600;

/** The real time from when a voice begins or ends in the sound until the session is notified. */
export async function measureLatency(silero: Silero, sampleRate: number): Promise<Figures> {
  const started: number[] = [];
  const stopped: number[] = [];
  let missed = 0;
  for (const sentence of await spokenSentences(sampleRate)) {
    const { startedMs, stoppedMs } = await listenTo(silero, sentence, sampleRate);
    const onsetMs = quietMs + (1000 * sentence.findIndex((sample) => Math.abs(sample) > audible)) / sampleRate;
    const endMs = quietMs + (1000 * sentence.findLastIndex((sample) => Math.abs(sample) > audible)) / sampleRate;
    if (startedMs === undefined || stoppedMs === undefined) missed += 1;
    else {
      started.push(startedMs - onsetMs);
      stopped.push(stoppedMs - endMs);
    }
  }
  return {
    'samples/s': sampleRate,
    sentences: started.length,
    missed,
    'begin noticed p50 ms': share(started, 0.5),
    'begin noticed p95 ms': share(started, 0.95),
    'end noticed p50 ms': share(stopped, 0.5),
    'end noticed p95 ms': share(stopped, 0.95),
  };
}

async function listenTo(silero: Silero, sentence: Int16Array, sampleRate: number) {
  const quiet = noise((sampleRate * quietMs) / 1000, 40);
  const sound = joinSamples([quiet, sentence, quiet]);
  let startedMs: number | undefined;
  let stoppedMs: number | undefined;
  let beganAtMs = 0;
  const recognition = await openRecognition(
    { sampleRate, voiceActivity: silero, speechToText: new ScriptedSpeechToText() },
    ({ kind }) => {
      if (kind === 'speech-started') startedMs ??= performance.now() - beganAtMs;
      if (kind === 'speech-stopped') stoppedMs = performance.now() - beganAtMs;
    },
  );
  const frame = (sampleRate * frameMs) / 1000;
  beganAtMs = performance.now();
  for (let at = 0; at < sound.length; at += frame) {
    // A frame arrives when its last sample has been spoken.
    await sleep(Math.max(0, beganAtMs + ((at + frame) * 1000) / sampleRate - performance.now()));
    recognition.hear(sound.subarray(at, at + frame));
  }
  await sleep(300);
  recognition.close();
  return { startedMs, stoppedMs };
}

function share(values: readonly number[], part: number): string {
  return (values.toSorted((a, b) => a - b)[Math.floor(part * (values.length - 1))] ?? Number.NaN).toFixed(0);
}
