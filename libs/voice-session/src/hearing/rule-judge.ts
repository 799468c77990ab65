import type { EndOfTurnJudge, PauseInTurn, TurnVerdict } from './heard';
import { digitsOf, type UtteranceEnding, endingOf, endsInDigits, folded, wordsOf } from './turn-end/ending-of';

interface Patience {
  /** Of the silence that is usual between turns. */
  readonly wait: number;
  /** Of the wait, after which an answer may be begun. */
  readonly suspect: number;
  /** How much longer or shorter the wait is where the prosody is surely that of an end, or surely of more to come. */
  readonly done: number;
  readonly more: number;
}

const patience: Record<Exclude<UtteranceEnding, 'dictating'>, Patience> = {
  whole: { wait: 0.7, suspect: 0.4, done: 0.7, more: 2.5 },
  open: { wait: 1, suspect: 0.5, done: 0.55, more: 2.5 },
  broken: { wait: 3, suspect: 1, done: 0.6, more: 1 },
};
/** How the wait changes for an utterance neither broken off nor dictated, by what was asked. */
const expectedWaits: Record<Exclude<ExpectedAnswer['kind'], 'number'>, { readonly whole: number; readonly open: number }> = {
  free: { whole: 1, open: 1 },
  'yes-no': { whole: 0.8, open: 1 },
  name: { whole: 1, open: 1.5 },
  address: { whole: 1.3, open: 2 },
};
// A provisional transcript may still grow, so one that looks complete waits a little longer.
const guessWaits = 1.2;
// A caller with long pauses within sentences gets that long and a little more, up to this many silences.
const usualPauses = 1.15;
const silencesMax = 3;
// Likewise one who dictates; an expected number that lacks digits is waited for longest.
const dictationPauses = 1.2;
const dictationsMax = 2.5;
const lackingWaits = 2;
const unknownWaits = 1.6;

/**
 * Judges by what was said and asked: a complete sentence is answered soon, a broken one is waited for, and dictation longest. If
 * prosody was judged too, it shortens or lengthens the wait, except in dictation, of which it knows nothing.
 */
export const ruleJudge: EndOfTurnJudge = {
  judge(pause: PauseInTurn): TurnVerdict {
    const expected = expectedAnswer(pause.asked ?? '');
    const said = expected.kind === 'number' ? saidOfNumber(pause.text, expected.digits) : undefined;
    const ending = said === 'whole' ? 'whole' : endingOf(pause.text, pause.language);
    if (said === 'lacking' || said === 'unknown' || ending === 'dictating') return dictated(pause, said);
    const { wait, suspect, done, more } = patience[ending];
    const asked = ending === 'broken' || expected.kind === 'number' ? 1 : expectedWaits[expected.kind][ending];
    const asWritten = pause.silenceMs * wait * asked * (ending === 'whole' && !pause.isFinal ? guessWaits : 1);
    const asHeard = pause.soundsDone === undefined ? 1 : more + (done - more) * pause.soundsDone;
    const asUsual = Math.min((pause.usualPauseMs ?? 0) * usualPauses, pause.silenceMs * silencesMax);
    return { ...patiently(Math.max(asWritten * asHeard, asUsual), suspect), asksSound: true };
  },
};

/** Nothing is begun on suspicion while a number is said: one question to a model for each digit would be wasted. */
function dictated(
  { dictationSilenceMs, silenceMs, usualPauseMs = 0 }: PauseInTurn,
  said: ReturnType<typeof saidOfNumber>,
): TurnVerdict {
  const wait = said === 'lacking' ? lackingWaits : said === 'unknown' ? unknownWaits : 1;
  const asUsual = Math.min(usualPauseMs * dictationPauses, dictationSilenceMs * dictationsMax);
  return patiently(Math.max(dictationSilenceMs * wait, silenceMs, asUsual), 1);
}

/** How complete an expected number is; undefined if the last words are none. */
function saidOfNumber(text: string, digits: number | undefined): 'whole' | 'lacking' | 'unknown' | undefined {
  const words = wordsOf(folded(text));
  if (!endsInDigits(words)) return undefined;
  if (digits === undefined) return 'unknown';
  return digitsOf(words) < digits ? 'lacking' : 'whole';
}

function patiently(waitMs: number, suspect: number): TurnVerdict {
  return { waitMs: Math.round(waitMs), suspectMs: Math.round(waitMs * suspect) };
}

/** What kind of answer the agent's last words ask for. */
type ExpectedAnswer =
  /** Said digit by digit, with pauses; `digits` where their number is known. */
  { readonly kind: 'number'; readonly digits?: number } | { readonly kind: 'name' | 'address' | 'yes-no' | 'free' };

const free: ExpectedAnswer = { kind: 'free' };
/** A question is at the end of what is said, sometimes followed by a reason. */
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
const named = phrase(String.raw`name|names|call you`, 'नाम|नाव', 'naam|naav');
const placed = phrase(
  String.raw`address|where (?:do|are) you (?:live|located|staying)|deliver(?:ed)? to|which (?:city|area|street)`,
  'पता|पत्ता|ठिकाण|कहाँ रहते|कुठे राहता',
  'pata|patta|address',
);
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

/** Reads the last words of the agent, in English, Hindi and Marathi in both scripts. What asks for nothing known is `free`. */
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
  if (request.test(sentence) && !count.test(sentence)) {
    if (numbered.test(sentence)) return { kind: 'number', ...digitsAskedFor(sentence) };
    if (placed.test(sentence)) return { kind: 'address' };
    if (named.test(sentence)) return { kind: 'name' };
  }
  if (sentence.endsWith('?') && (yesNo.test(sentence) || yesNoIndic.test(sentence))) return { kind: 'yes-no' };
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

/** English and romanized words stand alone; Devanagari words take endings. */
function phrase(english: string, devanagari: string, romanized: string): RegExp {
  const latin = [english, ...(romanized === '' ? [] : [`(?:${romanized})\\p{L}*`])].join('|');
  return new RegExp(`(?:^|[^\\p{L}])(?:${latin})(?!\\p{L})|${folded(devanagari)}`, 'u');
}
