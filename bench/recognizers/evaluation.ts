// `npm run eval -- recognizers [--most N]`: the word error rate of the local English engines, on recordings of one
// speaker made for telephone exchanges: as recorded (8 kHz), through mu-law, and with noise. Runs every installed engine, says what the
// others lack, and prints the time that a second of speech takes.
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
  if (spoken.length === 0) return console.log('No recordings: Debian’s packages could not be downloaded.');
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

/** The recordings and their transcripts. */
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

/** Ignores case, punctuation and remarks in brackets, and spells digits out. */
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

/** Edit distance in words. */
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

/** Adds white noise `noiseDb` below the voice, the same in every run. */
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
