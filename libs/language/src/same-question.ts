import { meaningsAsHeard } from './dictionary';
import { inLatinLetters } from './latin-letters';
import { foldSpelling, wordsOf } from './spelling';
import { stemOf } from './stems';
import { contentTerms, formsOf, isStopWord, type WordForms } from './terms';
import { topicsOf } from './topics';

export interface FaqCandidate {
  readonly id: number;
  readonly question: string;
  /** The cosine similarity to the asked question. */
  readonly similarity: number;
}

interface Thresholds {
  /** The cosine from which two questions usually ask the same. */
  readonly paraphrase: number;
}

const begin = '(?<![\\p{L}\\p{M}\\p{N}])';
const end = '(?![\\p{L}\\p{M}\\p{N}])';

/** A pattern for any of these comma-separated words; `*` stands for any ending. */
function saying(words: string): RegExp {
  const forms = words.split(/,\s*/u).map((word) => foldSpelling(word).replace('*', '[\\p{L}\\p{M}]*'));
  return new RegExp(`${begin}(?:${forms.join('|')})${end}`, 'u');
}

/**
 * Pairs of opposites, which turn a yes into a no. A text with both sides of a pair counts as neither: "open until you close". Missing
 * pairs are safe, since `agrees` does not rely on them alone.
 */
const opposites: readonly (readonly [one: RegExp, other: RegExp])[] = (
  [
    [
      'allow*, permit*, permission*, permissible, welcome, अनुमति*, इजाज़त, परवानगी*, ijazat, anumati, parvangi, parwangi',
      'forbid*, ban, bans, banned, prohibit*, disallow*, barred, मना, मनाही*, मनाई*, बंदी*, निषेध*, वर्जित, प्रतिबंध*, निषिद्ध, mana, manaa, manahi, manai, bandi, nishedh',
    ],
    [
      'safe*, harmless, सुरक्षित*, surakshit',
      'danger*, unsafe, harm, harms, harmed, harmful, hazard*, risk*, toxic, poison*, hurt*, ख़तर*, असुरक्षित*, धोक*, धोका*, हानिकारक*, नुक़सान*, khatar*, asurakshit, dhok*, hanikarak, nuksan*',
    ],
    [
      'leave, leaves, leaving, left, vacate*, evacuat*, depart*, go out, goes out, going out, move out, get out, go away, go home, outside, outdoors, छोड़*, बाहर*, खाली, सोड*, chhod*, chod*, bahar*, khali, sod*',
      'stay, stays, stayed, staying, remain*, be in, inside, indoors, be at, be there, रहना, रहने, रह सक*, रुक*, अंदर*, भीतर*, थांब*, राह*, rehna, rehne, reh sak*, ruk*, andar*, thamb*, rah*',
    ],
    [
      'open*, switch* on, turn* on, on at, stay* on, left on, running, run, runs, खुल*, चालू*, उघड*, सुरू*, khul*, chalu, ughd*, suru',
      'close*, closing, shut*, off, switch* off, turn* off, बंद, band, bandh',
    ],
    ['with, साथ, सोबत, सह, saath, sobat', 'without, बिना, बगैर, विना, शिवाय, bina, bagair, shivay'],
    ['before*, पहले, आधी, पूर्वी, pehle, aadhi', 'after*, बाद, नंतर, baad, nantar'],
    ['buy*, purchas*, ख़रीद*, खरेदी*, विकत, kharid*', 'sell*, बेच*, विक*, bech*'],
    ['start*, begin*, शुरू, सुरू*, shuru', 'end, ends, ending, finish*, stop*, ख़त्म, संप*, khatam'],
    ['pickup, collect*', 'deliver*'],
    ['enable*, activate*, keep', 'disable*, cancel*, रद्द*, radd'],
    ['minimum, least, at least, न्यूनतम, किमान', 'maximum, most, at most, अधिकतम, कमाल'],
    ['free, complimentary, मुफ़्त, मोफत, निःशुल्क, muft, mofat', 'pay, pays, paid, paying, charge*, cost*, पैसे, शुल्क, paise, shulk'],
    ['alone, separate*, अकेल*, एकट*, akel*, ekt*', 'together, along, मिलकर, एकत्र*, ekatra'],
    ['wet, damp, गील*, ओल*, geel*', 'dry, सूख*, कोरड*, sukh*'],
    ['hot, warm, गरम*, garam', 'cold, cool, ठंड*, थंड*, thand*'],
    ['early, जल्दी, लवकर, jaldi, lavkar', 'late*, देर, देरी, उशीर*, उशिरा, der, deri, ushira'],
    ['full, भर*', 'empty, ख़ाली, रिकाम*'],
    ['accept*', 'refus*, reject*, declin*'],
    ['sun*, धूप*, उन्ह*, dhoop*', 'shade*, छाया*, सावली*, chhaya'],
  ] as const
).map(([one, other]) => [saying(one), saying(other)] as const);

