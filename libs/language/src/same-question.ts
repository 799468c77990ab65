import { meaningsAsHeard } from './dictionary';
import { foldSpelling, heardAs, wordsOf } from './spelling';
import { stemOf } from './stems';
import { contentTerms, formsOf, isSmall, type WordForms } from './terms';
import { topicsOf } from './topics';

export interface FaqCandidate {
  readonly id: number;
  readonly question: string;
  /** The cosine of the asked question and this one. */
  readonly similarity: number;
}

interface Thresholds {
  /** At this cosine two questions usually ask the same. */
  readonly paraphrase: number;
}

const begin = '(?<![\\p{L}\\p{M}\\p{N}])';
const end = '(?![\\p{L}\\p{M}\\p{N}])';

/** Whether a text says one of these words, separated by commas; `*` stands for any ending. */
function saying(words: string): RegExp {
  const forms = words.split(/,\s*/u).map((word) => foldSpelling(word).replace('*', '[\\p{L}\\p{M}]*'));
  return new RegExp(`${begin}(?:${forms.join('|')})${end}`, 'u');
}

/**
 * What turns a Yes into a No, side by side. A text that says both sides of a pair says neither: "open until you close". What is
 * missing here is not taken for agreement: see `agrees`.
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

/** What has to be, and not only may be. */
const obliging = saying(
  'must, have to, has to, having to, need, needs, needed, necessary, require*, compulsory, mandatory, obligatory, supposed, should, ' +
    'ज़रूरी, ज़रूरत, अनिवार्य, आवश्यक, पड़ता, पड़ती, पड़ते, पड़ेगा, पड़ेगी, पड़ेंगे, चाहिए, लागते, लागतात, लागतो, लागेल, लागतील, गरज, गरजेचे, सक्तीचे, ' +
    'zaroori, jaruri, zaruri, padta, padti, padega, padegi, chahiye, lagte, lagel, garaj, avashyak, aavashyak',
);

/** Before a word it says the opposite: unsafe, impossible, असुरक्षित. */
const negatingPrefixes = ['un', 'in', 'im', 'ir', 'non', 'dis', 'अ', 'अन', 'ना', 'गैर', 'asu'];
const prefixedLettersMin = 4;

const isNegated = (text: string): boolean => negations.test(foldSpelling(text));
const isObliging = (text: string): boolean => obliging.test(foldSpelling(text));

/** On which side of each pair of opposites a text stands: 0 or 1, or none. */
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

/** Whether two questions ask the opposite of each other. */
function areOpposite(asked: string, stored: string): boolean {
  if (isNegated(asked) !== isNegated(stored) || hasPrefixed(asked, stored) || hasPrefixed(stored, asked)) return true;
  const [sides, ofStored] = [sidesOf(asked), sidesOf(stored)];
  return sides.some((side, place) => side !== undefined && ofStored[place] !== undefined && side !== ofStored[place]);
}

/** The first pairs decide alone: whether something is allowed, is safe, or has to be left. */
const decisivePairs = 3;

/**
 * Whether the Yes or No to one question is surely the one to the other: none asks the opposite, both ask what has to be or both do
 * not, and neither speaks alone of what is allowed or safe, or of staying and leaving.
 */
export function agrees(asked: string, stored: string): boolean {
  if (areOpposite(asked, stored)) return false;
  if (isObliging(asked) !== isObliging(stored)) return false;
  const [sides, ofStored] = [sidesOf(asked), sidesOf(stored)];
  return sides.slice(0, decisivePairs).every((side, place) => side === ofStored[place]);
}

const replying = /^\W*(?:yes|no|never|always|हाँ|हां|जी हाँ|नहीं|जी नहीं|हो|होय|नाही|haan|nahi|nahin)(?![\p{L}\p{M}])/iu;

/** Whether an answer begins with a Yes or a No. */
export function repliesYesOrNo(answer: string): boolean {
  return replying.test(answer);
}

