import type { SpeechLanguage } from '@parley/contracts';

const words = (list: string): ReadonlySet<string> => new Set(list.split(' '));

const marathi = words(
  'आहे आहेत आहात का काय कधी कुठे कसे कसा कशी किती मला माझे माझा माझी तुम्ही तुमचे तुमचा तुमची आणि नाही पाहिजे होते मिळेल मिळते येथे इथे ' +
    'साठी मध्ये करता येतो येते आम्ही असते असतो असता देता कोणते कोणती कोणता वाजता खूप झाले सांगा द्या हवे हवी',
);
const hindi = words(
  'है हैं हो था थी थे क्या कब कहाँ कहां कैसे कैसा कैसी कितना कितनी कितने मुझे मेरा मेरी मेरे आप आपका आपकी आपके और नहीं चाहिए में को से पर ' +
    'यहाँ यहां हम कर सकते सकता सकती होगा होगी मिलेगा मिलेगी कौन लिए बजे रहा रही रहे बताइए दीजिए होती होता',
);
const markedMarathi = /ळ|ऱ्/u;

/**
 * The language that a text is written in, by its script and its small words; undefined when it shows none, as "ok" or
 * "1499" do. Text in Devanagari without a hint is in the language that the conversation has, or else Hindi.
 */
export function detectLanguage(text: string, hint?: SpeechLanguage): SpeechLanguage | undefined {
  const devanagari = text.match(/\p{Script=Devanagari}/gu)?.length ?? 0;
  const latin = text.match(/\p{Script=Latin}/gu)?.length ?? 0;
  if (devanagari === 0) return latin > lettersMin ? 'english' : undefined;
  if (latin > devanagari * 2) return 'english';
  const spoken = text.match(/[\p{L}\p{M}]+/gu) ?? [];
  const count = (known: ReadonlySet<string>) => spoken.filter((word) => known.has(word)).length;
  const lead = count(marathi) + (markedMarathi.test(text) ? 1 : 0) - count(hindi);
  if (lead === 0) return hint === 'marathi' ? 'marathi' : 'hindi';
  return lead > 0 ? 'marathi' : 'hindi';
}

const lettersMin = 3;
