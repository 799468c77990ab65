import { foldSpelling, wordsOf } from './spelling';
import { isSmall } from './terms';

/** Words around any question, in three languages and in Latin letters. They change nothing of what it asks. */
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
