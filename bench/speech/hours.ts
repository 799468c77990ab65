import { spawn } from 'node:child_process';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { encodeSamples, resample, wavHeader } from '@parley/audio';
import { DiskFiles } from '@parley/providers/disk-files';
import { createMp3Encoder } from 'wasm-media-encoders';
import { z } from 'zod';
import type { Figures } from '../measure/report';
import { benchHome } from '../measure/running-platform';
import { CountingEngine } from './counting-engine';

const spokenRate = 16_000;
const telephoneRate = 8000;
/** A little less than an hour, the longest recording, because an encoder adds silence each time. */
const mp3Seconds = 3580;
const bitrate = 48;
/** The size limit of an upload: 54 minutes of telephone audio. */
const wavBytesMax = 25 * 1024 * 1024;

/** The settings of the transcribing process. */
export interface Hearing {
  readonly folder: string;
  readonly key: string;
  readonly bytes: number;
  readonly engineUrl: string;
}

const Heard = z.object({ audioSeconds: z.number(), workMs: z.number(), idleBytes: z.number(), overIdleBytes: z.number() });
/** The measurements that it prints. */
export type Heard = z.output<typeof Heard>;

/**
 * Recordings of maximum length, from the file store through the speech service, and the memory that its process needs for them.
 */
export async function measureHours(spoken: Int16Array): Promise<Figures[]> {
  const home = benchHome();
  const files = new DiskFiles(home.directory);
  const engine = await CountingEngine.start();
  const recordings: readonly [string, () => AsyncGenerator<Uint8Array>][] = [
    [`MP3, ${bitrate} kbit/s, ten minutes`, () => mp3Of(spoken, 600)],
    [`MP3, ${bitrate} kbit/s`, () => mp3Of(spoken, mp3Seconds)],
    ['WAV, µ-law, 8 kHz', () => wavOf(spoken)],
  ];
  try {
    const rows: Figures[] = [];
    for (const [what, write] of recordings) {
      const { key, bytes } = await files.put(`uploads/1/${rows.length}`, write(), { bytesMax: wavBytesMax });
      rows.push({
        what,
        MB: (bytes / 1e6).toFixed(1),
        ...(await hear({ folder: home.directory, key, bytes, engineUrl: engine.url }, engine)),
      });
    }
    return rows;
  } finally {
    await engine.stop();
    home.remove();
  }
}

async function hear(hearing: Hearing, engine: CountingEngine): Promise<Figures> {
  engine.heardSamples.length = 0;
  const program = path.join(__dirname, 'recording-hearing.js');
  const child = spawn(process.execPath, [program, JSON.stringify(hearing)], { stdio: ['ignore', 'pipe', 'inherit'] });
  const answer = await text(child.stdout);
  // The first piece is the short recording before the long one.
  const [, ...pieces] = engine.heardSamples;
  const { audioSeconds, workMs, idleBytes, overIdleBytes } = Heard.parse(JSON.parse(answer));
  return {
    'seconds decoded': audioSeconds.toFixed(0),
    'seconds at the engine': (pieces.reduce((total, samples) => total + samples, 0) / spokenRate).toFixed(0),
    pieces: pieces.length,
    'work ms': workMs.toFixed(0),
    'idle MiB': (idleBytes / 1024 / 1024).toFixed(0),
    'peak MiB over idle': (overIdleBytes / 1024 / 1024).toFixed(0),
  };
}

async function* mp3Of(spoken: Int16Array, secondsMin: number): AsyncGenerator<Uint8Array> {
  const encoder = await createMp3Encoder();
  encoder.configure({ channels: 1, sampleRate: spokenRate, bitrate });
  const round = Float32Array.from(spoken, (sample) => sample / 32_768);
  for (let seconds = 0; seconds < secondsMin; seconds += round.length / spokenRate)
    yield Uint8Array.from(encoder.encode([round]));
  yield Uint8Array.from(encoder.finalize());
}

async function* wavOf(spoken: Int16Array): AsyncGenerator<Uint8Array> {
  const round = encodeSamples(await resample(spoken, spokenRate, telephoneRate), 'mulaw');
  const rounds = Math.floor((wavBytesMax - 100) / round.length);
  yield wavHeader({ sampleRate: telephoneRate, encoding: 'mulaw', dataBytes: rounds * round.length });
  for (let i = 0; i < rounds; i++) yield round;
}
