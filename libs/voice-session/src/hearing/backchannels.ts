import type { SpokenLanguage } from '@parley/ports';
import { folded, wordSet, wordsOf } from './turn-end/ending-of';

const murmurs = 'hm hmm hmmm mm mmm mhm mm-hmm mm-hm uh-huh uhhuh uhuh uh huh um umm ah aha oh ooh हं हम्म हम्म् हूं उं आं ओह ओ';
const phrases: Record<SpokenLanguage, string> = {
  english: `
    okay, ok, okey, right, yeah, yea, yep, yup, ya, yes, sure, alright, i see, got it, yes yes, all right, good,
    fine, nice, cool, great, true, exactly, of course, go on, really, oh really, makes sense, understood, perfect`,
  hindi: `
    हाँ, हां, हा, जी, जी हाँ, हाँ जी, अच्छा, ठीक, ठीक है, सही, सही है, सही बात, बिल्कुल, ओके, ओह अच्छा, समझ गया,
    समझ गई, हाँ ठीक, haan, han, ha, haa, ji, accha, acha, achha, achcha, theek, theek hai, thik hai, thik, sahi,
    sahi hai, sahi baat, bilkul, samajh gaya, samajh gayi`,
  marathi: `
    हो, होय, हां, बरं, बर, बरोबर, बरोबर आहे, ठीक, ठीक आहे, अच्छा, अच्छा अच्छा, ओके, समजलं, कळलं, खरंय, खरं, ho,
    hoy, hoi, bara, baraa, bar, barobar, barobar aahe, thik aahe, thik ahe, thik, samajla, samajle, kalla, accha`,
};
// People also respond to a Hindi or Marathi voice in English, and to an English one in Hindi.
const spokenIn: Record<SpokenLanguage, readonly SpokenLanguage[]> = {
  english: ['english', 'hindi'],
  hindi: ['hindi', 'english'],
  marathi: ['marathi', 'hindi', 'english'],
};
const murmur = wordSet(murmurs);
const wordsMax = 4;
const phraseWordsMax = 2;

const known: Record<SpokenLanguage, ReadonlySet<string>> = {
  english: phrasesFor('english'),
  hindi: phrasesFor('hindi'),
  marathi: phrasesFor('marathi'),
};

/** Whether the caller only signals that they are listening ("hmm", "haan", "ठीक है"), so the agent need not stop. */
export function isBackchannel(text: string, language: SpokenLanguage): boolean {
  const words = wordsOf(folded(text));
  if (words.length === 0 || words.length > wordsMax || text.includes('?')) return false;
  for (let at = 0; at < words.length;) {
    const length = lengthOfPhrase(words.slice(at, at + phraseWordsMax), language);
    if (length === 0) return false;
    at += length;
  }
  return true;
}

function lengthOfPhrase(words: readonly string[], language: SpokenLanguage): number {
  for (let length = words.length; length > 0; length -= 1) {
    if (known[language].has(words.slice(0, length).join(' '))) return length;
  }
  return murmur.has(words[0] ?? '') ? 1 : 0;
}

function phrasesFor(language: SpokenLanguage): ReadonlySet<string> {
  const spoken = spokenIn[language].flatMap((spokenLanguage) => phrases[spokenLanguage].split(','));
  return new Set(spoken.map((phrase) => wordsOf(folded(phrase)).join(' ')));
}
