import type { SpeechLanguage } from '@parley/contracts';
import { LRUCache } from 'lru-cache';
import { isDevanagari } from './terms';

/** A language that people use; Hinglish is Hindi written in Latin letters. */
export type HeardLanguage = SpeechLanguage | 'hinglish';

const list = (...lines: string[]): ReadonlySet<string> => new Set(lines.flatMap((line) => line.split(' ')));
const oneOf = (...forms: string[]): RegExp => new RegExp(`^(?:${forms.join('|')})$`, 'u');

/** The words and word forms by which a language is recognized. */
interface Grammar {
  readonly words: ReadonlySet<string>;
  /** Endings and stems that the other languages do not have. */
  readonly forms: readonly RegExp[];
  /** Those that other languages sometimes have too, which count half. */
  readonly likely: readonly RegExp[];
  /** Words that only seem to have one of these endings. */
  readonly others: ReadonlySet<string>;
}

const letters = '[\\p{L}\\p{M}]';

const marathi: Grammar = {
  words: list(
    'आहे आहेत आहात आहोत काय कधी केव्हा कुठे कुठल्या कुठला कुठली कसे कसा कशी किती कितीला कितीचा कितीचे केवढ्याला केवढे केवढा एवढे एवढा मला माझे माझा माझी माझ्या',
    'तुम्ही तुमचे तुमचा तुमची तुमच्या तुमच्याकडे आम्ही आमचे आमचा आमची आमच्या आणि किंवा पण तर नाही नाहीत नको पाहिजे हवे हवी हवा हवेत येथे इथे तिथे साठी मध्ये',
    'खूप सांगा द्या घ्या करा चे ची चा चं च्या वर पाणी कोण कोणी कोणाला कोणाकडे कोणते कोणती कोणता कोणत्या कशाला कशावर यात यांत त्यात यांचे त्यांचे याचे याची याचा याहून त्याहून आधी नंतर आत आत्ता अजून',
    'काही कमीत प्रत्येकी दोन्ही तिन्ही सर्व सर्वात सगळे सगळा सगळी स्वस्त महाग मोठा मोठी मोठे लहान उद्या परवा सकाळी दुपारी संध्याकाळी रात्री दोन पाच सहा दहा नऊ शंभर दीड अडीच',
    'सुरू उघडे उघडी उघडा फक्त फुकट त्याच ह्या हा वाजता लवकर उशीर चालू शकतो शकते शकता आता करू करता येता देता घेता घेते सुट्टी सुटी केले झाले आले गेले होते',
  ),
  forms: [
    /[ळऱॅ]/u,
    new RegExp(
      `${letters}{2}(?:(?<!च\u094d|नी|ऊँ|ऊं|ख[र]\u094d)(?:चे|ची|चा|च्या|चं)|ांना|ांनी|ांत|ांवर|ासाठी|साठी|मध्ये|पासून|पर्यंत|पैकी|कडे|कडून|जवळ|शिवाय|बरोबर)$`,
      'u',
    ),
    new RegExp(`${letters}{2}(?:तात|तील|तेस|शील|णार|णारे|णारी|ायचे|ायची|ायचा|ायला|ावे|ावी|ल्या|ल्यास|ल्यावर|लेले|लेली|लेला)$`, 'u'),
    new RegExp(`${letters}(?:ईल|[चडटठणव]्या|वारी)$`, 'u'),
    new RegExp(`${letters}{2}(?:तो|तोय|तंय)$`, 'u'),
    oneOf('अस(?:ते|तो|ता|ती|तात|णार|ेल|तील|ल्यास)', '(?:द्|घ्|य)ाल', 'दोघां?.*', 'तिघां?.*', 'सगळ्.*', 'यातल[ाीे]'),
  ],
  likely: [new RegExp(`${letters}{2}(?:े?ल|वाल)$`, 'u'), new RegExp(`${letters}{2}(?:ते|ता|ती|ले|ला|ात|ीत|ून)$`, 'u')],
  others: list(
    'वाला वाले काला पहला पहले अगला अगले खुला खुले मिला मिले चला चले निकला डाला केला मेला थैला अकेले साल हाल माल दाल चाल बाल सवाल अस्पताल मसाला इस्तेमाल ख्याल खयाल',
    'खेल तेल रेल मेल जेल होटल रात बात सात बरसात बारात साथ हवा दवा जगह पता रास्ता नाश्ता नाश्ते रिश्ता सस्ता सस्ते सस्ती जूता जूते कुत्ता कुत्ते बिल किलो नीचे ऊंचे ऊँचे बाहर मॉल',
    'होता होती होते करता करती करते मिलता मिलती मिलते रहता रहती रहते लगता लगती लगते सकता सकती सकते ले ला लेते लेती जाते जाती आते आती आता रखते बनाते बेचते पूजा खून',
  ),
};

