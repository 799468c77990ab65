import type { EndOfTurnJudge, PauseInTurn, TurnVerdict } from './heard';
import { digitsOf, type UtteranceEnding, endingOf, endsInDigits, endsInLetters, isOfPieces } from './turn-end/ending-of';
import { folded, wordSet, wordsOf } from './turn-end/words';

interface Patience {
  /** The wait, relative to the agent's end-of-turn silence. */
  readonly wait: number;
  /** The share of the wait after which an answer may be started speculatively. */
  readonly suspect: number;
  /** The factors for a prosody that clearly sounds finished, and one that clearly does not. */
  readonly done: number;
  readonly more: number;
}

const patience: Record<Exclude<UtteranceEnding, 'dictating'>, Patience> = {
  whole: { wait: 0.7, suspect: 0.4, done: 0.7, more: 2.5 },
  open: { wait: 1, suspect: 0.5, done: 0.55, more: 2.5 },
  broken: { wait: 3, suspect: 1, done: 0.6, more: 1 },
};
/** The largest factor for a whole sentence that nothing can be added to: its words are evidence, too. */
const moreThanWhole = 1.5;
/** The factor by what was asked, for an utterance that is neither broken off nor dictated. */
const expectedWaits: Record<Exclude<ExpectedAnswer['kind'], 'number'>, { readonly whole: number; readonly open: number }> = {
  free: { whole: 1, open: 1 },
  'yes-no': { whole: 0.8, open: 1 },
  name: { whole: 1, open: 1.5 },
  address: { whole: 1.3, open: 2 },
  letters: { whole: 1, open: 2 },
  date: { whole: 1, open: 1 },
};
// A partial transcript may still grow, so even one that looks complete waits a little longer.
const partialWait = 1.2;
// For a caller who usually pauses for long within sentences, the wait is that pause and a little more, up to three silences.
const usualPauses = 1.15;
const silencesMax = 3;
// The same for dictation. An expected number that still lacks digits is waited for longest.
const dictationPauses = 1.2;
const dictationsMax = 2.5;
const lackingWait = 2;
const unknownWait = 1.6;

/**
 * Judges by what was asked and said: a complete sentence is answered soon, a broken one is waited for longer, and a dictation
 * longest. Prosody, if judged, shortens or lengthens the wait, except in dictation, where it means nothing.
 */
export const ruleJudge: EndOfTurnJudge = {
  judge(pause: PauseInTurn): TurnVerdict {
    const expected = expectedAnswer(pause.asked ?? '');
    const progress = progressOf(pause.text, expected);
    const ending = progress === 'whole' ? 'whole' : endingOf(statedIn(pause), pause.language);
    if (progress === 'lacking' || progress === 'unknown' || ending === 'dictating') return dictationVerdict(pause, progress);
    const { wait, suspect, done } = patience[ending];
    const more = ending === 'whole' && pause.isFinal ? moreThanWhole : patience[ending].more;
    const factor = ending === 'broken' || expected.kind === 'number' ? 1 : expectedWaits[expected.kind][ending];
    const byText = pause.silenceMs * wait * factor * (ending === 'whole' && !pause.isFinal ? partialWait : 1);
    const byProsody = pause.soundsDone === undefined ? 1 : more + (done - more) * pause.soundsDone;
    const byHabit = Math.min((pause.usualPauseMs ?? 0) * usualPauses, pause.silenceMs * silencesMax);
    // A run of the model costs as much as seconds of everything else in a call, and a long habit may outweigh whatever it says.
    const asksSound = byText * Math.max(done, more) > byHabit;
    // Words may outweigh the prosody, so they are not asked for later because of it.
    const wordsMs = verdictAfter(Math.max(byText, byHabit), suspect).suspectMs;
    return { ...verdictAfter(Math.max(byText * byProsody, byHabit), suspect), wordsMs, asksSound };
  },
};

const askedOpenly = /\b(?:what|where|when|why|which|whom?)\b[^.?!]*[.?!]?$/u;
const clauseAnswer = /^\W*(?:in order to|to|before|after|while) /iu;
const place = /^\W*[Tt]o (?=\p{Lu})/u;

/** What the caller said; of an answer to "what", "where" or "when" without the word that would otherwise await a main clause. */
function statedIn({ text, asked = '' }: PauseInTurn): string {
  return text.replace(askedOpenly.test(folded(asked).trim()) ? clauseAnswer : place, '');
}

/** Nothing is answered speculatively during a dictation, or each digit would cost a request to the model. */
function dictationVerdict(
  { dictationSilenceMs, silenceMs, usualPauseMs = 0 }: PauseInTurn,
  said: ReturnType<typeof progressOf>,
): TurnVerdict {
  const wait = said === 'lacking' ? lackingWait : said === 'unknown' ? unknownWait : 1;
  const byHabit = Math.min(usualPauseMs * dictationPauses, dictationSilenceMs * dictationsMax);
  return verdictAfter(Math.max(dictationSilenceMs * wait, silenceMs, byHabit), 1);
}

