import type { AgentRuntime, ConversationChannel, SpeechLanguage } from '@parley/contracts';
import type { z } from 'zod';

/** A language that people use; Hinglish is Hindi written in Latin letters. */
export type HeardLanguage = SpeechLanguage | 'hinglish';

const words = (list: string): ReadonlySet<string> => new Set(list.split(' '));

const marathi = words(
  'आहे आहेत आहात काय कधी कुठे कसे कसा कशी किती मला माझे माझा माझी तुम्ही तुमचे तुमचा तुमची आणि नाही पाहिजे मिळेल मिळते येथे इथे ' +
    'साठी मध्ये करता येतो येते आम्ही असते असतो असता कोणते कोणती कोणता वाजता खूप झाले सांगा द्या हवे हवी ' +
    'कोण कोणी कोणाला कोणाकडे कोणत्या घेते घेतो घेता घेतात लागते लागतात लागेल असेल होईल देतो केवढ्याला कितीला',
);
const hindi = words(
  'है हैं हो था थी थे क्या कब कहाँ कहां कैसे कैसा कैसी कितना कितनी कितने मुझे मेरा मेरी मेरे आप आपका आपकी आपके और नहीं चाहिए में को से पर ' +
    'यहाँ यहां हम कर सकते सकता सकती होगा होगी मिलेगा मिलेगी कौन लिए बजे रहा रही रहे बताइए दीजिए होती',
);
const hinglish = words(
  'hai hain ho tha thi kya kab kahan kahaan kaise kaisa kaisi kitna kitni kitne mujhe mera meri mere aap aapka aapki aapke aapko aur nahi nahin ' +
    'chahiye mein ka ki ke ko se yahan hum kar karna karo karte karta sakte sakta sakti hoga hogi milega milegi kaun kaunsa kaunse kis liye ' +
    'baje raha rahi rahe rehta rehti batao bataiye dijiye hoti hota padega padegi lagta lagega lagte wala wale bhi abhi kal aaj dena lena paise agar toh ' +
    'kuch baad pehle milti milta milte saath bina koi sirf jaldi zyada sasta mehnga chahie hume humko khula khuli khulta khulte subah shaam ghar ' +
    'wahan isme usme iska uska yeh woh gaya gayi jata jaata jati jaati aana jaana dete leta lete lagega lagenge padta padti banta banega chalega',
);
const latinMarathi = words(
  'aahe ahe aahet ahet aahat kay kuthe kasa kashi kase kiti mala majha majhi tumhi tumche tumcha tumchi tumchya aani nahi pahije milel milte ithe ' +
    'aamhi amhi asto aste asta dete deta konta konti vajta vajata khup sanga dya hava havi lagtat udya ' +
    'chi che chya kadhi kon konala kontya kuthla kitila pahijet nako naslyas asel hoil hotil karun karta yeil yeto yete yetat milnar milto miltat ' +
    'lagel lagtil lagto lagte dyava dyave ghyava ghyave gheta ghetat mazha mazhi mazhe majhe maza mazi amcha amche amchi tumchyakade amchyakade ' +
    'ughde ughda ughadta chalu suru astat madhe madhye sathi baddal nantar parat karaycha karaychi karayche dukanat ghari divshi divas hote hoto sakali dupari sandhyakali',
);
/** "to", "do", "are" and "me" are English first: so many words have to speak for another language. */
const latinWordsMin = 2;
const latinShareMin = 0.25;
/** A letter, or a case that Marathi writes as part of the word and Hindi as a word of its own. */
const markedMarathi = /ळ|ऱ्|(?:ांचे|ांचा|ांची|ांच्या|ाच्या|ांना|ातील|ासाठी|ांसाठी|ामध्ये|ायचे|ायची|ायला)(?![\p{L}\p{M}])/u;

