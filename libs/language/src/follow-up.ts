import { foldSpelling, wordsOf } from './spelling';
import { isSmall } from './terms';
import { hasPronoun, leansOnBefore, topicsOf } from './topics';

const openers = ['and', 'then', 'what about', 'how about', 'aur', 'ani', 'और', 'फिर', 'आणि', 'मग'].map(
  (words) => `${foldSpelling(words)} `,
);

const topicsOfFollowUpMax = 2;

/** "Why?" and "how much?" ask of nothing by themselves. */
const bare = new Set(['WHY', 'WHO', 'TIME', 'PRICE', 'PAST']);

const bareWordsMax = 3;

/** Whether a question refers to the one before: "and on Sunday?", "how long is its warranty?". */
export function goesOn(question: string): boolean {
  const topics = topicsOf(question);
  if (leansOnBefore(question, topics)) return true;
  const count = topics.words.length + topics.concepts.split(' ').length;
  const words = wordsOf(question);
  const said = words.join(' ');
  const isBare = topics.words.length === 0 && topics.concepts.split(' ').every((concept) => bare.has(concept));
  if (isBare && words.length <= bareWordsMax) return true;
  return count <= topicsOfFollowUpMax && (hasPronoun(question) || openers.some((opener) => said.startsWith(opener)));
}

/** A question completed from the questions before it, oldest first. */
export function inContext(question: string, before: readonly string[]): string {
  return [...before, question].reduce((earlier, next) => (earlier !== '' && goesOn(next) ? joined(next, earlier) : next), '');
}

/** Combines the earlier request with the newly named thing, or the other way round. */
function joined(question: string, earlier: string): string {
  const { words, concepts } = topicsOf(question);
  const { things, asked } = partsOf(earlier);
  const isOnlyNamed = words.length > 0 && concepts === '';
  return `${question} ${isOnlyNamed ? asked : things || earlier}`;
}

/** Splits a question's words into those that name something, and those that ask. */
function partsOf(question: string): { things: string; asked: string } {
  const words = wordsOf(question);
  const isThing = (word: string) => topicsOf(word).words.length > 0;
  return { things: words.filter(isThing).join(' '), asked: words.filter((word) => !isThing(word)).join(' ') };
}

/** Filler words around any question, in three languages and in Latin letters. They do not change its meaning. */
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

/** Whether a question says nothing beside words that are known to it: then it asks for what they say and for nothing else. */
export function saysOnly(question: string, isKnown: (word: string) => boolean): boolean {
  return wordsOf(question).every((word) => isKnown(word) || around.has(word) || isSmall(word));
}