/** How complete an expected number or spelling is; undefined if the text does not end in one. */
function progressOf(text: string, expected: ExpectedAnswer): 'whole' | 'lacking' | 'unknown' | undefined {
  if (expected.kind === 'free' || expected.kind === 'yes-no') return undefined;
  const words = wordsOf(folded(text));
  if (expected.kind === 'date') return dateProgress(words, expected.hasYear);
  if (isSpelling(words, expected.kind)) return 'unknown';
  if (expected.kind !== 'number' || !endsInDigits(words)) return undefined;
  if (expected.digits === undefined) return 'unknown';
  return digitsOf(words) < expected.digits ? 'lacking' : 'whole';
}

const months = wordSet(
  'january february march april may june july august september october november december jan feb mar apr jun jul aug sep sept oct nov dec',
  'जनवरी फरवरी मार्च अप्रैल मई जून जुलाई अगस्त सितंबर सितम्बर अक्टूबर अक्तूबर नवंबर नवम्बर दिसंबर दिसम्बर',
  'जानेवारी फेब्रुवारी एप्रिल मे जुलै ऑगस्ट सप्टेंबर ऑक्टोबर नोव्हेंबर डिसेंबर',
  'janvari farvari aprail julai sitambar aktubar navambar disambar',
);
const units = wordSet(
  'one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen',
);
const tens = wordSet('twenty thirty forty fifty sixty seventy eighty ninety hundred thousand oh zero');
const ordinals = wordSet(
  'first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth',
  'seventeenth eighteenth nineteenth twentieth thirtieth',
);
const betweenParts = wordSet('the of in and on its it is my');
const writtenDay = /^\d{1,2}(?:st|nd|rd|th)?$/u;
const writtenYear = /^\d{4}$/u;

/** How complete a date is, if nothing but one is said. Its parts come with pauses: "first … November … nineteen eighty … six". */
function dateProgress(all: readonly string[], hasYear: boolean): 'whole' | 'unknown' | undefined {
  const words = all.filter((word) => !betweenParts.has(word));
  const isNumber = (word: string) =>
    units.has(word) || tens.has(word) || ordinals.has(word) || writtenDay.test(word) || writtenYear.test(word);
  if (words.length === 0 || !words.every((word) => months.has(word) || isNumber(word))) return undefined;
  const month = words.findIndex((word) => months.has(word));
  const numbers = words.filter(isNumber);
  if (!hasYear) return (month >= 0 ? numbers.length > 0 : numbers.length > 1) ? 'whole' : 'unknown';
  if (numbers.some((word) => writtenYear.test(word))) return numbers.length > (month >= 0 ? 1 : 2) ? 'whole' : 'unknown';
  // A spoken year has two words and more, after the day and the month.
  const ofYear = numbers.filter((word) => !ordinals.has(word)).length - (numbers.some((word) => ordinals.has(word)) ? 0 : 1);
  const isSaid = month >= 0 && ofYear >= 2 && !tens.has(words.at(-1) ?? '');
  return isSaid ? 'whole' : 'unknown';
}

/** People spell names, addresses and numbers unasked, too; but a letter behind a name is an initial, and any other may be a choice. */
function isSpelling(words: readonly string[], kind: ExpectedAnswer['kind']): boolean {
  if (kind === 'letters') return endsInLetters(words) || endsInDigits(words);
  return endsInLetters(words) && isOfPieces(words);
}

function verdictAfter(waitMs: number, suspect: number): TurnVerdict {
  return { waitMs: Math.round(waitMs), suspectMs: Math.round(waitMs * suspect) };
}

/** The kind of answer that the agent's last words ask for. */
type ExpectedAnswer =
  /** Said digit by digit with pauses; `digits` is how many, if known. */
  | { readonly kind: 'number'; readonly digits?: number }
  /** Spelled, letter by letter. */
  | { readonly kind: 'letters' }
  /** Said part by part; of a birthday the year is asked as well. */
  | { readonly kind: 'date'; readonly hasYear: boolean }
  | { readonly kind: 'name' | 'address' | 'yes-no' | 'free' };

const free: ExpectedAnswer = { kind: 'free' };
/** The question is the last sentence, or the one before if a reason follows it. */
const sentencesLooked = 2;