const hindi: Grammar = {
  words: list(
    'है हैं हो था थी थे हूँ हूं क्या कब कहाँ कहां किधर कैसे कैसा कैसी कितना कितनी कितने क्यों मुझे मेरा मेरी मेरे हम हमें हमारा हमारे हमारी आप आपका आपकी आपके और या नहीं चाहिए',
    'में को से के पर ने तक कर करके करना कौन कौनसा किस किससे किसे किसके किसी कोई कुछ लिए बजे यहाँ यहां वहाँ अभी भी सबसे इसका इसकी इसके इससे उसका इनमें उनमें इनका उनका इतना ज़्यादा',
    'ज्यादा बहुत जल्दी सिर्फ सिर्फ़ वाला वाले वाली दो पाँच पांच छह दस नौ सौ पहले बाद साथ बिना दोनों तीनों सब सभी मिलाकर तारीख इतवार शाम सुबह दोपहर साल महीने महीना हफ्ते रुपए दूसरी दूसरा छोटे छोटा छोटी',
    'खुला खुली खुले लेते देते बताइए दीजिए होती होता होते रहता रहती रहते मिलता मिलती लगता लगते सकता सकते सकती गया गयी गई गए हुआ हुई हुए आती आते जाती जाते करते करती आएगा जाएगा देर',
    'पैसा कमरा कमरे सस्ता सस्ती सस्ते महंगा महंगी महंगे',
  ),
  forms: [
    /[\u093c\u0958-\u095f]/u,
    new RegExp(`${letters}(?:[ेूु]?ंगे|ेगा|ेगी|ोगे|ोगी|ूँगा|ूंगा|ऊँ|ऊं|एगा|एगी|एँगे|एंगे|िए|इए|िएगा|इएगा|ाएँ|ूँ|ाओ|ाऊँ|ियाँ|ियां|ओं|ों)$`, 'u'),
    /[\u0905-\u0914\u093e-\u094c]\u0901/u,
  ],
  likely: [new RegExp(`${letters}{2}(?:ना|नी|ने|ते|ता|ती|कर|आ|ई)$`, 'u')],
  others: list('आणि महिना महिने किती रविवारी'),
};

const english: ReadonlySet<string> = list(
  'the is are was were am be been do does did can could will would should shall may might must have has had i we you your my our it its this that these those they them',
  'a an of for with from by at on in into to me us he she so as or and not no any some what which who whom whose when where why how much many there here if then about until till please let',
  'want need one two too also all both together then only under over per before after',
);
/** English words that are also romanized Hindi or Marathi words. */
const ofEither: ReadonlySet<string> = list('is in the are do to me on so us an a at no all her he hot');

