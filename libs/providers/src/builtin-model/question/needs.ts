import {
  type Amount,
  amountsIn,
  conceptOf,
  foldSpelling,
  formsOf,
  isNumberWord,
  isStopWord,
  isUnit,
  isWeak,
  meaningsAsHeard,
  meaningsOf,
  type NumberSaid,
  numbersIn,
  saysOnly,
  soundsOf,
  spokenTogether,
  wantedBy,
  withoutBudget,
  type WordForms,
  wordsOf,
} from '@parley/language';
import { LRUCache } from 'lru-cache';
import { comparesOrAdds, inPlainWords, isComparison, isEnumerated, soonerWords } from './idioms';

/** A word of a question that its answer should mention. */
export interface NeededWord extends WordForms {
  readonly word: string;
  readonly meanings: ReadonlySet<string>;
  /** Its sounds, including those too short to be certain, for names, which are matched as a whole. */
  readonly shortSounds: readonly string[];
  readonly concept: string | undefined;
  /** The sound of a Hindi or Marathi word, in either script. */
  readonly heard?: string | undefined;
  /** How much it matters: a name more than "morning" or a small number. */
  readonly weight: number;
  /** Whether it ends like a verb and is in no dictionary. */
  readonly isVerb?: boolean;
  /** The root of a Hindi or Marathi verb: गाळ of गाळायचे, as in गाळप. */
  readonly root?: string;
}

export interface AnalysedQuestion {
  readonly needs: readonly NeededWord[];
  readonly wants: ReadonlySet<Want>;
  /** Whether it chooses among items or compares them. */
  readonly isComparing: boolean;
  /** Whether it asks for something negative: what may not be brought, on which day no one is there. */
  readonly isOfWhatIsNot: boolean;
  /** Whether it asks after how long something is possible or arrives. */
  readonly isOfAfterwards: boolean;
  /** The stem after "how much": "how much water" does not ask for a price. */
  readonly muchOf: string | undefined;
  /** The numbers of the question, some of which choose a column: "for two rooms". */
  readonly counted: readonly NumberSaid[];
  /** The amounts of the question, for which an item may have different prices. */
  readonly amounts: readonly Amount[];
}