/** Marathi ends a question for yes or no with it, behind the verb; between two words it is Hindi for whose something is. */
const asksWithKa = /(?:ते|तो|तं|ता|तात|तील|ेल|शील|ाले|ाला|ाल|णार|वे|चे|ची|चा)\s+का\s*[?।.!]*\s*$/u;
const whoseInHindi = /[\p{L}\p{M}]\s+का\s+[\p{L}\p{M}]/u;

/**
 * The language that a text is written in, by its script and its small words; undefined when it shows none, as "ok" or
 * "1499" do. Text in Devanagari without a hint is in the language that the conversation has, or else Hindi.
 */
export function detectLanguage(text: string, hint?: SpeechLanguage): HeardLanguage | undefined {
  const devanagari = text.match(/\p{Script=Devanagari}/gu)?.length ?? 0;
  const latin = text.match(/\p{Script=Latin}/gu)?.length ?? 0;
  if (devanagari === 0) return latin > lettersMin ? inLatinLetters(text) : undefined;
  if (latin > devanagari * 2) return 'english';
  const spoken = text.match(/[\p{L}\p{M}]+/gu) ?? [];
  const count = (known: ReadonlySet<string>) => spoken.filter((word) => known.has(word)).length;
  const marks = [markedMarathi, asksWithKa].filter((mark) => mark.test(text)).length;
  const lead = count(marathi) + marks - count(hindi) - (whoseInHindi.test(text) ? 1 : 0);
  if (lead === 0) return hint === 'marathi' ? 'marathi' : 'hindi';
  return lead > 0 ? 'marathi' : 'hindi';
}

const lettersMin = 3;
/** Marathi ends a question for yes or no with "ka", where Hindi says whose something is. */
const asksInMarathi = /(?<!\bkitn[aei]|\bkis|\bkin)\s+ka\s*\?*\s*$/iu;

/** Latin letters mean English unless another language's function words occur. */
function inLatinLetters(text: string): HeardLanguage {
  const spoken = text.toLowerCase().match(/[a-z]+/gu) ?? [];
  const count = (known: ReadonlySet<string>) => spoken.filter((word) => known.has(word)).length;
  const [hindiWords, marathiWords] = [count(hinglish), count(latinMarathi) + (asksInMarathi.test(text) ? 1 : 0)];
  const most = Math.max(hindiWords, marathiWords);
  const isSaid = most >= latinWordsMin || (most === 1 && spoken.length <= 3);
  if (!isSaid || most / spoken.length < latinShareMin) return 'english';
  return marathiWords > hindiWords ? 'marathi' : 'hinglish';
}

interface Written {
  readonly agent: Pick<AgentRuntime, 'RuntimeConfiguration'>;
  readonly channel: z.output<typeof ConversationChannel>;
  /** The language of the answer, and the one detected. */
  readonly language: SpeechLanguage;
  readonly heard: HeardLanguage;
  readonly question: string;
}

/** Whether answers on a channel are spoken. */
export function isSpoken(channel: Written['channel']): boolean {
  return channel === 'VOICE' || channel === 'PHONE';
}

/** Whether a question in Hindi or Marathi is written in Latin letters, and answered in them. */
export function isInLatinLetters({ agent, channel, language, heard, question }: Written): boolean {
  if (isSpoken(channel) || agent.RuntimeConfiguration.HinglishAnswers !== 'AS_WRITTEN') return false;
  if (heard === 'hinglish') return language === 'hindi';
  return language === 'marathi' && !/\p{Script=Devanagari}/u.test(question) && detectLanguage(question) === 'marathi';
}

/** The language in which an agent answers a question. */
export function answerLanguageOf(
  heard: HeardLanguage,
  { RuntimeConfiguration }: Pick<AgentRuntime, 'RuntimeConfiguration'>,
): SpeechLanguage {
  if (heard !== 'hinglish') return heard;
  return RuntimeConfiguration.HinglishAnswers === 'ENGLISH' ? 'english' : 'hindi';
}
