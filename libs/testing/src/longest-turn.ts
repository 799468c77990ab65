import { constants, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks';
import { z } from 'zod';

const cpuMs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
};

/** A turn of the event loop, with its CPU time on this thread. */
interface Turn {
  readonly fromMs: number;
  readonly toMs: number;
  readonly cpuMs: number;
}

/** Node's report of a full garbage collection. */
const OfWholeHeap = z.object({ detail: z.object({ kind: z.literal(constants.NODE_PERFORMANCE_GC_MAJOR) }) });

/** Shorter turns are ignored, since they are many and irrelevant. */
const notedMs = 5;

/**
 * How long work blocks the event loop at most: its longest turn, in milliseconds of this thread's CPU time. Other load on the machine
 * does not count, nor do full garbage collections, which take much longer in a process that has run hundreds of tests than in a
 * service.
 */
export async function longestTurnMs(work: () => unknown): Promise<number> {
  const turns: Turn[] = [];
  const collections: { fromMs: number; toMs: number }[] = [];
  const note = (entries: PerformanceEntry[]): void => {
    for (const entry of entries)
      if (OfWholeHeap.safeParse(entry).success)
        collections.push({ fromMs: entry.startTime, toMs: entry.startTime + entry.duration });
  };
  const observer = new PerformanceObserver((list) => note(list.getEntries()));
  observer.observe({ entryTypes: ['gc'] });
  let isOver = false;
  await new Promise(setImmediate);
  let before = { atMs: performance.now(), cpuMs: cpuMs() };
  const look = (): void => {
    const now = { atMs: performance.now(), cpuMs: cpuMs() };
    const spent = now.cpuMs - before.cpuMs;
    if (spent > notedMs) turns.push({ fromMs: before.atMs, toMs: now.atMs, cpuMs: spent });
    before = now;
    if (!isOver) setImmediate(look);
  };
  setImmediate(look);
  try {
    await work();
  } finally {
    await new Promise(setImmediate);
    isOver = true;
    // Garbage collections are reported one turn later.
    await new Promise(setImmediate);
    note(observer.takeRecords());
    observer.disconnect();
  }
  const collected = ({ fromMs, toMs }: Turn): number =>
    collections
      .filter((each) => each.fromMs >= fromMs && each.toMs <= toMs)
      .reduce((sum, each) => sum + each.toMs - each.fromMs, 0);
  return Math.max(0, ...turns.map((turn) => turn.cpuMs - collected(turn)));
}

/** The same of code that is warm: its first run costs more, and happens once per process. */
export async function warmTurnMs(work: () => unknown): Promise<number> {
  return Math.min(await longestTurnMs(work), await longestTurnMs(work), await longestTurnMs(work));
}

/** The longest turn that anything on an event loop may take. */
export const loopBudgetMs = 100;

/** Words of drawn letters, the same for the same seed: unlike a repeated sentence, no cache of words shortens the work on them. */
export function wordsOf(letters: number, { alphabet, seed }: { alphabet: string; seed: number }): string {
  let state = seed * 7_919;
  const below = (limit: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
  const words: string[] = [];
  for (let length = 0; length < letters; length += (words.at(-1)?.length ?? 0) + 1)
    words.push(Array.from({ length: 3 + below(9) }, () => alphabet.charAt(below(alphabet.length))).join(''));
  return words.join(' ').slice(0, letters);
}

const repeated = (part: string) => (letters: number) =>
  part
    .repeat(Math.ceil(letters / part.length))
    .slice(0, letters)
    .replace(/\p{Cs}$/u, '');
const drawn = (alphabet: string, length: number) => (letters: number) =>
  Array.from({ length: Math.ceil(letters / length) }, (_, place) =>
    wordsOf(2 * length, { alphabet, seed: place + 1 })
      .replaceAll(' ', '')
      .padEnd(length - 1, alphabet)
      .slice(0, length - 1),
  )
    .join(' ')
    .slice(0, letters);

/** Texts of as many letters as wanted that are one word, or only long ones, in each script that people write to us. */
export const longWords: Readonly<Record<string, (letters: number) => string>> = {
  'one Devanagari letter': repeated('न'),
  कि: repeated('कि'),
  क्ष: repeated('क्ष'),
  नमक: repeated('नमक'),
  'one Latin letter': repeated('a'),
  ab: repeated('ab'),
  hello: repeated('hello'),
  ations: repeated('ations'),
  Arabic: repeated('مرحبا'),
  Tamil: repeated('வணக்கம்'),
  Chinese: repeated('你好'),
  emoji: repeated('🔑👍🏽'),
  'combining signs': repeated('e\u0301'),
  'nothing but signs of vowels': repeated('ि'),
  digits: repeated('1'),
  'Devanagari digits': repeated('१२'),
  'digits and commas': repeated('1,'),
  'digits and letters': repeated('5kg'),
  stops: repeated('.'),
  'question marks': repeated('?'),
  spaces: (letters) => `का ${' '.repeat(letters - 4)}x`,
  'scripts mixed': repeated('aन1क्षb'),
  'many long Latin words': drawn('abcdefghijklmnopqrstuvwxyz', 100),
  'many long Devanagari words': drawn('कखगघचजटडतदनपबमयरलवसहािुेो', 100),
};