const fold = (words: string): ReadonlySet<string> => new Set(words.split(' ').map(foldSpelling));
/** Words that may be in almost any question and matter little. */
const vague = fold(
  'product item article goods thing saman saaman सामान माल वस्तू वस्तु ghante ghanta baad pehle nantar ' +
    'morning evening afternoon night noon today tonight tomorrow daily week weekly weekday weekdays weekend weekends month monthly day year yearly hour minute time now ' +
    'days weeks months years hours minutes times ' +
    'amount sum rakam rakkam राशि रकम रक्कम few several bottle bottles packet packets piece pieces box boxes pair pairs bag bags unit units copies ticket tickets nos nag नग पीस पैकेट पाकीट बाटली बाटल्या बोतल ' +
    'log plan plans scheme प्लान प्लॅन प्लॅनचा ordinary usual heard जोड़ी जोडी जोडे jodi ' +
    'first last next new part set per baar बार वेळा each every all any both same other another different total extra more less ' +
    'person people customer client member number allowed possible want required needed include included getting ' +
    'subah shaam raat dopahar aaj kal roz din hafta mahina saal sakal dupari sandhyakal udya divas ' +
    'सुबह शाम रात दोपहर आज कल रोज़ दिन हफ्ते महीने साल सकाळी दुपारी संध्याकाळी रात्री उद्या दिवस दिवशी आठवड्यात महिन्यात वर्ष बाद नंतर पहले आधी',
);
/** Verbs without a specific meaning. */
const emptyVerbs = fold(
  'तुम्हाला आम्हाला आपल्याला तुम्हांला आम्हांला मला तुला आपणास tumhala amhala aaplyala mala tula ' +
    'add adds प्रति परवा परसों look looks looking like aur nahi nahin na karni karna karo karein kare karte liye honi hona hote hoti hota tha thi thee bhi toh mera meri mere apna apni apne kuch koi sab tak wala wali wale diya dega degi denge agar jab tab kis kise hume hamara humara hamare ye yeh wo woh usko isko ani aani pan mi amhi tumcha tumchi tumche kuthe kadhi kasa kashi kase asel hoil karaycha ' +
    'यांत यां यांपैकी पैकी कशाला कधीपर्यंत पर्यंत ' +
    'came come out up down back main hu hun baje vajta vajata बजे वाजता ' +
    'सबसे सर्वात sabse sarvat milenge milti milta du doon dunga denge jaye jaega jayega jaenge rehti rehta rehte anybody anyone everybody her him his too either else har gayi gaya gaye mil jayega bharna bharni ' +
    'हर गई गयी गए मिल भरता भरते भरायचे भरायची भरना भरनी भरू ' +
    'त्याला तिला त्यांना माझ्या आमच्या तुमच्या सगळ्यात somebody someone along वाजेपर्यंत बजेपर्यंत ' +
    'made make makes not never no ever got gets going goes went done doing doesnt dont didnt isnt arent cant cannot wont im ive id youre its thats whats theres lets am ' +
    'happen happens mean means call called try using used uses pay paid work works deal think believe tell told say said look looking find found ' +
    'must without within after before during under over above below between off out while because since through per via each ' +
    'karvana karwana karvane karwane karke karva dikhana rakhna rakhte rakhna hona hone hua hui hue jaana jana jaane jaata aana aane pana sakenge milna milne dete deta deti lete leta leti lena dena chalega chalta batao kaha kahan kaunsa kaunsi konsa konsi konti konta konte karaycha karaychi karaycha lagel lagtil asel asla tar jar magar lekin par wahan yahan iske uske inka unka iska uska usme isme ' +
    'कराना करवाना करवाने कराने करवा रखना रखने होना होने हुआ हुई जाना जाने आना आने पाना मिलने देने लेने लगाना दिखाना बनाते बनाना करवायचे करायला करून घेऊन देऊन ठेवायचे ठेवावे लागेल लागतील असल्यास असेल तर जर मगर लेकिन वहाँ इसके उसके इसमें उसमें इसका उसका यात त्यात त्याचे त्याची याची याचे कोणत्या कोणते कोणती किस कौनसी कौनसा द्यावे द्यायचे घ्यावे घ्यायचे होईल झाल्यास झाला झाली नसेल नसल्यास नहीं नाही मत जाते जाता जाती आते आती आता येतात येतो येते ' +
    'दे ले दो लो हूँ हूं सकूँ सकें करूँ पाऊँगा ऐसा वैसा जैसे इतना उतना क्योंकि अगर मेरे मुझको हमको तक साथ बिना पास दौरान बारे वास्ते शकतो शकते शकता येईल मिळेल',
);

/** Hindi and Marathi verbs that are combined with other verbs, in all their forms. */
const lightVerb = new RegExp(
  '^(?:हो|जा|दे|ले|कर|करा|करवा|मिल|लग|सक|चल|आ|रह|पड|दिला|लगवा|घे|शक|मिळ|लाग|चाल|ये|राह|अस|नस|करव)' +
    '(?:न[ाेि]|त[ाेोि]|ग[ाेि]|ंगे|लो|लोय|लात|एग[ाेि]|ेग[ाेि]|ाएग[ाेि]|ेंगे|एंगे|ऊंग[ाि]|ुंग[ाि]|उंग[ाि]|उं|ुं|ओ|ो|ओगे|इए|िए|कर|के|य[ाेि]|ए|इ|वान[ाेि]|' +
    'तल्या|तला|तलि|तले|तात|तिल|तोय|णे|णार|णारे|इल|ेल|तेल|िल|ुन|उन|यच[ाेि]|ायच[ाेि]|यला|ायला|ाव[ाेि]|व[ाेि]|ल[ाेि]|ल्यावर|ल्यास|ाल)$',
  'u',
);
/** The same in Latin letters, where some are also English words. */
const lightVerbInLatin =
  /^(?!hotel|hole|deli|aam|aata)(?:ho|ja|jaa|de|le|kar|kara|karva|karwa|mil|lag|sak|chal|aa|rah|reh|pad|dila|lagwa|lagva|ghe|shak|as|nas)(?:n[aei]|t[aei]|tat|ega|egi|enge|[aei]?nge|[ou]ng[ai]|[au]nga|[aei]ga|[aei]gi|yeg[ai]|yenge|a?yega|o|iye|ye|kar|ke|kr|ya|yi|aych[aei]|ych[aei]|ayla|ava|ave|avi|el|il|eel|til|un|oon)$/u;

