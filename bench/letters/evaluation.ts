// `npm run eval -- letters [--db 10,5] [--rates 8000,16000] [--filters 0,100]`: how many letters, spelled by people over a noisy
// telephone line, are not detected as a voice, with and without noise suppression.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { joinSamples, resample, samplesFromBytes } from '@parley/audio';
import type { NoiseSuppression, VoiceActivity } from '@parley/ports';
import { Rnnoise } from '@parley/providers/rnnoise';
import { Silero } from '@parley/providers/silero';
import { openRecognition } from '@parley/voice-session';
import { noise } from '../hearing/spoken';
import { type Figures, report } from '../measure/report';
import { recordedRate, recordingsFolder, recordingsThere, wavHeaderBytes } from '../turns/recordings';

const { values } = parseArgs({
  args: process.argv.slice(2),
  options: {
    db: { type: 'string', default: '10,5' },
    rates: { type: 'string', default: '8000,16000' },
    filters: { type: 'string', default: '0,100' },
  },
});
const numbers = (list: string): number[] => list.split(',').map(Number);
const speakers = ['en_US_f_Allison', 'fr_CA_f_June', 'it_IT_m_Carlo'];
const roomMs = 1000;
/** A voice reported this long before or after a letter still counts as that letter's. */
const besideMs = 100;
const loudAbove = 600;
const frameMs = 20;
/** This much sound is pushed at a time, and then waited for. */
const stepMs = 200;
/** Results may lag by one window of the model, and one of the filter with its delay. */
const behindMs = 64;
/** Enough other streams that all runs of the model are shared: then it never waits for further windows of a voice. */
const othersOnTheLine = 5;

/** How far the engines behind a recognition have got, in milliseconds of its sound. */
class Progress {
  private readonly reached = new Map<string, number>();
  private waiting: (() => void) | undefined;

  reach(engine: string, ms: number): void {
    this.reached.set(engine, ms);
    this.waiting?.();
  }

  /** Without this, a busy machine would count letters as missed that were merely not judged yet. */
  async until(ms: number): Promise<void> {
    while ([...this.reached.values()].some((each) => each < ms)) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.waiting = resolve;
      await promise;
    }
  }
}

interface Line {
  readonly sampleRate: number;
  readonly strength: number;
  readonly db: number;
  readonly silero: Silero;
  readonly rnnoise: Rnnoise;
}

async function main(): Promise<void> {
  const letters = speakers.flatMap(lettersOf);
  if (letters.length === 0) return console.log('No recordings: Debian’s packages could not be downloaded.');
  const silero = new Silero({ gatherMs: 0, answerMs: 60_000 });
  const rnnoise = new Rnnoise({ gatherMs: 0, answerMs: 60_000, loadMs: 60_000 });
  const rows: Figures[] = [];
  try {
    for (let i = 0; i < othersOnTheLine; i++) await silero.open({ sampleRate: recordedRate, listener: () => undefined });
    for (const db of numbers(values.db))
      for (const sampleRate of numbers(values.rates))
        for (const strength of numbers(values.filters)) {
          const line = { sampleRate, strength, db, silero, rnnoise };
          let missed = 0;
          for (const letter of letters) if (!(await isNoticed(letter, line))) missed += 1;
          rows.push({ 'noise, dB': db, 'samples/s': sampleRate, filter: strength, letters: letters.length, missed });
          process.stdout.write(`${JSON.stringify(rows.at(-1))}\n`);
        }
    report('letters', rows);
  } finally {
    await Promise.all([silero.close(), rnnoise.close()]);
  }
}

function lettersOf(speaker: string): Int16Array[] {
  const folder = path.join(recordingsFolder, speaker, 'letters');
  if (!recordingsThere() || !existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((file) => /^[a-z]\.wav$/.test(file))
    .toSorted()
    .map((file) => samplesFromBytes(readFileSync(path.join(folder, file)).subarray(wavHeaderBytes)).slice());
}

async function isNoticed(letter: Int16Array, { sampleRate, strength, silero, rnnoise, db }: Line): Promise<boolean> {
  const sound = await resample(inNoise(letter, db), recordedRate, sampleRate);
  const progress = new Progress();
  const startsMs: number[] = [];
  const recognition = await openRecognition(
    {
      sampleRate,
      voiceActivity: followedVoices(silero, progress),
      ...(strength > 0 && { noise: { suppression: followedFilter(rnnoise, progress), strength } }),
    },
    (event) => event.kind === 'speech-started' && startsMs.push(event.atMs),
  );
  const frame = (sampleRate * frameMs) / 1000;
  for (let at = 0; at + frame <= sound.length; at += frame) {
    recognition.hear(sound.slice(at, at + frame));
    const heardMs = ((at + frame) * 1000) / sampleRate;
    if (heardMs % stepMs === 0 || at + 2 * frame > sound.length) await progress.until(heardMs - behindMs);
  }
  recognition.close();
  const endMs = roomMs + (letter.length * 1000) / recordedRate;
  return startsMs.some((ms) => ms >= roomMs - besideMs && ms <= endMs + besideMs);
}

/** A letter with a quiet second before and after it, and white noise in the telephone band, `db` below its voice. */
function inNoise(letter: Int16Array, db: number): Int16Array {
  const room = new Int16Array((roomMs * recordedRate) / 1000);
  const loud = letter.filter((sample) => Math.abs(sample) > loudAbove);
  const power = loud.reduce((sum, sample) => sum + sample * sample, 0) / Math.max(1, loud.length);
  const line = joinSamples([room, letter, room]);
  const added = noise(line.length, Math.sqrt(3 * power) / 10 ** (db / 20));
  return line.map((sample, at) => Math.max(-32_768, Math.min(32_767, sample + (added[at] ?? 0))));
}

function followedVoices(engine: Silero, progress: Progress): VoiceActivity {
  return {
    capabilities: engine.capabilities,
    open({ sampleRate, listener }) {
      progress.reach('voices', 0);
      return engine.open({
        sampleRate,
        listener: (window) => {
          listener(window);
          progress.reach('voices', window.endMs);
        },
      });
    },
    close: async () => undefined,
  };
}

function followedFilter(engine: Rnnoise, progress: Progress): NoiseSuppression {
  return {
    delayMs: engine.delayMs,
    sampleRates: engine.sampleRates,
    open({ listener, ...request }) {
      let samples = 0;
      progress.reach('filter', 0);
      return engine.open({
        ...request,
        listener: (cleaned) => {
          samples += cleaned.length;
          listener(cleaned);
          progress.reach('filter', (samples * 1000) / request.sampleRate);
        },
      });
    },
    close: async () => undefined,
  };
}

void main();