const request = phrase(
  String.raw`\?|please|what|whats|which|may i|can i|could i|can you|could you|would you|will you|tell me|give me|share|provide|enter|say|spell|repeat|dictate|confirm your`,
  'बता|बोल|दीजिए|दीजिये|दें|दे सक|कहिए|क्या है|सांग|द्या|काय आहे|लिख|दोहरा',
  'bata|boli|diji|kya hai|sang|dya|kay aahe|kay ahe',
);
const count = phrase(String.raw`how many|number of|how much`, 'कितन|किती', 'kitn|kiti');
const numbered = phrase(
  String.raw`number|digits?|otp|one[- ]time (?:password|code)|pin ?code|pin|cvv|zip ?code|postal code|(?:security|verification|access) code`,
  'नंबर|नम्बर|क्रमांक|ओटीपी|पिन|अंक|कोड',
  'nambar|kramank|ank',
);
const spelled = phrase(
  String.raw`spell(?:s|ed|ing)?|spelt|letter by letter|(?:the|each|every|all|which) letters?|how (?:do|does|would|should|is|are)(?: \S+){1,3} (?:write|written)`,
  'स्पेल|वर्तनी|हिज्ज|अक्षर|कैसे लिख|कस[ंेाी]? लिह|कशी लिह',
  'akshar|kaise likh|kas[aei] lih',
);
const named = phrase(String.raw`name|names|call you`, 'नाम|नाव', 'naam|naav');
const placed = phrase(
  String.raw`address|where (?:do|are) you (?:live|located|staying)|deliver(?:ed)? to|which (?:city|area|street)`,
  'पता|पत्ता|ठिकाण|कहाँ रहते|कुठे राहता',
  'pata|patta|address',
);
const born = phrase('date of birth|birth ?(?:date|day)|dob|(?:were|was) (?:you|he|she) born', 'जन्म', 'janm|janam');
const dated = phrase('what date|which date|the date|(?:expiry|expiration) date|date please', 'तारीख|तिथि|दिनांक', 'tar[ie]+kh');
const counts: readonly (readonly [RegExp, number])[] = [
  [phrase('card number', 'कार्ड नंबर', ''), 16],
  [phrase('aadhaa?r', 'आधार', 'adhar'), 12],
  [phrase('pin ?code|zip ?code|postal code', 'पिन ?कोड', ''), 6],
  [phrase('(?:phone|mobile|telephone|contact|whatsapp) (?:number|no)', '(?:फोन|मोबाइल|मोबाईल|संपर्क) (?:नंबर|क्रमांक)', ''), 10],
];
const spelledCounts = 'zero one two three four five six seven eight nine ten eleven twelve'.split(' ');
const hindiCounts = 'शून्य एक दो तीन चार पांच छह सात आठ नौ दस'.split(' ');
const ofDigits = /(\p{Nd}+|\p{L}[\p{L}\p{M}]*)[ -](?:digits?|अंक[ोंीे]*|आकडी|अंकी)/u;
const yesNo =
  /^(?:(?:so|and|okay|ok|great|then|well)[, ]+)*(?:is|are|am|was|were|do|does|did|have|has|had|will|would|shall|should|can|could|may)\b(?!.*\bor\b)(?! you (?:please )?(?:tell|give|say|share|describe|explain|spell|repeat|provide))/u;
const yesNoIndic = /^क्या (?!.*(?:है नाम|नंबर))|(?:ठीक है|सही है|है ना|बरोबर|चालेल|आहे) ?(?:का)?\?$|\S का\?$/u;

/** Classifies the agent's last words, in English, and in Hindi and Marathi in both scripts. */
export function expectedAnswer(said: string): ExpectedAnswer {
  const sentences = folded(said)
    .trim()
    .split(/(?<=[.?!।॥])\s+/u);
  const last = sentences.slice(-sentencesLooked);
  for (const sentence of last.toReversed()) {
    const expected = expectedBy(sentence);
    if (expected.kind !== 'free') return expected;
  }
  return free;
}

function expectedBy(sentence: string): ExpectedAnswer {
  if (spelled.test(sentence) && (request.test(sentence) || sentence.endsWith('?')) && !count.test(sentence))
    return { kind: 'letters' };
  const isYesNo = sentence.endsWith('?') && (yesNo.test(sentence) || yesNoIndic.test(sentence));
  const isAsked = request.test(sentence) || (sentence.endsWith('?') && !isYesNo);
  const hasYear = born.test(sentence);
  if (isAsked && (hasYear || dated.test(sentence))) return { kind: 'date', hasYear };
  if (request.test(sentence) && !count.test(sentence)) {
    if (numbered.test(sentence)) return { kind: 'number', ...digitsAskedFor(sentence) };
    if (placed.test(sentence)) return { kind: 'address' };
    if (named.test(sentence)) return { kind: 'name' };
  }
  if (isYesNo) return { kind: 'yes-no' };
  return free;
}

function digitsAskedFor(sentence: string): { digits?: number } {
  const written = ofDigits.exec(sentence)?.[1];
  const counted = written === undefined ? undefined : countOf(written);
  const digits = counted ?? counts.find(([asked]) => asked.test(sentence))?.[1];
  return digits === undefined ? {} : { digits };
}

function countOf(word: string): number | undefined {
  if (/^\d+$/u.test(word)) return Number(word);
  const place = Math.max(spelledCounts.indexOf(word), hindiCounts.indexOf(word));
  return place > 0 ? place : undefined;
}

/** Matches whole English words, romanized words with any ending, and Devanagari anywhere, since its words take endings. */
function phrase(english: string, devanagari: string, romanized: string): RegExp {
  const latin = [english, ...(romanized === '' ? [] : [`(?:${romanized})\\p{L}*`])].join('|');
  return new RegExp(`(?:^|[^\\p{L}])(?:${latin})(?!\\p{L})|${folded(devanagari)}`, 'u');
}