const negations = saying(
  'not, no, never, except, neither, dont, cant, cannot, doesnt, isnt, arent, wont, mustnt, shouldnt, नहीं, न, मत, बिना, नाही, नाहीत, नको, नसेल, नसताना, शिवाय, विना, without, nahi, nahin, nako, bina, shivay',
);

/** Words of obligation rather than permission. */
const obliging = saying(
  'must, have to, has to, having to, need, needs, needed, necessary, require*, compulsory, mandatory, obligatory, supposed, should, ' +
    'ज़रूरी, ज़रूरत, अनिवार्य, आवश्यक, पड़ता, पड़ती, पड़ते, पड़ेगा, पड़ेगी, पड़ेंगे, चाहिए, लागते, लागतात, लागतो, लागेल, लागतील, गरज, गरजेचे, सक्तीचे, ' +
    'zaroori, jaruri, zaruri, padta, padti, padega, padegi, chahiye, lagte, lagel, garaj, avashyak, aavashyak',
);

/** Prefixes that negate a word: unsafe, impossible, असुरक्षित. */
const negatingPrefixes = ['un', 'in', 'im', 'ir', 'non', 'dis', 'अ', 'अन', 'ना', 'गैर', 'asu'];
const prefixedLettersMin = 4;

const isNegated = (text: string): boolean => negations.test(foldSpelling(text));
const isObliging = (text: string): boolean => obliging.test(foldSpelling(text));

/** The side of each pair of opposites that a text is on: 0, 1 or neither. */
function sidesOf(text: string): (0 | 1 | undefined)[] {
  const folded = foldSpelling(text);
  return opposites.map(([one, other]) => {
    const [saysOne, saysOther] = [one.test(folded), other.test(folded)];
    return saysOne === saysOther ? undefined : saysOne ? 0 : 1;
  });
}

function hasPrefixed(one: string, other: string): boolean {
  const words = new Set(wordsOf(one));
  return wordsOf(other).some(
    (word) => word.length >= prefixedLettersMin && negatingPrefixes.some((prefix) => words.has(prefix + word)),
  );
}

/** Whether two questions ask opposites. */
function areOpposite(asked: string, stored: string): boolean {
  if (isNegated(asked) !== isNegated(stored) || hasPrefixed(asked, stored) || hasPrefixed(stored, asked)) return true;
  const [sides, ofStored] = [sidesOf(asked), sidesOf(stored)];
  return sides.some((side, place) => side !== undefined && ofStored[place] !== undefined && side !== ofStored[place]);
}

/** How many of the first pairs decide alone: allowed, safe, leaving. */
const decisivePairs = 3;

/**
 * Whether the yes or no to one question surely applies to the other: they do not ask opposites, both or neither ask about an
 * obligation, and both or neither ask about permission, safety, or staying and leaving.
 */
export function agrees(asked: string, stored: string): boolean {
  if (areOpposite(asked, stored)) return false;
  if (isObliging(asked) !== isObliging(stored)) return false;
  const [sides, ofStored] = [sidesOf(asked), sidesOf(stored)];
  return sides.slice(0, decisivePairs).every((side, place) => side === ofStored[place]);
}

const replying = /^\W*(?:yes|no|never|always|हाँ|हां|जी हाँ|नहीं|जी नहीं|हो|होय|नाही|haan|nahi|nahin)(?![\p{L}\p{M}])/iu;

/** Whether an answer begins with yes or no. */
export function repliesYesOrNo(answer: string): boolean {
  return replying.test(answer);
}

/** A question without punctuation and spelling variants, for comparison. */
export function normalizedQuestion(question: string): string {
  return wordsOf(question).join(' ');
}

const numbersOf = (text: string) =>
  wordsOf(text)
    .filter((word) => /^\d/.test(word))
    .sort()
    .join(' ');

/** Whether similar questions differ in something that changes the answer: a number, a negation, an opposite, "must" instead of "may". */
export function differsInMeaning(asked: string, stored: string): boolean {
  if (numbersOf(asked) !== numbersOf(stored) || areOpposite(asked, stored)) return true;
  return asksWhether.test(stored) && !agrees(asked, stored);
}