const inLatin: Record<'hinglish' | 'marathi', Grammar> = {
  hinglish: {
    words: list(
      'hai hain tha thi kya kab kahan kahaan kidhar kaise kaisa kaisi kitna kitni kitne kyun kyon mujhe mera meri mere aap aapka aapki aapke aapko tum hum humko hamara hamare aur nahi nahin',
      'chahiye chahie mein ka ki ke ko kar karna karo karun karna kaun kaunsa kaunsi kaunse kis kisse kise kiske kisi koi kuch liye baje yahan wahan abhi bhi sabse iska iski iske isse uska inme unme',
      'inka unka itna zyada jyada bahut jaldi sirf wala wali wale paanch chhe saat aath nau sau pehle pahle baad saath sath bina tak dono donon teeno sab milakar milake tareekh itvaar itwaar itwar shaam',
      'subah dopahar raat saal mahina mahine hafte rupaye khula khuli khule khulta khulti hota hoti hote rehta rehti rehte milta milti lagta lagti sakta sakte sakti raha rahi rahe gaya gayi gaye hua hui hue',
      'lete dete karte bechte sasta sasti saste mehnga mehngi mehnge mahanga chhota chhoti chhote bada badi bade doosra doosri doosre pehla daam bhav kiraya farak fark kam ghar ghante din aaj kal ek',
      'de dena lena do_ paise muft sahab bachche bachchon kamra kamre jagah achha theek poora poori aadha aadhi agar',
    ),
    forms: [
      /^(?!challenge|revenge|avenge|omega|mega)[a-z]+(?:ega|egi|enge|oge|ogi|unga|ungi|yega|yegi|yenge|aun|iye|iyega|ayein)$/u,
      /^[a-z]{2,}ao$/u,
      /^(?:som|mangal|budh|guru|shukra?|shani|ravi)[vw]aa?r$/u,
    ],
    likely: [
      /^[a-z]{2,}(?:ana|ane|arna|ta|ti|te|kar|ke|iyan|on|yi|khna)$/u,
      /^(?:do|to|me|se|hi|ho|pe|par|ya|na|ne|lo|le|la|ja|aa|ji|is|us|in|un|teen|char|das|band|der|log|dukan|paani|bhai|log)$/u,
    ],
    others: list(
      'data beta pasta quota delta date rate plate private late site website gate state note quote write suite complete update private certificate chocolate minute route taste waste paste late donate',
      'cake make take like bike lake brake coke snake strike on person button carton salon iron common cotton season lesson bacon lemon banana antenna china balloon station reservation location option son',
      'ticket total gate invite website kite satellite granite lite white bite site elite polite route institute estate climate corporate chocolate separate ultimate appropriate immediate candidate paste',
    ),
  },
  marathi: {
    words: list(
      'aahe ahe aahet ahet aahat ahat kay kadhi kevha kuthe kuthla kuthli kuthlya kasa kashi kase kiti kitila kiticha kitiche mala majha majhi majhe majhya mazha mazhi mazhe maza mazi tumhi tumche tumcha',
      'tumchi tumchya aamhi amhi aamche amche amcha amchi aani ani kinva nahi pahije havet hava havi nako ithe tithe khup sanga dya ghya konte konti konta kontya kon koni konala konakade kashala yat tyat',
      'yache yachi yacha yahun tyahun aadhi nantar aatta ajun kahi kamit pratyeki donhi tinhi sarva sarvat sagle sagla sagli sagalyat saglyat swasta swast mahag motha mothi mothe mothya lahan udya parva',
      'sakali dupari sandhyakali ratri pach saha daha shambhar didh adich ughde ughda ughdi suru fakt phukat vajta vajata lavkar ushir ushira ghari divas divsat divshi mahinyat nau saat aath ek aaj kaam',
      'asto aste astat asta asel asla asle hote hoto hotil hoil yeil yeu yeto yete yetat gheta ghete gheto deta dete deto karu karta karte karun shakto shakte shakta milel milte milto miltat parat paus jhala',
      'jhali jhale kele aale aala aali milun sutti gharpoch kimmat bhav paise chalu radd rokh jaga hami savlat farak aste',
    ),
    forms: [
      /^(?!cache|ache|headache|niche|neeche|quiche|avalanche|moustache)[a-z]{2,}(?<!ch|khar)(?:che|chi|cha|chya)$/u,
      /^(?!seminar|dinar|lunar|sonar)[a-z]{2,}nar$/u,
      /^(?!until|lentil|pistil)[a-z]+til$/u,
      /^(?!habitat|thermostat|stat)[a-z]{2,}tat$/u,
      /^[a-z]{2,}(?:ayla|aych[aie]|lya|lyas|sathi|madhe|madhye|paryant|pasun|javal|baddal|varun|kade|nna|anna|yla)$/u,
      /^(?:som|mangal|budh|guru|shukra?|shani|ravi)[vw]aa?ri$/u,
    ],
    likely: [
      /^[a-z]{2,}(?:el|la|lat|yal|val|to|ta|te|ti|va|la|nche|ne|vu|ru|ghu|tey)$/u,
      /^(?:te|tar|pan|var|la|ha|hi|he|ka|na|don|teen|char|chaha|phone|dukan|kara|band|ravivar|shukravar|vel|dar)$/u,
    ],
    others: list(
      'hotel model level label travel fuel panel tunnel towel parcel cancel channel diesel novel gel wheel steel feel parallel jewel vessel personnel rebel data beta pasta quota delta date rate plate private late',
      'site website gate state note photo auto into onto potato tomato motto wala pehla khula agla mila chala vanilla villa cola gala umbrella kela medicine one machine line online time fine wine phone alone done',
      'complete update certificate chocolate minute route taste waste thela mela mala minute white bite institute separate candidate estate oval interval arrival festival approval removal ne paste polite invite',
    ),
  },
};

