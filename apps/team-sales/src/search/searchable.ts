import { containing as anywhere } from '@parley/database';

/** The accents that are typed apart from their letter. Vowel signs of Devanagari are not among them: they carry the sound. */
const accents = /[\u0300-\u036f]/g;

/** Texts as a search compares them: without case and accents, blanks made even. */
export function searchable(...texts: string[]): string {
  return texts.join(' ').normalize('NFKD').replace(accents, '').normalize('NFC').toLowerCase().replace(/\s+/g, ' ').trim();
}

/** A LIKE pattern that finds what somebody typed anywhere in a searchable text. Its wildcards stand for themselves. */
export function containing(typed: string): string {
  return anywhere(searchable(typed));
}
