import { foldSpelling, heardAs, wordLettersMax, wordsOf } from './spelling';
import { stemOf } from './stems';
import { contentTerms, formsOf, soundsOf } from './terms';

import { commonWords } from './meanings/common-words';
import { everyday, household } from './meanings/everyday';
import { acts, things } from './meanings/things-and-acts';
import { trades } from './meanings/trades';

/**
 * A question is searched with all synonyms of its words, so that it matches knowledge in another language. This is broader and less
 * exact than the concept table; whoever reads the results ignores what does not fit.
 */
const groups = [everyday, acts, things, trades, household, commonWords].join('\n');

/** Postpositions that Marathi and Hindi write as suffixes, and the vowels of the oblique form before them. */
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
 * The root of a Devanagari word, without postpositions and the vowels that change before them: the same for `कुत्र्याच्या` and
 * `कुत्रा`. It removes more than a search stem may, and is used only to look words up in the dictionary.
 */
function rootOf(word: string): string | undefined {
  if (/^[a-z\d]/u.test(word) || word.length > wordLettersMax) return undefined;
  const bare = word.replace(behindWord, '');
  const root = (bare.length >= rootLettersMin ? bare : word).replace(oblique, '');
  return root.length >= rootLettersMin ? root : undefined;
}

type Meanings = Map<string, Set<string>>;

interface Dictionary {
  readonly byStem: Meanings;
  readonly byRoot: Meanings;
  /** Unstemmed Devanagari words, since for instance लॉकर and लाकर have the same stem. */
  readonly byWord: Meanings;
  readonly byHearing: Meanings;
}

let made: Dictionary | undefined;

/** Built for the first question, since it takes 45 ms of CPU and most processes never need it. */
function dictionary(): Dictionary {
  made ??= madeOf(groups);
  return made;
}

function madeOf(text: string): Dictionary {
  const all: Dictionary = { byStem: new Map(), byRoot: new Map(), byWord: new Map(), byHearing: new Map() };
  for (const group of text.split('\n')) {
    const [kind = [], ...members] = group.split(' > ').map((side) => side.split(' ').filter(Boolean).flatMap(wordsOf));
    relate(all, kind, [...kind, ...members.flat()]);
    // A kind is related to each of its members, and each member to the kind, but not to other members.
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

/** The stems of all synonyms of a word in folded spelling; none for an unknown word. */
export function meaningsOf(word: string): ReadonlySet<string> {
  if (word.length > wordLettersMax) return nothing;
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

/** Suffixes of romanized Hindi and Marathi words. */
const behindLatin = /(?:iyon|iyan|on|ein|en|chya|chi|cha|che|madhe|sathi|var|la|na|ni|ne|at)$/u;

/** The synonyms of a romanized Hindi or Marathi word, by its sound, since spellings vary. */
export function meaningsAsHeard(word: string): ReadonlySet<string> {
  const known = meaningsOf(word);
  if (known.size > 0) return known;
  const { byHearing } = dictionary();
  const bare = word.replace(behindLatin, '');
  return byHearing.get(heardAs(word) ?? '') ?? (bare === word ? nothing : (byHearing.get(heardAs(bare) ?? '') ?? nothing));
}

/** The two dictionary words that form a Devanagari compound: योग and वर्ग of योगवर्ग. */
export function partsOfCompound(word: string): readonly string[] {
  const { byStem } = dictionary();
  if (word.length < 2 * rootLettersMin || word.length > wordLettersMax) return [];
  if (/^[a-z\d]/u.test(word) || byStem.has(stemOf(word))) return [];
  for (let place = rootLettersMin; place <= word.length - rootLettersMin; place += 1) {
    const [first, second] = [word.slice(0, place), word.slice(place)];
    if (/^\p{M}/u.test(second) || first.endsWith('\u094d')) continue;
    if (byStem.has(first) && byStem.has(stemOf(second))) return [first, second];
  }
  return [];
}

/** The stems of synonyms, in other languages, of a question's words, and their sounds. */
export function termsAcrossLanguages(question: string): string[] {
  const stems = [...new Set([...contentTerms(question), ...wordsOf(question).map(stemOf)])];
  const meant = new Set(stems.flatMap((stem) => [...(dictionary().byStem.get(stem) ?? [])]));
  for (const stem of stems) meant.delete(stem);
  return [...meant].flatMap((stem) => [stem, ...soundsOf(stem).map((sound) => `q${sound}q`)]);
}