const whole = 2;
const half = 1;

/** How many signs of a grammar the words of a text show. */
function shown(words: readonly string[], { words: own, forms, likely, others }: Grammar): number {
  return words.reduce((sum, word) => {
    if (own.has(word)) return sum + whole;
    if (others.has(word)) return sum;
    if (forms.some((form) => form.test(word))) return sum + whole;
    return likely.some((form) => form.test(word)) ? sum + half : sum;
  }, 0);
}

/** A Marathi yes-no question ends with का after the verb; between two words, का is a Hindi possessive. */
const asksWithKa = /(?:ते|तो|तं|ता|तात|तील|ेल|शील|ाले|ाला|ाल|णार|वे|चे|ची|चा|हे)\s+का\s*(?:[?।.!]+\s*)?$/u;
const whoseInHindi = /[\p{L}\p{M}]\s+(?:का|की)\s+(?!त[ोेी]|ह[ाेी](?![\p{L}\p{M}]))[\p{L}\p{M}]/u;
/** A final verb form that in Hindi would need an auxiliary after it: करता है. */
const endsInMarathi = /[\p{L}\p{M}]{2}(?:ता|ते|तात|ते)\s*(?:[?।.!]+\s*)?$/u;
/** Marathi की means "or" after a quality that is compared. */
const choosesInMarathi = /(?:महाग|स्वस्त|मोठ[ाीे]|लहान|जास्त|कमी|लागत[ोे]|लागतील|पूर्ण|अर्ध[ाीे]?)\s+की\s/u;
/** A romanized Marathi yes-no question ends with "ka", which in Hindi is a possessive. */
const asksInMarathi =
  /(?:[a-z](?:te|to|ta|tat|til|el|yal|nar|lela?|che|chi|cha)|aahe|ahe|val|jhal[aei]|zal[aei]|aal[aei])\s+ka\s*(?:\?+\s*)?$/iu;
const choosesInLatinMarathi = /\b(?:mahag|swasta?|moth[aei]|lahan|jast|kami|lagtil|fee|purna)\s+ki\s/iu;

function inDevanagari(text: string): 'hindi' | 'marathi' {
  const { hindi: ofHindi, marathi: ofMarathi } = shownInDevanagari(text);
  return ofMarathi > ofHindi ? 'marathi' : 'hindi';
}

/** How many signs of each language a Devanagari text shows. */
function shownInDevanagari(text: string): Record<'hindi' | 'marathi', number> {
  const words = text.match(/[\p{L}\p{M}]+/gu) ?? [];
  const chooses = choosesInMarathi.test(text);
  const ofMarathi = (asksWithKa.test(text) ? whole : 0) + (chooses ? whole : 0) + (endsInMarathi.test(text) ? half : 0);
  const ofHindi = whoseInHindi.test(text) && !chooses ? whole : 0;
  return { hindi: shown(words, hindi) + ofHindi, marathi: shown(words, marathi) + ofMarathi };
}

