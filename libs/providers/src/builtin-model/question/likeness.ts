import { conceptOf, formsOf, isStopWord, meaningsOf, partsOfCompound, soundsOf, wordsOf } from '@parley/language';
import { LRUCache } from 'lru-cache';
import type { NeededWord } from './needs';

/** The words of a text, to be compared with the words of a question. */
export interface TextWords {
  readonly stems: ReadonlySet<string>;
  readonly concepts: ReadonlySet<string>;
  readonly latinSounds: ReadonlySet<string>;
  readonly devanagariSounds: ReadonlySet<string>;
  /** How its Devanagari words sound, and separately those in Latin letters. */
  readonly heard: ReadonlySet<string>;
  readonly latinHeard: ReadonlySet<string>;
}

const textsRemembered = 20_000;
const remembered = new LRUCache<string, TextWords>({ max: textsRemembered });

/** Parses the words of a text. Results are cached, because the texts of a knowledge base are compared with every question. */
export function textWords(text: string): TextWords {
  const known = remembered.get(text);
  if (known) return known;
  // "Not" has the same stem as "notes".
  const words = wordsOf(`${text} ${(text.match(compound) ?? []).join(' ').replaceAll('-', '')}`).filter((word) => word !== 'not');
  const content = words.filter((word) => !isStopWord(word)).flatMap((word) => [word, ...partsOfCompound(word)]);
  // A booking is a reservation, and has nothing to do with books.
  const stems = content.map((word) => (isBooked.test(word) ? reserve : formsOf(word).stem));
  const soundsOf = (of: readonly string[]) =>
    new Set(
      of.flatMap((word) => {
        // A word that the dictionary knows is matched by its meaning. Its sound is not used, since many words have the same three
        // consonants.
        const { sounds } = formsOf(word);
        return meaningsOf(word).size > 0 ? sounds.filter((sound) => sound.length >= soundLengthMin) : sounds;
      }),
    );
  const said = {
    stems: new Set([...stems, ...words]),
    concepts: new Set(stems.flatMap((stem) => conceptOf(stem) ?? [])),
    latinSounds: soundsOf(content.filter(isLatin)),
    devanagariSounds: soundsOf(content.filter((word) => !isLatin(word))),
    heard: new Set(content.filter((word) => !isLatin(word)).flatMap(loanOf)),
    latinHeard: new Set(content.filter(isLatin).flatMap(loanOf)),
  };
  remembered.set(text, said);
  return said;
}

/** The sounds of a word, as written and without Hindi and Marathi suffixes. */
const loanOf = (word: string): string[] => {
  const { heard, stem } = formsOf(word);
  return [heard, formsOf(stem).heard].filter((one) => one !== undefined);
};
const loanLettersMin = 4;

/** Whether a word is the same loanword in another script, possibly with the endings of Hindi or Marathi: `limit` and `लिमिट`. */
function isLoanOf(word: string, comparable: TextWords): boolean {
  const across = isLatin(word) ? comparable.heard : comparable.latinHeard;
  return across.size > 0 && loanOf(word).some((heard) => heard.length >= loanLettersMin && across.has(heard));
}

const isBooked = /^book(?:ed|ings?)$/u;
const reserve = formsOf('reserve').stem;
const compound = /\p{L}[\p{L}\p{M}]*-\p{L}[\p{L}\p{M}]*/gu;
const isLatin = (word: string): boolean => /^[a-z\d]/u.test(word);

/** Concepts with several kinds of things, such as cars and scooters, where only the dictionary says which words mean the same. */
const ofKinds: ReadonlySet<string> = new Set(['VEHICLE']);

/** How certainly a text mentions a word of the question: 1 for the word itself, less for the same meaning or sound. */
export function likeness({ word, stem, sounds, meanings, concept, heard }: NeededWord, comparable: TextWords): number {
  if (comparable.stems.has(stem) || comparable.stems.has(word)) return 1;
  for (const meaning of meanings) if (comparable.stems.has(meaning)) return 0.9;
  if (concept !== undefined && !ofKinds.has(concept) && comparable.concepts.has(concept)) return 0.85;
  if (heard !== undefined && comparable.heard.has(heard)) return 0.85;
  const across = isLatin(word) ? comparable.devanagariSounds : comparable.latinSounds;
  if (sounds.some((sound) => across.has(sound))) return 0.85;
  if (isLoanOf(word, comparable)) return 0.85;
  // Hindi words have no fixed spelling in Latin letters, and people misspell names.
  const alike = isLatin(word) ? comparable.latinSounds : comparable.devanagariSounds;
  return sounds.some((sound) => sound.length >= soundLengthMin && alike.has(sound)) ? 0.7 : 0;
}

const soundLengthMin = 4;

/** The same for a name. Short words of names are also matched by sound across scripts. */
export function likenessToName(need: NeededWord, name: string): number {
  const like = likeness(need, textWords(name));
  if (like > 0) return like;
  if (isDoneIn(need, name)) return byRoot;
  const isOfLatin = isLatin(need.word);
  const words = wordsOf(name).filter((word) => !isStopWord(word) && isLatin(word) !== isOfLatin);
  const isAlike = words.some(
    (word) =>
      soundsOf(word, shortSoundMin).some((sound) => need.shortSounds.includes(sound)) ||
      loanOf(word).some((heard) => heard === formsOf(need.word).heard),
  );
  return isAlike ? 0.8 : 0;
}

const byRoot = 0.8;
const rootLettersMin = 2;
const endingLettersMax = 3;

/** Whether a name contains the root of a verb: गाळप and गाळायचे. */
function isDoneIn({ root, word }: NeededWord, name: string): boolean {
  if (root === undefined || root.length < rootLettersMin || isLatin(word)) return false;
  return wordsOf(name).some((one) => one.startsWith(root) && one.length - root.length <= endingLettersMax);
}

const shortSoundMin = 2;
