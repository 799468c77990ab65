import type { SpokenLanguage, TimedWord } from '@parley/ports';
import { z } from 'zod';

export const deepgramCodes: Partial<Record<SpokenLanguage, string>> = { english: 'en', hindi: 'hi' };

const Word = z.object({ word: z.string(), punctuated_word: z.string().optional(), start: z.number(), end: z.number() });

/** One reading of what was said, the same in answers and in live results. */
export const Alternative = z.object({ transcript: z.string(), words: z.array(Word).default([]) });

/** Deepgram's seconds as our milliseconds. */
export function timedWords({ words }: z.output<typeof Alternative>): TimedWord[] {
  return words.map(({ word, punctuated_word, start, end }) => ({
    text: punctuated_word ?? word,
    startMs: start * 1000,
    endMs: end * 1000,
  }));
}