/** The language of text in Latin letters: English, unless there are signs of another language. */
function inLatinText(text: string, hint: SpeechLanguage | undefined): HeardLanguage {
  const words = text.toLowerCase().match(/[a-z]+/gu) ?? [];
  const marksOfMarathi = (asksInMarathi.test(text) ? whole : 0) + (choosesInLatinMarathi.test(text) ? whole : 0);
  const [ofHindi, ofMarathi] = [shown(words, inLatin.hinglish), shown(words, inLatin.marathi) + marksOfMarathi];
  const most = Math.max(ofHindi, ofMarathi);
  if (most < whole || most <= shownOfEnglish(words)) return 'english';
  if (ofHindi === ofMarathi) return hint === 'marathi' ? 'marathi' : 'hinglish';
  return ofMarathi > ofHindi ? 'marathi' : 'hinglish';
}

function shownOfEnglish(words: readonly string[]): number {
  return words.reduce((sum, word) => sum + (english.has(word) ? (ofEither.has(word) ? half : whole) : 0), 0);
}

/** Whether a text in mixed scripts is an English sentence, rather than a Hindi or Marathi one with English nouns. */
function isEnglishAroundNames(text: string, shownBeside: number, isMostlyLatin: boolean): boolean {
  if (behindLatin.test(text)) return false;
  const ofEnglish = shownOfEnglish(text.toLowerCase().match(/[a-z]+/gu) ?? []);
  return ofEnglish >= whole ? ofEnglish > shownBeside : isMostlyLatin && shownBeside === 0;
}

/**
 * The language of a text, by its script and grammar; undefined if there are no signs of any, as in "ok" or "1499". Between equal signs
 * of Hindi and Marathi, `hint`, the language of the conversation, decides, or otherwise Hindi.
 */
export function detectLanguage(text: string, hint?: SpeechLanguage): HeardLanguage | undefined {
  const devanagari = text.match(/\p{Script=Devanagari}/gu)?.length ?? 0;
  const latin = text.match(/\p{Script=Latin}/gu)?.length ?? 0;
  if (devanagari === 0) return latin > lettersMin ? inLatinText(text, hint) : undefined;
  const { hindi: ofHindi, marathi: ofMarathi } = shownInDevanagari(text);
  if (latin > 0 && isEnglishAroundNames(text, Math.max(ofHindi, ofMarathi), latin > devanagari * 2)) return 'english';
  if (ofHindi !== ofMarathi) return ofMarathi > ofHindi ? 'marathi' : 'hindi';
  return hint === 'marathi' ? 'marathi' : 'hindi';
}

const lettersMin = 3;
/** A postposition after a Latin word: "AC room का rent?" is Hindi, although its nouns are English. */
const behindLatin = /[a-z]\s+(?:का|की|के|को|में|पर|से|चे|ची|चा|ला|वर|साठी|मध्ये|पे)(?![\p{L}\p{M}])/iu;

const textsRemembered = 20_000;
const remembered = new LRUCache<string, SpeechLanguage>({ max: textsRemembered });

/** The language of a text in a knowledge base. Devanagari without other signs counts as Hindi. */
export function languageOf(text: string): SpeechLanguage {
  const known = remembered.get(text);
  if (known) return known;
  const language = isDevanagari(text) ? inDevanagari(text) : 'english';
  remembered.set(text, language);
  return language;
}

/** How an answer quotes a text in another language. */
export const quotedIn: Record<SpeechLanguage, (text: string) => string> = {
  english: (text) => `This is what our information says: “${text}”`,
  hindi: (text) => `हमारी जानकारी में यह लिखा है: “${text}”`,
  marathi: (text) => `आमच्या माहितीत असे लिहिले आहे: “${text}”`,
};