const bareVerbInLatin = new Set('de le lo ja ho kar mil aa pe leke lekar karke'.split(' '));

/** Actions on an item. They name nothing, but distinguish sentences about it. */
const actionWords = fold(
  'bring keep send give take sell lose lost rent borrow collect begin start stop leave show visit teach move learn sit owe spread drop ' +
    'stay live become follow join carry hand write read choose pick reach put hold ' +
    'lana laana bhejna bhejte bechte bechna rakhna lautana lautani le leta lete lena kho khoya khoi ' +
    'आणायचे आणणे लाना पाठवता पाठवतात भेजते विकता बेचते ले लेते घेता घेतो खोया खोई हरवले',
);

/** Words for selling, which are not among the actions: "do you sell X" only asks what is on offer. */
const ofTrade = fold('sell bechna bechte विकता बेचते');

/** Whether a word is an action, including buying. */
export function isAction({ word }: NeededWord): boolean {
  return (isActionWord(word) || meansAction(word)) && !ofTrade.has(word.replace(/s$/u, ''));
}

/** Words that distinguish the prices of an item: by the month, at the weekend, for half of it. */
const qualifying = fold(
  'month monthly week weekly weekend daily yearly night half double second extra additional another mahina hafta saal raat महीने महीना हफ्ते रात दरमहा महिना महिन्याला आठवड्याला रात्री अतिरिक्त जादा',
);

/** Whether a word distinguishes the prices of an item. */
export function isQualifying({ word }: NeededWord): boolean {
  return qualifying.has(word);
}

const whichOne = /(?:कौन|kaun)\s?-?(?:सा|सी|से|sa|si|se)(?![\p{L}\p{M}])/giu;
/** Phrases with "time" that do not ask for a time: "at the time of booking". */
const atTheTimeOf =
  /\bat the time of\b|\bat a time\b|\bek (?:baar|time) (?:me|mein)\b|एक बार में|एका(?:च)? वेळी|(?<=(?:के|ke)\s)(?:समय|वक़्त|वक्त|time|samay|waqt)(?![\p{L}\p{M}])|(?<=च्या\s)वेळी(?![\p{L}\p{M}])/giu;
/** "How many days" and the like, which ask for a duration and not for a number. */
const howManyOfTime =
  /(?:\bhow many|कितने|कितनी|किती|\bkitn[ei]|\bkiti)\s(?:minutes?|hours?|days?|weeks?|months?|years?|मिनट|घंटे|घंटों|दिन|दिनों|हफ़्ते|हफ्ते|महीने|महीनों|साल|मिनिटे|मिनिटां|तास|तासां|दिवस|दिवसां|आठवडे|महिने|महिन्यां|वर्षे|वर्षां|ghante|din|mahine|saal|minute|divas|divsan|mahinyan|taas)(?:त|नी|ने|नंतर|मध्ये|t|ni)?(?![\p{L}\p{M}])/giu;
/** Marathi postpositions that are written as one word with the noun. */
const joined = /([\u0900-\u097f]{3,})(?:पैकी|साठी|बरोबर|सोबत)(?![\p{L}\p{M}])/gu;
const partOfTime = /\b(half|full|one|two|three|four|five|six|\d+)-(hour|day|night|week|month|year)/giu;
const compound = /(?<=\p{L}\p{M}?)-(?=\p{L})/gu;