/** What two spellings of the same question share: same words, no punctuation, one spelling. */
export function normalizedQuestion(question: string): string {
  return wordsOf(question).join(' ');
}

const numbersOf = (text: string) =>
  wordsOf(text)
    .filter((word) => /^\d/.test(word))
    .sort()
    .join(' ');

/** Whether a difference of two near questions changes their answer: a number, a "not", an opposite, a "must" instead of a "may". */
export function differsInMeaning(asked: string, stored: string): boolean {
  if (numbersOf(asked) !== numbersOf(stored) || areOpposite(asked, stored)) return true;
  return asksWhether.test(stored) && !agrees(asked, stored);
}

const asksWhether =
  /^\s*(?:can|may|could|must|should|do|does|is|are|will|have|has|kya|क्या)(?![\p{L}\p{M}])|\s(?:का|ka|क्या|kya)\s*\??\s*$/iu;

/** How much of each other's content two questions share, from 0 to 1. */
function termOverlap(asked: string, stored: string): number {
  const [a, b] = [new Set(contentTerms(asked)), new Set(contentTerms(stored))];
  if (a.size === 0 || b.size === 0) return 0;
  return [...a].filter((term) => b.has(term)).length / Math.max(a.size, b.size);
}

const overlapOfParaphrase = 0.99;
const helpOfOverlap = 0.25;

/**
 * The stored question that asks the same, if any. The answer is given verbatim and without a model, so it must be sure:
 * near in meaning, helped by shared words, and nothing in it that would change the answer.
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

/** A question, ready to be compared with others. */
export interface Asked {
  readonly concepts: string;
  readonly words: readonly AskedWord[];
  /** From where, if it says so: who swaps the two ends of a way asks another question. */
  readonly origin: string | undefined;
  readonly normalized: string;
  /** Questions that ask the same share one of them. */
  readonly keys: readonly string[];
}

interface AskedWord extends WordForms {
  readonly word: string;
  readonly meanings: ReadonlySet<string>;
}

/** Words around what is asked, beside those that every comparison leaves out. */
const fillers = new Set(
  (
    'ho tumchyakade aaplyakade paas pass got stock carry keep whats wheres whens hows whos theres ive im youve whether wanted wonder wondering just along sale people person folks ' +
    'rakhte rakhta rakhti bechte bechta bechti becho bech bechna lana laana la aanu anu aanta ' +
    'तुमच्याकडे आपल्याकडे पास रखते रखता रखती बेचते बेचता बेचती बेचना लाना ला लाए लाएं आणू आणता आणणे विकता विकतात विकणे ठेवता ठेवतात कि हो'
  )
    .split(' ')
    .map((word) => stemOf(foldSpelling(word))),
);
/** What is asked of anything and anybody. */
const ofAll = new Set(['PRODUCT', 'GROUP']);

const fromWord = /(?<![\p{L}\p{M}])from (?:the )?([\p{L}\p{M}]+)|([\p{L}\p{M}]+) (?:से|पासून)(?![\p{L}\p{M}])/u;

/** What a question asks, in any language. */
export function askedBy(question: string): Asked {
  const { concepts: all, words } = topicsOf(question);
  const concepts = all.split(' ').filter((concept) => concept !== '' && !ofAll.has(concept));
  const kept = words.filter(({ stem }) => !fillers.has(stem));
  const said = wordsOf(question).filter((word) => !isSmall(word));
  const named = kept.map((forms): AskedWord => {
    const word = said.find((each) => formsOf(each).stem === forms.stem) ?? forms.stem;
    return { ...forms, word, meanings: meaningsAsHeard(word) };
  });
  const [, latin, devanagari] = fromWord.exec(foldSpelling(question)) ?? [];
  const normalized = normalizedQuestion(question);
  const own = named.flatMap(keysOf);
  const together = compoundsOf(named).flatMap(keysOf);
  const keys = [...own, ...together, ...(named.length === 0 ? [`c${concepts.join(' ')}`, `n${normalized}`] : [])];
  return { concepts: concepts.join(' '), words: named, origin: latin ?? devanagari, normalized, keys: [...new Set(keys)] };
}