const asksWhether =
  /^\s*(?:can|may|could|must|should|do|does|is|are|will|have|has|kya|क्या)(?![\p{L}\p{M}])|\s(?:का|ka|क्या|kya)\s*(?:\?\s*)?$/iu;

/** The overlap of two questions' content words, from 0 to 1. */
function termOverlap(asked: string, stored: string): number {
  const [a, b] = [new Set(contentTerms(asked)), new Set(contentTerms(stored))];
  if (a.size === 0 || b.size === 0) return 0;
  return [...a].filter((term) => b.has(term)).length / Math.max(a.size, b.size);
}

const overlapOfParaphrase = 0.99;
const helpOfOverlap = 0.25;

/**
 * The stored question that asks the same, if any. Its answer is given verbatim and without a model, so the match must be certain: near
 * in meaning, supported by shared words, and without a difference that would change the answer.
 */
export function matchFaq(
  asked: string,
  candidates: readonly FaqCandidate[],
  { paraphrase }: Thresholds,
): { id: number; score: number } | undefined {
  const scored = candidates
    .filter(({ question }) => !differsInMeaning(asked, question))
    .map(({ id, question, similarity }) => {
      const overlap = termOverlap(asked, question);
      return { id, score: Math.min(1, similarity), sure: similarity + helpOfOverlap * overlap * (1 - similarity), overlap };
    })
    .sort((a, b) => b.sure - a.sure);
  const [best] = scored;
  if (!best || (best.sure < paraphrase && best.overlap < overlapOfParaphrase)) return undefined;
  return { id: best.id, score: Math.max(best.score, best.sure) };
}

/** A question prepared for comparison. */
export interface ComparableQuestion {
  readonly concepts: string;
  readonly words: readonly QuestionWord[];
  /** The origin of a trip, if named; swapping origin and destination makes another question. */
  readonly origin: string | undefined;
  readonly normalized: string;
  /** Questions that ask the same share at least one key. */
  readonly keys: readonly string[];
}

interface QuestionWord extends WordForms {
  readonly word: string;
  readonly meanings: ReadonlySet<string>;
}

/** Further filler words that are ignored here. */
const fillers = new Set(
  (
    'ho tumchyakade aaplyakade paas got stock carry keep whats wheres whens hows whos theres ive im youve whether wanted wonder wondering just along sale people person folks ' +
    'milte rakhte rakhta rakhti bechte bechta bechti becho bech bechna lana laana la aanu anu aanta ' +
    'तुमच्याकडे आपल्याकडे पास रखते रखता रखती बेचते बेचता बेचती बेचना लाना ला लाए लाएं आणू आणता आणणे विकता विकतात विकणे ठेवता ठेवतात कि हो'
  )
    .split(' ')
    .map((word) => stemOf(foldSpelling(word))),
);
/** Concepts that fit anything. */
const ofAll = new Set(['PRODUCT', 'GROUP']);

const fromWord = /(?<![\p{L}\p{M}])(?:from (?:the )?([\p{L}\p{M}]+)|([\p{L}\p{M}]+) (?:से|पासून)(?![\p{L}\p{M}]))/u;

/** Longer questions are not compared. */
const wordsComparedMax = 40;

/** Prepares a question in any language. */
export function comparableQuestion(question: string): ComparableQuestion {
  const { concepts: all, words } = topicsOf(question);
  const concepts = all.split(' ').filter((concept) => concept !== '' && !ofAll.has(concept));
  const kept = words.filter(({ stem }) => !fillers.has(stem)).slice(0, wordsComparedMax);
  const contentWords = wordsOf(question).filter((word) => !isStopWord(word));
  const named = kept.map((forms): QuestionWord => {
    const word = contentWords.find((each) => formsOf(each).stem === forms.stem) ?? forms.stem;
    return { ...forms, word, meanings: meaningsAsHeard(word) };
  });
  const [, latin, devanagari] = fromWord.exec(foldSpelling(question)) ?? [];
  const normalized = normalizedQuestion(question);
  const own = named.flatMap(keysOf);
  const together = compoundsOf(named).flatMap(keysOf);
  const keys = [...own, ...together, ...(named.length === 0 ? [`c${concepts.join(' ')}`, `n${normalized}`] : [])];
  return { concepts: concepts.join(' '), words: named, origin: latin ?? devanagari, normalized, keys: [...new Set(keys)] };
}