const verbWeight = 0.15;
/** The weight of a verb in a yes-or-no question, where it matters as much as a name. */
const verbOfWhetherWeight = 1;
const isDevanagariWord = (word: string): boolean => /[\u0900-\u097f]/u.test(word);

/** Whether a unit of time after this word is a quantity or a price's unit, and does not ask for a time: "for three hours", "per hour". */
const isCounted = (before: string): boolean => perOne.has(before) || numbersIn(before).length > 0;
const perOne = fold('per a an each every प्रति हर दर har prati dar');

const questionsRemembered = 200;
const remembered = new LRUCache<string, AnalysedQuestion>({ max: questionsRemembered });

/** Parses what a question is about and what kind of answer it wants. Results are cached, because several kinds of answers need them. */
export function askedIn(question: string): AnalysedQuestion {
  const known = remembered.get(question);
  if (known) return known;
  const analysed = readQuestion(question);
  remembered.set(question, analysed);
  return analysed;
}

function readQuestion(question: string): AnalysedQuestion {
  const text = inPlainWords(withoutBudget(question))
    .replace(howManyOfTime, ' how long ')
    .replace(partOfTime, '$1 $2')
    .replace(whichOne, ' ')
    .replace(atTheTimeOf, ' ')
    .replace(joined, '$1 ')
    .replace(compound, '');
  const { concepts, rest } = spokenTogether(text);
  const wants = wantsIn(text, concepts);
  const isComparing = isComparison(question);
  const isHindi = hindiInLatin.test(text);
  const needs = new Map<string, NeededWord>();
  const words = wordsOf(rest);
  for (const [place, word] of words.entries()) {
    const concept = wantedBy(word) ?? (isStopWord(word) ? undefined : conceptOf(formsOf(word).stem));
    if (concept === 'TIME' && isUnit(word) && isCounted(words[place - 1] ?? '')) continue;
    if (concept !== undefined && noteWant(concept, wants)) continue;
    if (isHindi && (lightVerbInLatin.test(word) || bareVerbInLatin.has(word))) continue;
    // "Main" means "I" in Hindi.
    if (word === 'main' && !isHindi) needs.set(word, needOf(word));
    if (asksOnly(word) || (saysNothing(word, isComparing) && !isActionWord(word) && word !== 'own')) continue;
    // The number and unit of an amount distinguish prices and do not name an item.
    const isMeasured =
      (/^\d/u.test(word) && isUnit(words[place + 1] ?? '')) || (isUnit(word) && numbersIn(words[place - 1] ?? '').length > 0);
    const need = {
      ...needOf(word),
      ...(isMeasured && { weight: numberWeight }),
      // "Height" may come from "higher", as in "the higher deposit".
      ...(word === 'height' && /\bhigh(?:er|est)\b/iu.test(question) && { weight: numberWeight }),
      ...(isHindi && !isDevanagariWord(word) && asHeard(word)),
      concept,
    };
    const mayEnd = isDevanagariWord(word) || isHindi;
    needs.set(
      need.stem,
      mayEnd && mayBeVerb(need)
        ? {
            ...need,
            weight: wants.size === 0 ? verbOfWhetherWeight : verbWeight,
            isVerb: true,
            root: word.replace(verbEnding, ''),
          }
        : need,
    );
  }
  if (!isEnumerated(text)) weighSynonymsOnce(needs);
  if (concepts.includes('REFUND')) needs.set('refund', needOf('refund'));
  if (wants.has('TIME') && asksHowLong(text)) wants.add('SPAN');
  const isOfPrice = [...needs.values()].some(isPriceWord);
  if (isOfPrice && wants.delete('COUNT')) wants.add('PRICE');
  if (wants.has('PRICE')) wants.delete('COUNT');
  if (asksOnlyWhether(text)) wants.delete('PRICE');
  // "How large is the advance?" asks for an amount of money, not for a size.
  const isOfMoney = [...needs.values()].some(
    (need) => isPriceWord(need) || ofMoney.some((word) => need.stem === word || need.meanings.has(word)),
  );
  if (howLarge.test(text) && isOfMoney) wants.add('PRICE');
  else if (howLarge.test(text)) needs.set('size', needOf('size'));
  return {
    needs: [...needs.values()],
    wants,
    isComparing,
    isOfWhatIsNot: ofWhatIsNot.test(question),
    isOfAfterwards: afterHowLong.test(question),
    amounts: amountsIn(text),
    counted: numbersIn(text),
    muchOf: muchOf(text),
  };
}

