import { foldSpelling, heardAs, wordsOf } from './spelling';
import { stemOf } from './stems';
import { contentTerms, formsOf, soundsOf } from './terms';

import { commonWords } from './meanings/common-words';
import { everyday, household } from './meanings/everyday';
import { acts, things } from './meanings/things-and-acts';
import { trades } from './meanings/trades';

/**
 * A question is searched under all groups of its words, so that it matches knowledge in another language. Broader than the
 * concept table and less exact: the reader of the results ignores what does not fit.
 */
const groups = [everyday, acts, things, trades, household, commonWords].join('\n');

/** Postpositions that Marathi and Hindi write as part of the word before them, and the vowels of its oblique form. */
const behindWord = new RegExp(
  `(?:${[
    'साठी',
    'मध्ये',
    'पासून',
    'पर्यंत',
    'बद्दल',
    'प्रमाणे',
    'सोबत',
    'बरोबर',
    'शिवाय',
    'पेक्षा',
    'करिता',
    'वरील',
    'मधील',
    'कडे',
    'कडून',
    'मधून',
    'हून',
    'वर',
    'च्या',
    'चा',
    'ची',
    'चे',
    'ला',
    'ना',
    'ने',
    'नी',
    'त',
    'स',
  ]
    .map(foldSpelling)
    .join('|')})$`,
  'u',
);
const oblique = /(?:\u094d\u092f)?[\u093e-\u094c\u0902]*$/u;
const rootLettersMin = 3;

/**
 * A Devanagari word without postpositions and the vowels that change before them: `कुत्र्याच्या` and `कुत्रा` share one. It
 * removes more than the stems used for search may, and serves only to look words up in the dictionary.
 */
function rootOf(word: string): string | undefined {
  if (/^[a-z\d]/u.test(word)) return undefined;
  const bare = word.replace(behindWord, '');
  const root = (bare.length >= rootLettersMin ? bare : word).replace(oblique, '');
  return root.length >= rootLettersMin ? root : undefined;
}

type Meanings = Map<string, Set<string>>;

interface Dictionary {
  readonly byStem: Meanings;
  readonly byRoot: Meanings;
  /** Devanagari words as they stand: the stem of लॉकर is that of लाकर. */
  readonly byWord: Meanings;
  readonly byHearing: Meanings;
}

let made: Dictionary | undefined;

/** Made for the first question: most processes are asked none, and it takes 45 ms of CPU. */
function dictionary(): Dictionary {
  made ??= madeOf(groups);
  return made;
}

function madeOf(text: string): Dictionary {
  const all: Dictionary = { byStem: new Map(), byRoot: new Map(), byWord: new Map(), byHearing: new Map() };
  for (const group of text.split('\n')) {
    const [kind = [], ...members] = group.split(' > ').map((side) => side.split(' ').filter(Boolean).flatMap(wordsOf));
    relate(all, kind, [...kind, ...members.flat()]);
    // A kind means each of its members, and a member its kind, but no other member.
    for (const member of members.flat()) relate(all, [member], [member, ...kind]);
  }
  return all;
}

function relate({ byStem, byRoot, byWord, byHearing }: Dictionary, words: readonly string[], meant: readonly string[]): void {
  const stems = meant.map(stemOf);
  const note = (known: Meanings, key: string): void => {
    const meanings = known.get(key) ?? new Set<string>();
    known.set(key, meanings);
    for (const stem of stems) meanings.add(stem);
  };
  for (const stem of new Set(words.map(stemOf))) note(byStem, stem);
  for (const root of new Set(words.flatMap((word) => rootOf(word) ?? []))) note(byRoot, root);
  const ofHindi = new Set(words.filter((word) => !/^[a-z\d]/u.test(word)));
  for (const word of ofHindi) note(byWord, word);
  for (const heard of new Set([...ofHindi].flatMap((word) => heardAs(word) ?? []))) note(byHearing, heard);
}

/** The stems of all words that may mean the same as this word, in folded spelling; none for a word that no group holds. */
export function meaningsOf(word: string): ReadonlySet<string> {
  const { byStem, byRoot, byWord } = dictionary();
  return (
    byWord.get(word) ??
    byWord.get(word.replace(behindWord, '')) ??
    byStem.get(formsOf(word).stem) ??
    byRoot.get(rootOf(word) ?? '') ??
    nothing
  );
}

const nothing: ReadonlySet<string> = new Set();

/** What Hindi and Marathi write behind a word of theirs when they are written in Latin letters. */
const behindLatin = /(?:iyon|iyan|on|ein|en|chya|chi|cha|che|madhe|sathi|var|la|na|ni|ne|at)$/u;

/** The same for a word of Hindi or Marathi in Latin letters, however it is spelled. */
export function meaningsAsHeard(word: string): ReadonlySet<string> {
  const known = meaningsOf(word);
  if (known.size > 0) return known;
  const { byHearing } = dictionary();
  const bare = word.replace(behindLatin, '');
  return byHearing.get(heardAs(word) ?? '') ?? (bare === word ? nothing : (byHearing.get(heardAs(bare) ?? '') ?? nothing));
}

/** The two words that a Devanagari word is written together of, both of the dictionary: योग and वर्ग of योगवर्ग. */
export function partsOfCompound(word: string): readonly string[] {
  const { byStem } = dictionary();
  if (/^[a-z\d]/u.test(word) || word.length < 2 * rootLettersMin || byStem.has(stemOf(word))) return [];
  for (let place = rootLettersMin; place <= word.length - rootLettersMin; place += 1) {
    const [first, second] = [word.slice(0, place), word.slice(place)];
    if (/^\p{M}/u.test(second) || first.endsWith('\u094d')) continue;
    if (byStem.has(first) && byStem.has(stemOf(second))) return [first, second];
  }
  return [];
}

/** The stems of words in other languages that mean the same as words of a question, with how they sound in the other script. */
export function termsAcrossLanguages(question: string): string[] {
  const stems = [...new Set([...contentTerms(question), ...wordsOf(question).map(stemOf)])];
  const meant = new Set(stems.flatMap((stem) => [...(dictionary().byStem.get(stem) ?? [])]));
  for (const stem of stems) meant.delete(stem);
  return [...meant].flatMap((stem) => [stem, ...soundsOf(stem).map((sound) => `q${sound}q`)]);
}
