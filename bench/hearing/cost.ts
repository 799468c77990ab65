import { setTimeout as sleep } from 'node:timers/promises';
import { ScriptedSpeechToText } from '@parley/ports';
import type { Rnnoise } from '@parley/providers/rnnoise';
import type { Silero } from '@parley/providers/silero';
import { openRecognition } from '@parley/voice-session';
import type { Figures } from '../measure/report';
import { noise, spokenSentences } from './spoken';

export interface Listeners {
  readonly what:
    | 'the clock of this test alone'
    | 'voice activity'
    | 'whole recognition'
    | 'whole recognition, own voice played'
    | 'whole recognition, noise suppressed';
  readonly sampleRate: number;
  readonly streams: number;
  readonly silero: Silero;
  readonly rnnoise: Rnnoise;
}

const seconds = 6;
const frameMs = 20;

interface Listener {
  hear(samples: Int16Array): void;
  close(): void;
}

/** CPU time of the whole process, including threads, for streams in real time that contain speech half of the time. */
export async function measureCost(listeners: Listeners): Promise<Figures> {
  const { what, sampleRate, streams } = listeners;
  const sound = await halfSpoken(sampleRate);
  let windows = 0;
  const all = await Promise.all(Array.from({ length: streams }, () => openOne(listeners, () => (windows += 1))));
  const before = process.cpuUsage();
  const startedAtMs = performance.now();
  const frame = (sampleRate * frameMs) / 1000;
  for (let sent = 0; sent < (seconds * 1000) / frameMs; sent++) {
    await sleep(Math.max(0, startedAtMs + sent * frameMs - performance.now()));
    all.forEach((listener, index) => {
      const at = ((sent + index * 7) * frame) % (sound.length - frame);
      listener.hear(sound.subarray(at, at + frame));
    });
  }
  const tookMs = performance.now() - startedAtMs;
  const { user, system } = process.cpuUsage(before);
  for (const listener of all) listener.close();
  const perStream = (user + system) / 1000 / (streams * seconds);
  return {
    what,
    'samples/s': sampleRate,
    streams,
    'CPU-ms per stream and second': perStream.toFixed(2),
    '% of a core per stream': (perStream / 10).toFixed(2),
    'streams a core': Math.floor(1000 / perStream),
    ...(what === 'voice activity' && {
      'windows judged in time %': ((100 * windows * 32) / (streams * seconds * 1000)).toFixed(1),
    }),
    'behind ms': Math.round(tookMs - seconds * 1000 + frameMs),
  };
}

async function openOne({ what, sampleRate, silero, rnnoise }: Listeners, onWindow: () => void): Promise<Listener> {
  if (what === 'the clock of this test alone') return { hear: () => undefined, close: () => undefined };
  if (what === 'voice activity') {
    const stream = await silero.open({ sampleRate, listener: onWindow });
    return { hear: (samples) => stream.push(samples), close: () => stream.close() };
  }
  const noiseFilter = what === 'whole recognition, noise suppressed' ? { noise: { suppression: rnnoise, strength: 60 } } : {};
  const speechToText = new ScriptedSpeechToText();
  const recognition = await openRecognition(
    { sampleRate, voiceActivity: silero, speechToText, hearsDigits: true, ...noiseFilter },
    () => undefined,
  );
  const own = noise(sampleRate, 3000);
  return {
    hear: (samples) => {
      if (what === 'whole recognition, own voice played') recognition.noticeOwnVoice(own.subarray(0, samples.length));
      recognition.hear(samples);
    },
    close: () => recognition.close(),
  };
}

/** Sentences, each followed by quiet noise of the same length. */
async function halfSpoken(sampleRate: number): Promise<Int16Array> {
  const sentences = await spokenSentences(sampleRate);
  const parts = sentences.flatMap((sentence) => [sentence, noise(sentence.length, 40)]);
  const sound = new Int16Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    sound.set(part, at);
    at += part.length;
  }
  return sound;
}