const afterHowLong =
  /\b(?:after|before) how (?:long|many)\b|\bhow (?:soon|long (?:after|before|until))\b|(?:कितनी देर|कितने (?:घंटे|घंटों|दिन|दिनों)) (?:के )?बाद|किती (?:वेळा|तासां|दिवसां)नंतर|kitn[ei] (?:der|ghante|din) (?:ke )?baad|kiti (?:vela|tasan|divsan)nantar/iu;
const ofWhatIsNot =
  /\b(?:what|which|who|where|when)\b[^?]*(?:\b(?:not|never|cannot|forbidden|banned|prohibited|excluded)\b|n['’]t\b)|(?<![\p{L}\p{M}])(?:कौन|किस|कब|कहाँ)[^?]*(?:नहीं|मना)|(?<![\p{L}\p{M}])(?:काय|कोण|कोणत|कधी|कुठे)[^?]*(?:नाही|नको|नये|मनाई)|\b(?:kaun|kis|kab|kahan|kon|konta|kadhi)\b[^?]*\b(?:nahi|nahin|mana|nako)\b/iu;

/** Counts synonyms in a question only once, as in "Can our cook prepare the dinner?" */
function weighSynonymsOnce(needs: Map<string, NeededWord>): void {
  const seen: NeededWord[] = [];
  for (const [stem, need] of needs) {
    if (need.weight === 1 && seen.some(({ meanings }) => meanings.has(need.stem)))
      needs.set(stem, { ...need, weight: actionWeight });
    else if (need.weight === 1) seen.push(need);
  }
}

const howMuch = /(?:\bhow much|कितना|कितनी|किती|\bkitn[ai]|\bkiti)\s([\p{L}\p{M}]+)/iu;

function muchOf(text: string): string | undefined {
  const [word] = wordsOf(howMuch.exec(text)?.[1] ?? '');
  return word === undefined || lightVerb.test(word) || lightVerbInLatin.test(word) ? undefined : formsOf(word).stem;
}

const ofMoney = ['advance', 'deposit', 'discount', 'fine', 'salary'].map((word) => formsOf(word).stem);
const howLarge = /\bhow (?:big|large)\b|कितना बड़ा|कितनी बड़ी|कितने बड़े|किती मोठ|kitna bada|kitni badi|kiti moth/iu;

/** Whether a word means a kind of price: the rent of a room, the fee of a class. */
export function isPriceWord({ stem, meanings, concept }: NeededWord): boolean {
  return concept === 'PRICE' || stem === 'rent' || meanings.has('rent');
}

const shortSoundMin = 2;

/** The sound and meanings of a Hindi or Marathi word in Latin letters. */
const asHeard = (word: string) => ({ heard: formsOf(word).heard, meanings: meaningsAsHeard(word) });

/** The forms and meanings of a word, as if a question contained it. */
export function needOf(word: string): NeededWord {
  const forms = formsOf(word);
  const shortSounds = soundsOf(word, shortSoundMin);
  const heard = isDevanagariWord(word) ? forms.heard : undefined;
  return {
    ...forms,
    word,
    meanings: meaningsOf(word),
    shortSounds,
    concept: conceptOf(forms.stem),
    weight: weightOf(word),
    heard,
  };
}

/** Whether a word has no content. In a comparison, "sooner" only chooses between items; in other questions it has content. */
function saysNothing(word: string, isComparing: boolean): boolean {
  if (/^\d/u.test(word)) return false;
  if ((comparesOrAdds(word) && (isComparing || !soonerWords.has(word))) || isNumberWord(word)) return true;
  return (
    emptyVerbs.has(word) ||
    lightVerb.test(word) ||
    saysOnly(word, () => false) ||
    isWeak(formsOf(word).stem) ||
    word.length < lettersMin
  );
}

const actionWeight = 0.35;
const lettersMin = 2;
const quantityMax = 100;
/** Numbers that are multiples of this are quantities: people order hundreds of an item, and flats and models seldom have a round number. */
const roundNumber = 50;

const numberWeight = 0.3;

/** The stems of actions, which match Hindi and Marathi verbs in any form. */
const actionStems = ['keep', 'bring', 'put', 'hold', 'show', 'send', 'sell'].map((word) => formsOf(word).stem);
const meansAction = (word: string): boolean => {
  const meanings = isDevanagariWord(word) ? meaningsOf(word) : undefined;
  return meanings !== undefined && actionStems.some((stem) => meanings.has(stem));
};

function weightOf(word: string): number {
  if (/^\d/u.test(word)) return Number(word) <= quantityMax || Number(word) % roundNumber === 0 ? numberWeight : 1;
  return vague.has(word) ? 0.25 : isActionWord(word) || meansAction(word) ? actionWeight : 1;
}

/** Whether a word is one of the actions: "hold" and "holds" are the same. */
const isActionWord = (word: string): boolean =>
  actionWords.has(word) || (/^[a-z]+s$/u.test(word) && actionWords.has(word.slice(0, -1)));

const devanagariEndings =
  'ल्यावर ल्यास ल्यानंतर तात ता ती ते तो ना ने नी णे णार तात ताना गा गी गे ेल ील ायचे ायची ायचा ायला कर ून ाया ाई ाए ूं एं वा ले ली ला वायचे ावे ावी ावा शील वाना वाने वानी';
const latinEndings = 'na ne ni ana wana wane ata ate ati ta te ti ega egi enge unga oge aycha aychi ayche ayla kar iye';
const verbEnding = new RegExp(`(?:${[...fold(`${devanagariEndings} ${latinEndings}`)].join('|')})$`, 'u');
/**
 * Words that mark a text as Hindi or Marathi in Latin letters. Only there are unknown words taken for verbs, because English has no such
 * endings.
 */
const hindiInLatin =
  /\b(?:ka|ki|ke|ko|hai|hain|kya|kab|kitna|kitne|kitni|kaun|mein|nahi|milega|milta|chahiye|aahe|ahe|kay|kiti|kuthe)\b/iu;

/** Whether a word is in no dictionary and ends like a Hindi or Marathi verb. */
function mayBeVerb({ word, meanings, concept }: NeededWord): boolean {
  return meanings.size === 0 && concept === undefined && word.length > verbLettersMin && verbEnding.test(word);
}

const verbLettersMin = 3;

/** What an answer must contain: an amount, a time, a person, a place, a number, a reason. */
export type Want = 'PRICE' | 'TIME' | 'SPAN' | 'WHO' | 'PLACE' | 'COUNT' | 'WHY';

const asksWho = fold('who whom whose kaun kon konala kisko kisse कौन किसे किसको किससे कोण कोणाला कोणी कोणाकडे किसने');
const asksHowMany = fold('many kitne kitni kitna kiti कितने कितनी कितना किती how');
const atWhatPrice =
  /(?:कितने|kitne)\s(?:का|की|के|में|ka|ki|ke|mein|me)(?![\p{L}\p{M}])|(?:कैसे|कैसा|कैसी|कसे|कसा|कशी|kaise|kaisa|kaisi|kase|kasa|kashi)\s(?:किलो|मीटर|लीटर|लिटर|दर्जन|डझन|नग|पीस|kilo|kg|meter|metre|liter|litre|darjan|dozen)(?![\p{L}\p{M}])/iu;
/** Phrases that ask for a total without a word for prices. */
const whatItComesTo =
  /\bwhat (?:are|is) \d+ \p{L}|\bwhat (?:would|will) (?:that|it|this|all that) (?:be|make)\b|\b(?:total|altogether|in all)\s*\??\s*$|(?:एकूण|कुल|टोटल)\s*\??\s*$|\b(?:ekun|kul)\s*\??\s*$|\btotal (?:bill|cost)\b|(?:तर|तो|मिलाकर|मिळून|कुल|एकूण) (?:किती|कितने|कितना)\s*\??\s*$|किती रुपय|कितने रुपय|\b(?:kiti|kitne) rup[aei]*y|\bcomes? (?:out )?to(?= (?:in all|in total|altogether|together|for|if|when|with)\b|\s*[?.!]?\s*$)|\bset me back\b|\bwhat (?:would|will|do|does|must|should) (?:[\p{L}\d]+ ){1,4}(?:pay|spend|owe)\b|\bwhat is .+ (?:together|in all|in total|altogether)\b|(?:कितना|कितने|किती) (?:कट|काट|कापल|कापत)[\p{L}\p{M}]*|(?:कितना|कितने) (?:होगा|होंगे|होता|पड़े|बनेगा)|किती (?:होईल|होतील|होतात)|(?:का|के|की|चे|चा|ची) (?:कितना|कितने|किती)\s*\??$|किती (?:घेता|घेतात|आकारता|पडेल|पडतील|पडतात)|(?:कितना|कितने) लेते|\b(?:ka|ke|ki|che|cha|chi) (?:kitn[aei]|kiti)\s*\??$|kitn[ae] (?:lete|lagta|lagte|hoga|honge|hota|banega|padega|padenge)|kiti (?:hoil|hotil|hotat)/iu;
const atWhatTime =
  /\bhow (?:early|late)\b|(?:बजे|वाजता|(?:कितने|किती|कित्येक)\s(?:बज|वाज)[\p{L}\p{M}]*|baje|vajta|vajata|कब\s?तक|किस दिन|कोणत्या (?:दिवशी|वारी)|kis din|कधीपर्यंत|kab\s?tak|kadhi\s?paryant)(?![\p{L}\p{M}])/iu;
const howLong =
  /\bhow long\b|\btakes? (?:more|less|the (?:most|least)) time\b|कितना (?:समय|टाइम|वक़्त)|कितनी देर|किती (?:वेळ|काळ)|(?:वेळ|समय|वक़्त|टाइम) (?:ला|ल)ग|kitn[ai] (?:time|samay|der)|kiti (?:vel|vela|time)|\b(?:vel|time|samay) la+g/iu;
const asksWhether = /^\s*(?:can|may|could|do|does|is|are|will|must|should|kya|क्या)\b|^\s*क्या\s|\s(?:का|ka|kya|क्या)\s*\??\s*$/iu;
const asksFor =
  /\bhow\b|\bwhat\b|\bwhich\b|kitn|kitna|kiti|kaun|kab|kaha|कितन|किती|कौन|कब|कहाँ|कहां|कधी|कुठे|केवढ|कोण|\bprice|\bcost/iu;

/** The kinds of answer that a question wants, by its words and their combination. */
function wantsIn(text: string, concepts: readonly string[]): Set<Want> {
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

/** Adds a concept to the wanted kinds of answer, if it is one. */
function noteWant(concept: string, wants: Set<Want>): boolean {
  if (concept !== 'PRICE' && concept !== 'TIME' && concept !== 'WHO' && concept !== 'PLACE' && concept !== 'WHY') return false;
  wants.add(concept);
  return true;
}

/** Whether a word is only an interrogative: who, how many. */
function asksOnly(word: string): boolean {
  return asksWho.has(word) || asksHowMany.has(word);
}

/** Whether a question asks for a duration, such as a number of days, and not for a point in time. */
function asksHowLong(text: string): boolean {
  return howLong.test(text);
}

/** Whether a question wants more than Yes or No: a price, a time, a place. */
export function asksForSomething(text: string): boolean {
  return asksFor.test(text);
}

/** Whether a question wants only Yes or No: "Can the fee be paid in parts?" does not ask for the price. */
export function asksOnlyWhether(text: string): boolean {
  return asksWhether.test(text) && !asksFor.test(text);
}