function keysOf({ word, stem, sounds, heard, meanings }: QuestionWord): string[] {
  const mayBeMisspelt = meanings.size === 0 && word.length <= misspeltLettersMax;
  const misspelt = [word, ...(mayBeMisspelt ? [...word].map((_, place) => word.slice(0, place) + word.slice(place + 1)) : [])];
  return [
    ...[stem, singularStem(stem), ...meanings].map((each) => `m${each}`),
    ...sounds.map((sound) => `s${sound}`),
    ...(heard === undefined ? [] : [`h${heard}`]),
    ...(word.length >= misspeltLettersMin ? misspelt.map((each) => `d${each}`) : []),
  ];
}

/** Whether two questions ask the same: they have the same concepts, and each word of one corresponds to a word of the other. */
export function asksTheSame(one: ComparableQuestion, other: ComparableQuestion | undefined): boolean {
  if (!other || one.concepts !== other.concepts) return false;
  if (one.words.length + other.words.length === 0) return one.concepts === '' ? one.normalized === other.normalized : true;
  if (one.origin !== undefined && other.origin !== undefined && stemOf(one.origin) !== stemOf(other.origin)) return false;
  return haveEachOther(one.words, other.words);
}

function haveEachOther(words: readonly QuestionWord[], others: readonly QuestionWord[]): boolean {
  const has = (all: readonly QuestionWord[], word: QuestionWord): boolean => all.some((each) => areTheSame(each, word));
  const [without, alone] = [words.filter((word) => !has(others, word)), others.filter((word) => !has(words, word))];
  if (without.length === 0 && alone.length === 0) return true;
  // "Note books" and "notebooks".
  const isCompound = (parts: readonly QuestionWord[], whole: readonly QuestionWord[]): boolean =>
    parts.length === 2 && whole.length === 1 && whole.every((word) => has(compoundsOf(parts), word));
  return isCompound(without, alone) || isCompound(alone, without);
}

/** Each two adjacent words joined. */
function compoundsOf(words: readonly QuestionWord[]): QuestionWord[] {
  return words.slice(1).flatMap((next, place) => {
    const word = `${words[place]?.word ?? ''}${next.word}`;
    return [{ ...formsOf(word), word, meanings: meaningsAsHeard(word) }];
  });
}

const isLatin = (word: string): boolean => /^[a-z]/u.test(word);

function areTheSame(one: QuestionWord, other: QuestionWord): boolean {
  if (one.stem === other.stem || singularStem(one.stem) === other.stem || one.stem === singularStem(other.stem)) return true;
  // Within one language, words related by the dictionary are similar, but not the same: sofa and chair.
  const isAcross = isLatin(one.word) !== isLatin(other.word) || isHindi(one) !== isHindi(other) || !isLatin(one.word);
  if (isAcross && (one.meanings.has(other.stem) || other.meanings.has(one.stem))) return true;
  const isHeardAlike = one.heard !== undefined && one.heard === other.heard;
  if (isHeardAlike && (isHindi(one) || isHindi(other))) return true;
  // Two words that the dictionary knows are not misspellings of each other.
  if (one.meanings.size > 0 && other.meanings.size > 0) return false;
  if (isLatin(one.word) !== isLatin(other.word)) return one.sounds.some((sound) => other.sounds.includes(sound));
  return isMisspelling(one.word, other.word);
}

/** The singular stem: of "knives", "knif". */
const singularStem = (stem: string): string => stem.replace(/v$/u, 'f');

const lettersOfBeginning = 3;
const singly = (word: string): string => word.replace(/(.)\1+/gu, '$1');

/** Whether a word in Latin letters is Hindi or Marathi: it sounds like its meaning in Devanagari. */
function isHindi({ word, meanings }: QuestionWord): boolean {
  if (!isLatin(word)) return true;
  return [...meanings].some((meaning) => {
    const beginning = isLatin(meaning) ? '' : singly(inLatinLetters(meaning));
    return beginning.length >= lettersOfBeginning && singly(word).startsWith(beginning);
  });
}

const misspeltLettersMin = 6;
const misspeltLettersMax = 40;

/** Whether two long words differ by one letter, or by two swapped letters. */
function isMisspelling(one: string, other: string): boolean {
  const [short, long] = one.length <= other.length ? [one, other] : [other, one];
  if (short.length < misspeltLettersMin - 1 || long.length - short.length > 1 || short[0] !== long[0]) return false;
  let start = 0;
  while (start < short.length && short[start] === long[start]) start += 1;
  const rest = (word: string, skipped: number): string => word.slice(start + skipped);
  if (short.length < long.length) return rest(short, 0) === rest(long, 1);
  const isSwapped = short[start] === long[start + 1] && short[start + 1] === long[start];
  return rest(short, 1) === rest(long, 1) || (isSwapped && rest(short, 2) === rest(long, 2));
}
