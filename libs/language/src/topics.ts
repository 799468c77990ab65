import { conceptOf, spokenTogether, wantedBy } from './concepts';
import { foldSpelling, wordsOf } from './spelling';
import { stemOf } from './stems';
import { formsOf, isStopWord, type WordForms } from './terms';

/** Words that occur in almost any question and do not distinguish them. */
const weakWords = new Set(
  (
    'accept take offer provide give support allow possible available have sell buy stock use make see come go find bring require ' +
    'necessary let work speak talk visit happen remain ' +
    'there somewhere something anything one once other another somebody someone mine own only still also currently ' +
    'today kind type way mode method option until till before ' +
    'thing question information info detail wish like much many long become keep put say know show ask ' +
    'sa si hogi hoga bhai bhaiya yaar now right again already really actually maybe aapka aapki aapke tumcha tumche tumchi ki ka ke kya hai hain kaise kaun milega milegi milta milti kar karna karu kare karte sakte sakta chahiye aap mujhe ' +
    'me mein se ko par kitna kitni kitne aahe ahe kasa kashi kay mala tumhi kiti ' +
    'सा सी मिलना मिलता मिलेगा मिलती देना देता लेना लेता लगना लगता लगेगा चलना चलता होना होता आना आता जाना जाता रहना रहता करना ' +
    'करने करनी बोलना बोलता जगह तरीका तरीके तरह किस किन कौनसा कौन ' +
    'उपलब्ध संभव चीज जानकारी बात वाला वाले पड़ता पड़ेगा सकता सकती करके ' +
    'मिळणे मिळतो मिळेल देणे देता देऊ घेणे घेता लागते लागतात लागतो चालते चालतो असणे असते असतो होणे होतो येणे येतात करणे ' +
    'करायचे करायची करायचा बोलणे बोलतात सोय पद्धत प्रकार कोणता कोणती कोणते कोणत्या ' +
    'शक्य माहिती हवे हवी हवा'
  )
    .split(' ')
    .map((word) => stemOf(foldSpelling(word))),
);

/** Words for businesses. In a question to a business, they usually mean that one. */
const businessNouns = new Set(
  (
    'shop store company business office branch clinic hospital gym studio school college institute academy hotel ' +
    'restaurant cafe salon bank centre center agency dukan ' +
    'दुकान ऑफिस कार्यालय शोरूम कंपनी क्लिनिक अस्पताल जिम स्कूल होटल रेस्टोरेंट बैंक सेंटर रुग्णालय शाळा हॉटेल बँक केंद्र'
  )
    .split(' ')
    .map((word) => stemOf(foldSpelling(word))),
);

/** Whether a stem occurs in almost any question, so that it does not distinguish them. */
export function isWeak(stem: string): boolean {
  return weakWords.has(stem) || businessNouns.has(stem);
}

/** Whether a stem is a word for a business, such as shop or school. */
export function isBusinessNoun(stem: string): boolean {
  return businessNouns.has(stem);
}

/** What a question is about, regardless of wording, language and script. */
export interface Topics {
  /** Sorted and joined, so that equal concepts are equal strings. */
  readonly concepts: string;
  readonly words: readonly WordForms[];
}

/** The concepts of a question, and its other distinctive words. */
export function topicsOf(question: string): Topics {
  const { concepts, rest } = spokenTogether(question);
  const known = new Set(concepts);
  const words = new Map<string, WordForms>();
  for (const word of wordsOf(rest)) {
    const forms = formsOf(word);
    const concept = wantedBy(word) ?? (isStopWord(word) ? undefined : conceptOf(forms.stem));
    if (concept) known.add(concept);
    else if (!isStopWord(word) && !isWeak(forms.stem)) words.set(forms.stem, forms);
  }
  return { concepts: [...known].sort().join(' '), words: [...words.values()] };
}

const pronouns = new Set(
  (
    'it its one this that these those they them he she him her his वही उन्हें वह वो वे यह ये इसका इसकी इसके उसका उसकी उसके इसे उसे ' +
    'ते तो ती हे हा ही याचा याची याचे त्याचा त्याची त्याचे ' +
    'उसमें इसमें उसको इसको त्यात यात त्यामध्ये यामध्ये त्याला तिला iska iski iske uska uski uske isme usme tyat tyacha tyachi tyache'
  )
    .split(' ')
    .map(foldSpelling),
);

