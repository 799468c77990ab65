import type { SpeechLanguage } from '@parley/contracts';

const marathiWords = new Set(
  (
    'आहे आहेत आहात का काय कधी कुठे कसे कसा कशी किती मला माझे माझा माझी तुम्ही तुमचे तुमचा तुमची तुमच्या आणि नाही नाहीत पाहिजे ' +
    'होते मिळेल मिळते येथे इथे आता साठी मध्ये करता करू शकतो शकते आम्ही आमचे आमच्या असते असतो असेल घेता देता कोणते कोणती कोणता चालू ' +
    'उघडे वाजता दुकान सुट्टी झाले केले कोण कोणी कोणाला कोणाकडे कोणत्या केव्हा केवढा केवढे नको हवी हवा हवे तुमच्याकडे माझ्या आमची'
  ).split(' '),
);
const hindiWords = new Set(
  (
    'है हैं हो था थी थे क्या कब कहाँ कहां कैसे कैसा कैसी कितना कितनी कितने मुझे मेरा मेरी मेरे आप आपका आपकी आपके और नहीं चाहिए में को से पर ' +
    'अभी यहाँ यहां हम हमारा कर सकते सकता सकती होगा होगी मिलेगा मिलेगी मिलता कौन कौनसा लिए बजे रहा रही रहे गया गयी दुकान खुला खुली'
  ).split(' '),
);
const marathiLetters = /[ळ]/gu;

/** Whether most letters are Devanagari. */
export function isDevanagari(text: string): boolean {
  return (text.match(/[\u0900-\u097f]/gu)?.length ?? 0) > (text.match(/[a-z]/giu)?.length ?? 0);
}

/** The language of a text by its script and its small words. Hindi when Devanagari gives no other hint. */
export function languageOf(text: string): SpeechLanguage {
  if (!isDevanagari(text)) return 'english';
  const words = text.match(/[\p{L}\p{M}]+/gu) ?? [];
  const count = (known: ReadonlySet<string>) => words.filter((word) => known.has(word)).length;
  return count(marathiWords) + (text.match(marathiLetters)?.length ?? 0) > count(hindiWords) ? 'marathi' : 'hindi';
}
