import type { TimedWord } from '@parley/ports';

const timedWord = /^(\S+) (\d+\.\d+) (\d+\.\d+) \d+\.\d+$/;
const noise = /^(?:<.*>|\[.*\])$/;
const pronunciation = /\(\d+\)$/;

/** What the engine printed with `-time yes`: a line for every utterance, then one for every word with its seconds. */
export function transcriptionFrom(printed: string): { text: string; words: TimedWord[] } {
  const words: TimedWord[] = [];
  for (const line of printed.split('\n')) {
    const [, word = '', start, end] = timedWord.exec(line) ?? [];
    if (!word || noise.test(word)) continue;
    words.push({
      text: word.replace(pronunciation, ''),
      startMs: Math.round(Number(start) * 1000),
      endMs: Math.round(Number(end) * 1000),
    });
  }
  return { text: words.map(({ text }) => text).join(' '), words };
}
