import type { SpokenLanguage } from '@parley/ports';
import { folded, wordSet, wordsOf } from './turn-end/words';

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
/** In all three languages, since people say goodbye in each other's. */
const farewells = `
  bye, goodbye, good bye, bye bye, good night, good day, thanks, thank you, thank you so much, thank you very much, thanks a lot, see you,
  see you soon, see you later, take care, have a good day, have a nice day, have a great day, you too, same to you, cheers,
  नमस्ते, नमस्कार, धन्यवाद, शुक्रिया, बहुत धन्यवाद, बहुत बहुत धन्यवाद, अलविदा, बाय, बाय बाय, थैंक यू, फिर मिलेंगे, खूप धन्यवाद, आभारी आहे,
  भेटू, पुन्हा भेटू, येतो, येते, namaste, namaskar, dhanyavad, dhanyawad, shukriya, bahut dhanyavad, alvida, phir milenge, bhetu,
  punha bhetu`;
const murmur = wordSet(murmurs);
const wordsMax = 4;
const farewellWordsMax = 10;
const phraseWordsMax = 4;

const known: Record<SpokenLanguage, ReadonlySet<string>> = {
  english: phrasesFor('english'),
  hindi: phrasesFor('hindi'),
  marathi: phrasesFor('marathi'),
};

const farewell = phrasesIn([farewells]);

/** Whether the caller only shows that they listen ("hmm", "haan", "ठीक है"), so that the agent need not stop. */
export function isBackchannel(text: string, language: SpokenLanguage): boolean {
  const words = wordsOf(folded(text));
  if (words.length === 0 || words.length > wordsMax || text.includes('?')) return false;
  return isMadeOf(words, [known[language], murmur]);
}

/** Whether the caller only says goodbye ("okay thank you, bye"). */
export function isFarewell(text: string, language: SpokenLanguage): boolean {
  const words = wordsOf(folded(text));
  if (words.length > farewellWordsMax || text.includes('?')) return false;
  const assents = [known[language], murmur];
  return isMadeOf(words, [farewell, ...assents]) && !isMadeOf(words, assents);
}

/** Whether the words consist only of phrases of these sets. The longest phrase is matched first. */
function isMadeOf(words: readonly string[], sets: readonly ReadonlySet<string>[]): boolean {
  for (let at = 0; at < words.length;) {
    let length = Math.min(phraseWordsMax, words.length - at);
    while (length > 0 && !sets.some((set) => set.has(words.slice(at, at + length).join(' ')))) length -= 1;
    if (length === 0) return false;
    at += length;
  }
  return true;
}

function phrasesFor(language: SpokenLanguage): ReadonlySet<string> {
  return phrasesIn(spokenIn[language].map((spokenLanguage) => phrases[spokenLanguage]));
}

function phrasesIn(lists: readonly string[]): ReadonlySet<string> {
  return new Set(lists.flatMap((list) => list.split(',')).map((phrase) => wordsOf(folded(phrase)).join(' ')));
}

/**
 * Phrases that only machines say, in English, Hindi and Marathi, the latter two also in Latin letters. A person may ask for a
 * message too ("मुझे मैसेज छोड़ दीजिए"), but does not mention a tone or say "your message".
 */
const machinePhrases: readonly RegExp[] = [
  /\bleave (?:me |us )?(?:a|your) (?:message|name)\b|\brecord your message\b|\bafter the (?:tone|beep)\b/iu,
  /\bvoice ?mail\b|\bmail ?box\b|\b(?:can(?:no|')t|unable to) (?:come|get) to the phone\b/iu,
  /\b(?:person|number|subscriber) you (?:have )?(?:called|dialled|dialed|are calling)\b/iu,
  /संदेश (?:छोड़|रिकॉर्ड|दर्ज)|(?<!मुझे )(?:अपना|आपका) म[ेै]से?ज (?:छोड़|रिकॉर्ड|दर्ज)|वॉ[इय]स ?मेल|स्विच ऑफ/u,
  /(?<!\p{L}|\p{M})(?:बीप|टोन|ध्वनि|सिग्नल) (?:बजने )?के (?:तुरंत )?बाद|आवाज़? के बाद (?:\S+ ){0,3}(?:संदेश|म[ेै]से?ज)/u,
  /(?:डायल|कॉल) किया (?:गया|हुआ) नंबर|(?:संपर्क|कवरेज) क्षेत्र से बाहर|व्यक्ति (?:को|से) आप (?:कॉल|संपर्क|बात) कर/u,
  /(?:निरोप|संदेश|म[ेॅ]से?ज) (?:ठेवा|सोडा|नोंदवा|रेकॉर्ड करा)|व्हॉ[इय]स ?मेल|डायल केलेला|(?:संपर्क|कव्हरेज) क्षेत्राच्या बाहेर/u,
  /(?<!\p{L}|\p{M})(?:बीप|टोन|ध्वनी|ध्वनि|सिग्नल)(?:च्या)? ?नंतर|आवाजा(?:च्या)? ?नंतर (?:\S+ ){0,3}(?:निरोप|संदेश|म[ेॅ]से?ज)/u,
  /\b(?:beep|tone|dh[vw]ani|signal) (?:bajne )?ke (?:turant )?ba+d\b|\b(?:beep|tone|dh[vw]ani|signal)(?: ?chya)? ?nantar\b/iu,
  /\bsandesh (?:ch+h?[ou]+r?d|record|darj)|(?<!\bmujhe )\b(?:apna|aapka) (?:message|msg) (?:ch+h?[ou]+r?d|record|darj)/iu,
  /\b(?:nirop|sandesh|message) (?:theva|thewa|soda|nondva|nondwa|record kara)\b|\b(?:dial|call) (?:kiya (?:gaya|hua)|kelela) (?:number|nambar|kramank)\b/iu,
  /\b(?:sa[mn]park|coverage) kshetra? se ba+ha?r\b|\b(?:sa[mn]park|coverage) kshetra+chya ba+her\b/iu,
];
/** A person who picks up does not say this many words before the other side speaks. */
const greetingWordsMin = 22;

/** Whether a machine answered, judged by its words: a typical phrase in any of the languages, or a very long greeting. */
export function soundsLikeVoicemail({ text }: { readonly text: string }): boolean {
  const words = text.trim().split(/\s+/u);
  if (words.length >= greetingWordsMin) return true;
  // Nukta and nasals have two spellings: ड़ as one code point or two, सन्देश or संदेश.
  const spelt = text
    .normalize('NFC')
    .replaceAll('न्द', 'ंद')
    .replaceAll('म्प', 'ंप')
    .replace(/[\s,।.]+/gu, ' ');
  return machinePhrases.some((phrase) => phrase.test(spelt));
}
