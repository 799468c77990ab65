import { folded } from './ending-of';

/** What kind of answer the agent's last words ask for. */
export type ExpectedAnswer =
  /** Said digit by digit, with pauses; `digits` where their number is known. */
  { readonly kind: 'number'; readonly digits?: number } | { readonly kind: 'name' | 'address' | 'yes-no' | 'free' };

const free: ExpectedAnswer = { kind: 'free' };
/** A question stands at the end of what is said, sometimes with a reason behind it. */
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
    if (numbered.test(sentence)) return { kind: 'number', ...digitsOf(sentence) };
    if (placed.test(sentence)) return { kind: 'address' };
    if (named.test(sentence)) return { kind: 'name' };
  }
  if (sentence.endsWith('?') && (yesNo.test(sentence) || yesNoIndic.test(sentence))) return { kind: 'yes-no' };
  return free;
}

function digitsOf(sentence: string): { digits?: number } {
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

/** English and romanized words stand alone; in Devanagari endings grow onto them. */
function phrase(english: string, devanagari: string, romanized: string): RegExp {
  const latin = [english, ...(romanized === '' ? [] : [`(?:${romanized})\\p{L}*`])].join('|');
  return new RegExp(`(?:^|[^\\p{L}])(?:${latin})(?!\\p{L})|${folded(devanagari)}`, 'u');
}
