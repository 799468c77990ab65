import { foldSpelling, wordsOf } from '@parley/language';

/** What an answer has to hold to be one: an amount, a time, a person, a place, a number, a reason. */
export type Want = 'PRICE' | 'TIME' | 'SPAN' | 'WHO' | 'PLACE' | 'COUNT' | 'WHY';

const fold = (words: string): ReadonlySet<string> => new Set(words.split(' ').map(foldSpelling));
const asksWho = fold('who whom whose kaun kon konala kisko kisse कौन किसे किसको किससे कोण कोणाला कोणी कोणाकडे किसने');
const asksHowMany = fold('many kitne kitni kitna kiti कितने कितनी कितना किती how');
const atWhatPrice = /(?:कितने|kitne)\s(?:का|की|के|में|ka|ki|ke|mein|me)(?![\p{L}\p{M}])/iu;
/** Asks for a sum without a word for prices. */
const whatItComesTo =
  /\bwhat (?:would|will) (?:that|it|this|all that) (?:be|make)\b|\b(?:total|altogether|in all)\s*\??\s*$|\btotal (?:bill|cost)\b|(?:तर|तो|मिलाकर|मिळून|कुल|एकूण) (?:किती|कितने|कितना)\s*\??\s*$|किती रुपय|कितने रुपय|\bcomes? (?:out )?to(?= (?:in all|in total|altogether|together|for|if|when|with)\b|\s*[?.!]?\s*$)|\bset me back\b|\bwhat (?:would|will|do|does|must|should) (?:[\p{L}\d]+ ){1,4}(?:pay|spend|owe)\b|\bwhat is .+ (?:together|in all|in total|altogether)\b|(?:कितना|कितने|किती) (?:कट|काट|कापल|कापत)[\p{L}\p{M}]*|(?:कितना|कितने) (?:होगा|होंगे|होता|पड़े|बनेगा)|किती (?:होईल|होतील|होतात)|(?:का|के|की|चे|चा|ची) (?:कितना|कितने|किती)\s*\??$|किती (?:घेता|घेतात|आकारता|पडेल|पडतील|पडतात)|(?:कितना|कितने) लेते|\b(?:ka|ke|ki|che|cha|chi) (?:kitn[aei]|kiti)\s*\??$|kitn[ae] (?:lete|lagta|lagte|hoga|honge|hota|banega|padega|padenge)|kiti (?:hoil|hotil|hotat)/iu;
const atWhatTime =
  /\bhow (?:early|late)\b|(?:बजे|वाजता|(?:कितने|किती|कित्येक)\s(?:बज|वाज)[\p{L}\p{M}]*|baje|vajta|vajata|कब\s?तक|किस दिन|कोणत्या (?:दिवशी|वारी)|kis din|कधीपर्यंत|kab\s?tak|kadhi\s?paryant)(?![\p{L}\p{M}])/iu;
const howLong =
  /\bhow long\b|कितना (?:समय|टाइम|वक़्त)|कितनी देर|किती (?:वेळ|काळ)|kitn[ai] (?:time|samay|der)|kiti (?:vel|vela|time)/iu;
const asksWhether = /^\s*(?:can|may|could|do|does|is|are|will|must|should|kya|क्या)\b|^\s*क्या\s|\s(?:का|ka|kya|क्या)\s*\??\s*$/iu;
const asksFor =
  /\bhow\b|\bwhat\b|\bwhich\b|kitn|kitna|kiti|kaun|kab|kaha|कितन|किती|कौन|कब|कहाँ|कहां|कधी|कुठे|केवढ|कोण|\bprice|\bcost/iu;

/** The kinds of answer a question wants, from its words and their combination. */
export function wantsIn(text: string, concepts: readonly string[]): Set<Want> {
  const wants = new Set<Want>();
  for (const concept of concepts) noteWant(concept, wants);
  const all = wordsOf(text);
  if (all.some((word) => asksWho.has(word))) wants.add('WHO');
  if (atWhatPrice.test(text) || whatItComesTo.test(text)) wants.add('PRICE');
  if (atWhatTime.test(text)) wants.add('TIME');
  const isCount = all.some((word, place) => asksHowMany.has(word) && (word !== 'how' || all[place + 1] === 'many'));
  if (/\b(?:which|what) days?\b/iu.test(text)) wants.add('TIME');
  if (isCount && wants.size === 0) wants.add('COUNT');
  return wants;
}

/** Notes a concept that is a kind of answer; no other concept. */
export function noteWant(concept: string, wants: Set<Want>): boolean {
  if (concept !== 'PRICE' && concept !== 'TIME' && concept !== 'WHO' && concept !== 'PLACE' && concept !== 'WHY') return false;
  wants.add(concept);
  return true;
}

/** Whether a word only asks: who, how many. */
export function asksOnly(word: string): boolean {
  return asksWho.has(word) || asksHowMany.has(word);
}

/** "How long?" is answered by so many minutes or days, and by no weekday. */
export function asksHowLong(text: string): boolean {
  return howLong.test(text);
}

/** "Can the fee be paid in parts?" is a yes-or-no question, not one for the price. */
export function asksOnlyWhether(text: string): boolean {
  return asksWhether.test(text) && !asksFor.test(text);
}