function keysOf({ word, stem, sounds, heard, meanings }: AskedWord): string[] {
  const misspelt =
    meanings.size > 0 ? [word] : [word, ...[...word].map((_, place) => word.slice(0, place) + word.slice(place + 1))];
  return [
    ...[stem, ofKnives(stem), ...meanings].map((each) => `m${each}`),
    ...sounds.map((sound) => `s${sound}`),
    ...(heard === undefined ? [] : [`h${heard}`]),
    ...(word.length >= misspeltLettersMin ? misspelt.map((each) => `d${each}`) : []),
  ];
}

/** Whether two questions ask the same: about the same concepts, and each word of one for a word of the other. */
export function asksTheSame(one: Asked, other: Asked | undefined): boolean {
  if (!other || one.concepts !== other.concepts) return false;
  if (one.words.length + other.words.length === 0) return one.concepts === '' ? one.normalized === other.normalized : true;
  if (one.origin !== undefined && other.origin !== undefined && stemOf(one.origin) !== stemOf(other.origin)) return false;
  return haveEachOther(one.words, other.words);
}

function haveEachOther(words: readonly AskedWord[], others: readonly AskedWord[]): boolean {
  const has = (all: readonly AskedWord[], word: AskedWord): boolean => all.some((each) => areTheSame(each, word));
  const [without, alone] = [words.filter((word) => !has(others, word)), others.filter((word) => !has(words, word))];
  if (without.length === 0 && alone.length === 0) return true;
  // "Note books" and "notebooks".
  const isCompound = (parts: readonly AskedWord[], whole: readonly AskedWord[]): boolean =>
    parts.length === 2 && whole.length === 1 && whole.every((word) => has(compoundsOf(parts), word));
  return isCompound(without, alone) || isCompound(alone, without);
}

/** Each two neighbouring words as one. */
function compoundsOf(words: readonly AskedWord[]): AskedWord[] {
  return words.slice(1).flatMap((next, place) => {
    const word = `${words[place]?.word ?? ''}${next.word}`;
    return [{ ...formsOf(word), word, meanings: meaningsAsHeard(word) }];
  });
}

const isLatin = (word: string): boolean => /^[a-z]/u.test(word);

function areTheSame(one: AskedWord, other: AskedWord): boolean {
  if (one.stem === other.stem || ofKnives(one.stem) === other.stem || one.stem === ofKnives(other.stem)) return true;
  // What the dictionary relates within one language is alike and not the same: a sofa and a chair.
  const isAcross = isLatin(one.word) !== isLatin(other.word) || isHindi(one) !== isHindi(other) || !isLatin(one.word);
  if (isAcross && (one.meanings.has(other.stem) || other.meanings.has(one.stem))) return true;
  // What it knows is spelled as it is meant.
  if (one.meanings.size > 0 && other.meanings.size > 0) return false;
  const isHeardAlike = one.heard !== undefined && one.heard === other.heard;
  if (isLatin(one.word) !== isLatin(other.word)) return isHeardAlike || one.sounds.some((sound) => other.sounds.includes(sound));
  return (isHeardAlike && !isLatin(one.word)) || isMisspelling(one.word, other.word);
}

/** The stem of one where there are several: knives and a knife. */
const ofKnives = (stem: string): string => stem.replace(/v$/u, 'f');

/** Whether a word in Latin letters is one of Hindi or Marathi: it sounds like what it means in Devanagari. */
function isHindi({ word, heard, meanings }: AskedWord): boolean {
  return (
    !isLatin(word) || (heard !== undefined && [...meanings].some((meaning) => !isLatin(meaning) && heardAs(meaning) === heard))
  );
}

const misspeltLettersMin = 6;

/** Whether a long word differs from another by one letter, or by two that changed places. */
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
