import { readFileSync } from 'node:fs';
import path from 'node:path';
import { spokenLanguages, type SpokenLanguage } from '@parley/ports';
import { z } from 'zod';

const Line = z.tuple([z.enum(spokenLanguages), z.enum(['done', 'more', 'dictation']), z.string()]);

export interface LabelledUtterance {
  readonly language: SpokenLanguage;
  readonly label: 'done' | 'more' | 'dictation';
  readonly text: string;
  /** Held out while the rules were written; no rule was ever changed because of one of these. */
  readonly isHeldOut: boolean;
}

/** Complete and unfinished utterances. Which half is held out depends on the text alone. */
export function labelledUtterances(): readonly LabelledUtterance[] {
  const lines = readFileSync(path.join(__dirname, 'utterances.tsv'), 'utf8').trim().split('\n');
  return lines.map((line) => {
    const [language, label, text] = Line.parse(line.split('\t'));
    return { language, label, text, isHeldOut: hashOf(text) % 2 === 1 };
  });
}

function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (const character of text) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193);
  return (hash >>> 16) & 0xff;
}