/** Whether a question is so short that its meaning depends on the earlier one. */
export function leansOnBefore(question: string, { concepts, words }: Topics): boolean {
  const count = words.length + (concepts === '' ? 0 : concepts.split(' ').length);
  return count === 0 || (count === 1 && hasPronoun(question));
}

/** Whether a text has a pronoun that refers to something named before. */
export function hasPronoun(text: string): boolean {
  return wordsOf(text).some((word) => pronouns.has(word));
}

/** Whether two questions have the same topics, so that they ask the same or the opposite. */
export function haveSameTopics(one: Topics, other: Topics): boolean {
  if (one.concepts !== other.concepts || one.words.length !== other.words.length) return false;
  return one.words.every((word) => other.words.some((candidate) => areOneWord(word, candidate)));
}

/** Whether two words are the same, by stem or by sound. */
export const areOneWord = (one: WordForms, other: WordForms) =>
  one.stem === other.stem || one.sounds.some((sound) => other.sounds.includes(sound));

const openers = ['and', 'then', 'what about', 'how about', 'aur', 'ani', 'और', 'फिर', 'आणि', 'मग'].map(
  (words) => `${foldSpelling(words)} `,
);

const topicsOfFollowUpMax = 2;

/** Concepts that need another word to ask about something: "why?", "how much?". */
const bare = new Set(['WHY', 'WHO', 'TIME', 'PRICE', 'PAST']);

const bareWordsMax = 3;

/** Whether a question refers to an earlier one: "and on Sunday?", "how long is its warranty?". */
export function refersBack(question: string): boolean {
  const topics = topicsOf(question);
  if (leansOnBefore(question, topics)) return true;
  const count = topics.words.length + topics.concepts.split(' ').length;
  const words = wordsOf(question);
  const text = words.join(' ');
  const isBare = topics.words.length === 0 && topics.concepts.split(' ').every((concept) => bare.has(concept));
  if (isBare && words.length <= bareWordsMax) return true;
  return count <= topicsOfFollowUpMax && (hasPronoun(question) || openers.some((opener) => text.startsWith(opener)));
}

/** Completes a question from the earlier ones, oldest first. */
export function inContext(question: string, before: readonly string[]): string {
  return [...before, question].reduce((earlier, next) => (earlier !== '' && refersBack(next) ? joined(next, earlier) : next), '');
}

/** Combines the earlier request with the newly named thing, or vice versa. */
function joined(question: string, earlier: string): string {
  const { words, concepts } = topicsOf(question);
  const { things, asked } = partsOf(earlier);
  const isOnlyNamed = words.length > 0 && concepts === '';
  return `${question} ${isOnlyNamed ? asked : things || earlier}`;
}

/** Splits a question into words that name something and words that ask. */
function partsOf(question: string): { things: string; asked: string } {
  const words = wordsOf(question);
  const isThing = (word: string) => topicsOf(word).words.length > 0;
  return { things: words.filter(isThing).join(' '), asked: words.filter((word) => !isThing(word)).join(' ') };
}

/** Filler words of any question, in three languages and in Latin letters, which do not change its meaning. */
const around = new Set(
  (
    'please kindly sir madam bhai bhaiya dada tai hello hi hey namaste namaskar thanks exactly usually normally so ok okay and also ' +
    'is are do does can could would you your tell say know let me i we us much many there here at till until from up ' +
    'ka ki ke ko se me mein ne hai hain ho hota hoti hote kya kab kaise kitna kitni kitne aap aapka aapki aapke apka apki apna bata batao bataiye ' +
    'batana dijiye tak pe par rehta rehti rehte raha rahi lagta lagte lagega lagenge milega milegi padega padta ji na to toh bhi hi chahiye ' +
    'aahe ahe aahet ahet kay kasa kashi kiti cha chi che la na sanga tumcha tumchi tumche tumhi aamhi asto aste asta ' +
    'कृपया जी ना तो भी ही तक रहता रहती रहते होता होती होते लगता लगती लगेगा लगते बताइए बताओ बताएं बता दीजिए किस कितने कितना कितनी पड़ेगा ' +
    'नमस्ते नमस्कार सर मैडम भाई कृपा असतो असते असता पर्यंत सांगा सांगता लागते लागतात लागतो पडते आहे चे ची चा ला'
  )
    .split(' ')
    .map(foldSpelling),
);

/** Whether all words of a question other than fillers are known, so that it asks for nothing else. */
export function saysOnly(question: string, isKnown: (word: string) => boolean): boolean {
  return wordsOf(question).every((word) => isKnown(word) || around.has(word) || isStopWord(word));
}
