import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { SpeechToText } from '@parley/ports';
import { englishWords, type HumanRecording, humanRecordings, recordedRate } from '../turns/recordings';

const speaker = 'en_US_f_Allison';
const wordsMin = 4;

export interface Spoken extends HumanRecording {
  readonly words: readonly string[];
}

/**
 * One speaker's recordings for telephone exchanges, in a fixed order, with the words spoken. Empty if they cannot be unpacked.
 */
export function spokenWords(most?: number): Spoken[] {
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
    .slice(0, most);
}

interface Listening {
  readonly model: string;
  readonly spoken: readonly Spoken[];
  /** The line through which they are heard. */
  through?(samples: Int16Array): Int16Array;
}

/** How an engine transcribes the recordings: wrong words, recordings without errors, and processing time. */
export async function transcribed(engine: SpeechToText, { model, spoken, through = (samples) => samples }: Listening) {
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
  return { wrong, words, whole, seconds, tookMs };
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
