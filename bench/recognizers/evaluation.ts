// `npm run eval -- recognizers [--most N]`: how many words the local engines for English get wrong, on recordings of a person who speaks for
// telephone exchanges, as recorded (8 kHz), through a telephone's encoding, and with noise. Asks every engine that is there, and says
// what the others lack. It also prints how long a second of speech takes.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { muLaw } from '@parley/audio';
import type { SpeechToText } from '@parley/ports';
import { openSpeechToText, transcribeProviders } from '@parley/providers/speech-catalogue';
import { report } from '../measure/report';
import { englishWords, type HumanRecording, humanRecordings, recordedRate } from '../turns/recordings';

const speaker = 'en_US_f_Allison';
const wordsMin = 4;
const noiseDb = 10;

const lines = {
  'as recorded': (samples: Int16Array) => samples,
  'mu-law': (samples: Int16Array) => muLaw.decode(muLaw.encode(samples)),
  'noise at 10 dB': (samples: Int16Array) => muLaw.decode(muLaw.encode(noisy(samples))),
} as const;

interface Spoken extends HumanRecording {
  readonly words: readonly string[];
}

async function main(): Promise<void> {
  const spoken = spokenWords();
  if (spoken.length === 0) return console.log('There are no recordings with their words: Debian’s packages could not be had.');
  const config = { PARLEY_MODELS: '.cache/models', POCKETSPHINX_DIR: '.cache/pocketsphinx' };
  for (const { name, models } of transcribeProviders.filter(({ isLocal }) => isLocal)) {
    for (const { model } of models) {
      const engine = await openSpeechToText(name, config);
      try {
        report('recognizers', await figuresOf(engine, `${name} ${model}`, { model, spoken }));
      } catch (failure) {
        console.log(`${name} ${model}: ${engine.capabilities.unavailable ?? String(failure)}`);
      } finally {
        await engine.close();
      }
    }
  }
}

async function figuresOf(engine: SpeechToText, what: string, { model, spoken }: { model: string; spoken: readonly Spoken[] }) {
  const rows = [];
  for (const [line, through] of Object.entries(lines)) {
    let [wrong, words, whole, seconds, tookMs] = [0, 0, 0, 0, 0];
    for (const recording of spoken) {
      const sound = through(recording.samples);
      const audio = async function* (): AsyncGenerator<Int16Array> {
        yield sound;
      };
      const startedAtMs = performance.now();
      const { text } = await engine.transcribe({ audio, sampleRate: recordedRate, language: 'english', model });
      tookMs += performance.now() - startedAtMs;
      const errors = distance(recording.words, wordsOf(text));
      wrong += errors;
      whole += errors === 0 ? 1 : 0;
      words += recording.words.length;
      seconds += sound.length / recordedRate;
    }
    rows.push({
      ...{ engine: what, line, recordings: spoken.length, words },
      wordErrors: percent(wrong / words),
      withoutError: percent(whole / spoken.length),
      msPerSecondOfSpeech: Math.round(tookMs / seconds),
    });
  }
  return rows;
}

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;

/** The recordings with what is said in them. */
function spokenWords(): Spoken[] {
  const [, most = 'Infinity'] = process.argv.slice(process.argv.indexOf('--most'));
  const recordings = humanRecordings().filter((recording) => recording.speaker === speaker);
  if (!existsSync(englishWords)) return [];
  const said = new Map(
    gunzipSync(readFileSync(englishWords))
      .toString()
      .split('\n')
      .map((line) => [path.posix.basename(line.slice(0, line.indexOf(':'))), line.slice(line.indexOf(':') + 1)] as const),
  );
  return recordings
    .map((recording) => ({ ...recording, words: wordsOf(said.get(recording.name) ?? '') }))
    .filter(({ words }) => words.length >= wordsMin)
    .slice(0, process.argv.includes('--most') ? Number(most) : undefined);
}

const digits = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine'];

/** Without case, punctuation, remarks in brackets and the difference between a digit and its word. */
function wordsOf(text: string): string[] {
  return text
    .toLowerCase()
    .replace(/\[.*?\]|\(.*?\)/gu, ' ')
    .replace(/\d/gu, (digit) => ` ${digits[Number(digit)] ?? ''} `)
    .replaceAll('*', ' star ')
    .replace(/['’]/gu, '')
    .replace(/[^a-z ]/gu, ' ')
    .split(' ')
    .filter((word) => word !== '');
}

/** Words put in, left out or taken for others. */
function distance(wanted: readonly string[], heard: readonly string[]): number {
  let row = Array.from({ length: heard.length + 1 }, (_, at) => at);
  for (const [above, word] of wanted.entries()) {
    const next = [above + 1];
    for (const [at, other] of heard.entries())
      next.push(Math.min((row[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1, (row[at] ?? 0) + (word === other ? 0 : 1)));
    row = next;
  }
  return row.at(-1) ?? 0;
}

/** White noise, the same in every run, so many decibels below the voice. */
function noisy(samples: Int16Array): Int16Array {
  const power = samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length;
  const amplitude = Math.sqrt(3 * power) / 10 ** (noiseDb / 20);
  let seed = 1;
  return samples.map((sample) => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
    return Math.max(-32_768, Math.min(32_767, sample + amplitude * (seed / 2 ** 31 - 1)));
  });
}

void main();
