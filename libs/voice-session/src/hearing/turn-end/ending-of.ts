import type { SpokenLanguage } from '@parley/ports';
import { ending, folded, respelt, wordSet, wordsOf } from './words';

const day = '(?:कल|आज|परसों|शाम|सुबह|रात|दिन|\\S+वार|तारीख|kal|aaj|parso|shaam|subah|raat|din|\\S+day|tareekh)';

const whose = '(?:मेरा|मेरी|हमारा|mera|meri|hamara)';

const going = '(?:रहा|रही|रहे|raha|rahi|rahe)';

/** Hindi in both scripts. The verb comes last, so a postposition or conjunction at the end means that more follows. */
const hindiEnds: LanguageEndings = {
  continuing: wordSet(
    'और या लेकिन मगर पर क्योंकि क्यूंकि कि तो अगर जब जो जिस जिसे ताकि',
    'इसलिए मतलब यानी वो वह का की के को से में ने तक एक बहुत लिए साथ बारे',
    'पास बाद पहले जैसे जैसा दरअसल उम्म उम अं हम्म फिर भी बल्कि ज़रा',
    'वरना चूंकि बीच अंदर ऊपर नीचे सिर्फ उसमें इसमें जिसमें उससे जिससे',
    'aur ya lekin magar par kyunki kyonki kyuki ki to toh agar jab jo jis taki isliye matlab yaani yani wo woh vo ka ke ko se',
    'mein me ne tak ek bahut bohot liye saath baare bare paas baad pehle',
    'jaise darasal phir fir bhi balki zara jara warna usme isme jisme umm uhh',
  ),
  closing: wordSet(
    'है हैं हूँ हूं था थी थे थीं हो चाहिए चाहिये दो दे दीजिए दीजिये करो',
    'कीजिए कीजिये बताओ बताइए बताइये लो लीजिए लिया लूँ दूँ करूँ आऊँ जाऊँ',
    'नहीं नही मत होगा होगी होंगे गया गई गयी गए गये आया आई आए हुआ हुई हुए करना करनी होना जाना लेना देना कहना आइए जाइए बस',
    'hai hain hoon hun hu tha thi ho chahiye chahie do dijiye dijie',
    'karo kijiye kijie batao bataiye lo lijiye liya nahi nahin nai mat',
    'hoga hogi honge gaya gayi gai gaye aaya aayi aaye hua hui hue karna karni hona jaana jana lena dena the',
    'सकते सकता सकती sakte sakta sakti',
  ),
  answers: wordSet(
    'हाँ हां जी ठीक धन्यवाद शुक्रिया बिल्कुल सही नमस्ते क्या अभी कल आज परसों बजे',
    'haan han ji theek thik dhanyavaad shukriya bilkul sahi namaste kya abhi aaj kal parso baje',
  ),
  asking: wordSet(
    'क्या कौन कब कहाँ कहां क्यों कैसे कैसी कैसा कितना कितने कितनी किस किसका किसको किससे',
    'kya kaun kon kab kahan kaha kyun kyu kyon kaise kaisa kaisi kitna kitne kitni kis kiska kisko',
  ),
  opening: wordSet(
    'मैं मैंने मैने मुझे मुझको हम हमने हमें मेरा मेरी मेरे हमारा हमारी',
    'हमारे आप आपने आपका आपकी आपके तुम तुमने उसने उन्होंने उसका उनका जो',
    'main maine mujhe mujhko hum humne hume mera meri mere hamara hamari',
    'hamare aap aapne aapka aapki aapke tum tumne usne uska unka jo',
    'अगर जब क्योंकि कि agar jab kyunki kyonki',
  ),
  verb: /(?:ता|ती|ते|या|यी|ये|गा|गी|गे|ओ|िए|िये|ूं|ऊं|ना|नी|ta|ti|te|ga|gi|ge|iye|unga|ungi|enge)$/u,
  whole: ending(
    `${day} (?:को|से|तक|में|ko|se|tak)`,
    'और (?:आप|तुम)|aur (?:aap|tum)|(?:बहुत|bahut|bohot) \\S+|(?:सब|sab) (?:ठीक|theek|thik)',
    `(?:नहीं|नही|nahi|nahin)(?: \\S+){1,2} ${going}`,
    '(?:थोड़ा|थोड़ी देर|इसके|उसके|thodi der|iske|uske) (?:बाद|पहले|baad|pehle)|(?:सबसे|sabse) (?:पहले|pehle)',
  ),
  broken: ending(
    '(?:एक|ek) (?:मिनट|सेकंड|सेकेंड|minute|min|second|sec)',
    '(?:रुकिए|रुको|ठहरिए|सुनिए|सुनो|देखिए|rukiye|ruko|suniye|suno|dekhiye)',
    `${going}|\\S+(?:कर|करके)|karke|\\S+(?:ने|ne) (?:वाल[ाीे]|wal[aie])|\\S*(?:करने|जाने|लेने|देने|होने)|karne|jaane|lene|dene`,
    `${whose} (?:नाम|पता|नंबर|सवाल|naam|pata|number|address|sawaal) (?:है|hai)`,
  ),
  condition: {
    opens: new RegExp(respelt('^(?:अगर|यदि|जब|agar|yadi|jab) (?!(?:हो|ho) (?:सके|sake))'), 'u'),
    main: new RegExp(respelt(' (?:तो|तब|to|toh|tab) '), 'u'),
  },
};

const pronoun = '(?:i|it|he|she|they|we|you|that|there|this)';

const auxiliary = '(?:am|is|are|was|were|do|does|did|can|will|would|should|could|have|has|had)';

const denial = '(?:dont|doesnt|didnt|cant|couldnt|wont|wouldnt|isnt|arent|wasnt|werent|havent|hasnt|shouldnt)';

const subject = '(?:i|he|she|we|they|nobody|somebody|someone|everybody|everyone|everything|nothing)';

/** An adverb that belongs to what follows; most adjectives and nouns in -ly do not. */
const adverb =
  '(?!(?:ear|friend|unfriend|dai|week|month|year|hour|night|quarter|like|unlike|love|lone|live|elder|cost|dead|sil|fami|assemb|ho|jol|ug|or|time|rep|supp|app|f)ly$)(?:\\w{2,}ly|only|never|always|often|almost|quite|rather)';

const request =
  '(?:please|press|dial|call|tell|send|give|ask|let|cancel|try|just|come|take|bring|go|wait|write|say|put|make|keep|stop|leave|check|choose|enter|select|hold|dont)';

/** What follows "to" where no verb does. */
const direction =
  '(?:the|an?|my|your|our|their|his|her|its|this|that|these|those|some|any|every|each|all|both|no|me|him|them|us|it|you|wh\\w+|\\d+|one|two|three|four|five|six|seven|eight|nine|ten)';

/** English: an unfinished sentence shows in its last word or two. */
const englishEnds: LanguageEndings = {
  continuing: wordSet(
    'a an the my your our their his its and or but nor because cause cuz if when while although though unless until till since',
    'whether than as to of for from with without at by into onto in on about like per every each any',
    'is are was were am be been being have has had will would could should might must may gonna wanna',
    'i we they he she im ive id ill youre theyre lets let um umm uh uhh er erm hmm mm uhm ah so very well actually basically',
    'which whose either neither trying maybe anyway between during against towards around also just still after before',
  ),
  closing: wordSet(),
  answers: wordSet(
    'yes no yeah yep nope please thanks thank bye goodbye okay ok correct right sure it them me you us him now today tomorrow',
    'yesterday tonight later again already yet ago too here there exactly fine great absolutely definitely done',
  ),
  asking: wordSet('what who whom which where when why how whats whos wheres hows'),
  opening: wordSet(),
  verb: /$^/u,
  whole: ending(
    `(?:yes|no|yeah|yep|nope|sure|of course)(?: \\S+)* ${pronoun} (?:${auxiliary}|${denial})`,
    `(?:what|where|who|how|which|whatever|all)(?: \\S+)* ${pronoun} (?:${auxiliary}|need|want|wanted|needed)`,
    '(?:what|whats|who|whos|where|wheres|which)(?: \\S+){1,5} (?:from|for|about|like|with)',
    '(?:think|hope|guess|believe|say|said|do|told me|is that|why|even more) so',
    'the (?:day|week|month|one) (?:after|before)',
    'not (?:very|at all|yet|as such|any)',
    '(?:log|logged|sign|signed|come|check|checked|fill|filled|drop|move|plug|put it|let me|walk) in',
    '(?:turn|turned|switch|switched|put)(?: \\S+)? on|(?:go|come|carry|later|now) on|(?:drop|stop|stand|come) by',
    '(?:i|you|we) (?:would|do) like|(?:very|all|as) well|(?:me|it|that|this) also',
    '(?:what|who|how|where) (?:are|were) (?:we|they|you)',
    '(?:what|which|where|when|how)(?: \\S+)* (?:press|dial|select)',
    '(?:if|when|whenever|whatever|as|as soon as) you (?:like|want|wish|please|can|could|dont mind)',
    'if (?:its|thats|it is|that is) (?:ok|okay|possible|fine|all right|alright)',
  ),
  broken: ending(
    '(?:can|could|would|will|do|did|are|have|if|should|were|when|that) you',
    '(?:i|we|they|you|he|she) (?:want|need|wanted|needed|think|feel|tried|said|can|might|also|really|would rather)',
    `you know|i mean|i guess|kind of|sort of|a lot of|${denial}`,
    '(?:wait|hold on|hang on|(?:one|just a|give me a) (?:second|moment|minute|sec))|let me (?:think|see|check|look)',
    '(?:and|but|so|if|since|until|or) then|(?:and|but|so) (?:yes|maybe)',
    '(?<!(?:what|who|where) )(?:is|was|think|thought|said|say|says|told me|mean|because|so|such|sure|hope|feel|heard|but) that',
    '(?:^|hi|hello|so|and|well|okay|ok|yes) ?(?:my|the) (?:name|address|problem|question|issue|reason|thing|number|email)',
    `(?:${auxiliary.replace('|do|', '|')}|be|been|being|im|its|thats|theres|youre|were|theyre|hes|shes|ive|${denial})(?: not)? ${adverb}`,
    `(?<!${auxiliary} )(?:i|we|they|he|she) ${adverb}`,
    'press|dial|select',
  ),
  condition: {
    opens: new RegExp(
      '^(?:(?:and|but|so|okay|ok|well|yes|no|because|hi|hello) )*' +
        '(?:(?:if|unless) (?!(?:possible|not|so|only|any\\w*|need\\w*|necessary)\\b)' +
        `|(?:when|whenever|once|as soon as) (?=(?:${subject}|${pronoun}|the|my|our|your|his|her|their|its|all|everything)\\b)` +
        `|(?:while|before|after) (?=(?:${subject}|${pronoun})\\b)|(?:in order |so as )?to (?!${direction}\\b)(?=\\S+ )` +
        '(?!.*\\b(?:please|thanks|is|are|was|were|costs?|takes?|means?)\\b))',
      'u',
    ),
    main: new RegExp(
      `\\S (?:${subject}\\b|(?:you|it|that|this|there) ${auxiliary}\\b|then\\b|\\S+ (?:will|would|must|should|may|might|\\w+ll)\\b` +
        `|(?<!\\b(?:to|you|${subject}|${auxiliary}) )${request}\\b)`,
      'u',
    ),
    verb: new RegExp(`^(?:${auxiliary}|${denial}|\\w+(?:ed|nt)|came|went|took|said|told|got|gave|made|paid|bought|sent)$`, 'u'),
  },
};

const questionWords = '(?:कश|कोण|कुण|कधी|किती|कुठ|काय|kash|kon|kadhi|kiti|kuth|kay)';

/** Marathi in both scripts: as Hindi, but case markers are suffixes of the noun, and a final `का` makes a question. */
const marathiEnds: LanguageEndings = {
  continuing: wordSet(
    'आणि व किंवा पण परंतु कारण की तर जर जेव्हा तेव्हा म्हणून म्हणजे म्हणजेच',
    'ते तो ती एक खूप अजून आधी नंतर सुद्धा अं उम्म हम्म फक्त जरा मग असं',
    'साठी मध्ये वर पासून पर्यंत बद्दल सोबत जवळ समोर खरंतर तसं जो जी जे ज्या त्यात ज्यात यात',
    'ani aani kinva kiva pan parantu karan ki tar jar jevha tevha mhanun mhanje te to ti ek khup ajun adhi nantar fakta jara mag',
    'sathi madhe var pasun paryant baddal sobat javal tasa jo je jya umm',
  ),
  closing: wordSet(
    'आहे आहेत आहात आहोत आहेस नाही नाहीत नको पाहिजे हवे हवा हवी हवं हवंय',
    'होता होती होते होतं करा द्या सांगा या का नाहीये असेल होईल चालेल',
    'करायचं आहे झालं झाले झाली झाला गेला गेली गेले आला आली आले मिळेल बोला थांबवा शकता शकतो शकते',
    'aahe ahe aahet ahet aahat aahot ahot nahi nahit nako pahije hava have',
    'havi hota hoti hote kara dya sanga ka asel hoil chalel zala zali zale',
    'gela geli gele aala ali ale milel bola shakta shakto shakte',
  ),
  answers: wordSet(
    'हो होय ठीक बरोबर धन्यवाद नमस्कार एवढंच वाजता उद्या आज hoy thik barobar dhanyavaad namaskar evdhach vajta udya aaj',
  ),
  asking: wordSet(
    'काय कोण कधी कुठे कसे कसं कशी कसा किती का कोणता कोणती कोणते कशाला कितीला',
    'kay kaay kon kadhi kuthe kase kasa kashi kiti konta konti',
  ),
  opening: wordSet(
    'मी मला माझा माझी माझे माझं माझ्या आम्ही आम्हाला आमचा आमची आमचे आमचं आमच्या',
    'तुम्ही तुम्हाला तुमचा तुमची तुमचे तुमचं तुमच्या त्याने तिने जर जेव्हा कारण की',
    'mi mala majha majhi majhe mazha mazhi majhya amhi amhala amcha amchi tumhi tumhala tumcha tumchi tumchya jar jevha karan',
  ),
  verb: /(?:तो|ते|तात|तंय|तोय|तेय|ईन|ेन|ील|ेल|ला|ली|ले|लं|लो|चं|यचं|ta|to|te|tat|in|il|el|la|li|le|cha)$/u,
  whole: ending(`${questionWords}\\S*`, 'आणि (?:तुम्ही|तू)|ani (?:tumhi|tu)|(?:खूप|khup) \\S+|(?:थोड्या वेळाने|नंतर)'),
  broken: ending(
    '(?:एक|ek) (?:मिनिट|मिनट|सेकंद|minute|min|second)|(?:थांबा|थांब|ऐका|thamba|aika)(?: (?:जरा|jara))?|खरं तर|khara tar',
    '\\S+(?:च्या|साठी|बद्दल|मध्ये|पासून|पर्यंत|कडे|हून|नंतर|ल्यावर|ताना|णारी|णारा|णारे)',
    '\\S{2,}(?:ून|ऊन)|\\S+(?:chya|sathi|madhe|baddal|pasun)',
    '(?:माझं|माझे|माझा|majha|mazha) (?:नाव|पत्ता|नंबर|प्रश्न|naav|patta|number) (?:आहे|aahe|ahe)',
    '\\S+ करत|\\S+ karat',
  ),
  condition: { opens: /^(?:जर|जेव्हा|jar|jevha) /u, main: / (?:तर|तेव्हा|tar|tevha) /u },
};

/** How an utterance ends: complete, broken off, in the middle of a dictation, or unclear. */
export type UtteranceEnding = 'whole' | 'broken' | 'dictating' | 'open';

// Romanized words that are also English words, so they say nothing about the language.
const ambiguous = wordSet('to the do me main par is so hi us in are ho pan jar tar ya no did din have bare hun ki mat bas');
const devanagari = /[\u0900-\u097f]/u;

/** Classifies the end of a transcript, which may lack punctuation and mix languages. */
export function endingOf(transcript: string, language: SpokenLanguage): UtteranceEnding {
  const text = folded(transcript).trim();
  const words = wordsOf(text);
  if (words.length === 0) return 'open';
  const plain = words.join(' ');
  const dictation = dictationIn(plain, words);
  if (dictation) return dictation === 'dictating' ? 'dictating' : 'whole';
  if (/(?:[,;:–—-]|\.\.|…)$/u.test(text)) return 'broken';
  const languages = languagesOf(words, language);
  if (!text.endsWith('?') && languages.some((each) => each && !each.whole.test(plain) && lacksMainClause(each, text)))
    return 'broken';
  const judged = endingIn(languages, plain, words);
  return judged === 'open' && /[?!.।॥]$/u.test(text) ? 'whole' : judged;
}

function endingIn(
  [language, other]: readonly [LanguageEndings, LanguageEndings?],
  plain: string,
  words: readonly string[],
): UtteranceEnding {
  const last = words.at(-1) ?? '';
  if (language.whole.test(plain)) return 'whole';
  if (language.broken.test(plain)) return 'broken';
  if (language.continuing.has(last)) return 'broken';
  if (language.closing.has(last)) return 'whole';
  const opened = words.findLastIndex((word) => language.opening.has(word));
  if (opened === words.length - 1) return isSaidOf(language, words) ? 'whole' : 'broken';
  if (opened >= 0 && !words.slice(opened + 1).some((word) => isVerb(language, word))) return 'broken';
  if (language.answers.has(last)) return 'whole';
  return other ? endingIn([other], plain, words) : 'open';
}

/** Whether the last sentence is no more than a clause so far: "if the doctor is not in today". Long ones are not looked at. */
function lacksMainClause(language: LanguageEndings, text: string): boolean {
  const sentence = text.split(/[.!?।॥]+\s+/u).at(-1) ?? '';
  const words = wordsOf(sentence);
  const plain = words.join(' ');
  const { opens, main, verb } = language.condition;
  const opened = opens.exec(plain)?.[0];
  // A comma ends the clause, but for one behind the first word, and in "to lock, or unlock it".
  const isEnded = /,(?! (?:and|or|but) )/u.test(sentence.replace(/^\S+, /u, ''));
  if (opened === undefined || words.length > clauseWordsMax || isEnded) return false;
  const isFinite = (word: string | undefined) => word !== undefined && (verb ? verb.test(word) : isVerb(language, word));
  const clause = wordsOf(plain.slice(opened.length));
  const verbs = clause.filter((word, at) => isFinite(word) && !isFinite(clause[at - 1]));
  return verbs.length <= 1 && !main.test(clause.join(' '));
}

/** Whether the last word, a pronoun, follows its sentence instead of opening one ("कैसे हैं आप", how are you). */
function isSaidOf(language: LanguageEndings, words: readonly string[]): boolean {
  return words.slice(0, -1).some((word) => isVerb(language, word) || language.asking.has(word));
}

function isVerb(language: LanguageEndings, word: string): boolean {
  return language.closing.has(word) || language.verb.test(word);
}

/** The language to judge by, and a second one if that yields nothing, since people mix languages within a sentence. */
function languagesOf(words: readonly string[], language: SpokenLanguage): readonly [LanguageEndings, LanguageEndings?] {
  const hindi = signsOf(hindiEnds, words);
  const marathi = signsOf(marathiEnds, words);
  const isLatin = !devanagari.test(words.at(-1) ?? '');
  if (isLatin && hindi + marathi === 0) return [englishEnds];
  const isMarathi = language === 'marathi' ? marathi >= hindi : marathi > hindi + (language === 'hindi' ? 1 : 0);
  return [isMarathi ? marathiEnds : hindiEnds, englishEnds];
}

function signsOf({ continuing, closing, answers, asking, opening }: LanguageEndings, words: readonly string[]): number {
  const known = (word: string): boolean => [continuing, closing, answers, asking, opening].some((set) => set.has(word));
  return words.filter((word) => !ambiguous.has(word) && known(word)).length;
}

/** Words and patterns that end a turn, or do not, in one language. All are folded. */
interface LanguageEndings {
  /** More must follow these: conjunctions, articles, adpositions, fillers. */
  readonly continuing: ReadonlySet<string>;
  /** Verbs that make a sentence whole, where the verb comes last. */
  readonly closing: ReadonlySet<string>;
  /** Complete alone or at the end: yes, thanks, tomorrow. They do not tell whether what precedes them is complete. */
  readonly answers: ReadonlySet<string>;
  readonly asking: ReadonlySet<string>;
  /** Words that begin a sentence which must still reach its verb. Empty if the verb does not come last. */
  readonly opening: ReadonlySet<string>;
  /** The endings of verbs, in a language that puts them last. */
  readonly verb: RegExp;
  /** Complete in spite of the last word; checked first. */
  readonly whole: RegExp;
  /** Incomplete, though the last word could end a sentence. */
  readonly broken: RegExp;
  /** How a clause opens that waits for its main clause, what belongs to the latter, and finite verbs where `verb` knows none. */
  readonly condition: { readonly opens: RegExp; readonly main: RegExp; readonly verb?: RegExp };
}

const clauseWordsMax = 14;

const digitNames = wordSet(
  'zero oh one two three four five six seven eight nine',
  'शून्य एक दो तीन चार पाँच पांच छह छः छे सात आठ नौ दोन पाच सहा नऊ',
  'shunya ek do teen char paanch panch chhe chah saat sat aath ath nau don tin pach saha nav',
);
const repeaters = wordSet('double triple डबल ट्रिपल');
const letterNames = wordSet('बी सी डी ई एफ एच आई जे एल एम एन ओ पी क्यू आर एस टी यू वी डब्ल्यू एक्स वाई ज़ेड');
// These are words too, so they count as letters only among other letters.
const letterOrWord = wordSet('a i ए जी के');
const numbered = new RegExp(
  folded('(?:number|phone|mobile|otp|code|pin|account|card|reference|नंबर|नम्बर|क्रमांक|ओटीपी|कोड|पिन|खाता|मोबाइल|मोबाईल|फोन)'),
  'u',
);
const mailHosts = '(?:gmail|yahoo|hotmail|outlook|rediff\\S*|icloud|जीमेल|याहू|हॉटमेल)';
const openMail = ending(
  `\\S+ (?:at|एट|ॲट|अॅट|ऍट) ${mailHosts}`,
  '(?:to|is|write|mail|email) \\S+ at',
  '\\S*@\\S*',
  '(?:dot|डॉट)(?: \\S+)* (?:at|एट|ॲट|अॅट)',
  '\\S+ (?:underscore|dot|dash|hyphen|अंडरस्कोर|डॉट)',
  '(?:e-?mail|ईमेल)(?: id| address| आईडी| आयडी)? (?:is|hai|है|आहे|aahe|ahe)(?: \\S+){1,4}',
);
const wholeMail = /(?:\.|dot |डॉट )(?:com|in|org|net|co|edu|कॉम|इन|ओआरजी)$/u;
const spelling = ending('[b-hj-z] (?:as in|for)(?: \\S+)?', '(?:spelled|spelt|spelling is|spelling)(?: \\S+){1,12}');
const explainedLetter = ending('[a-z] (?:as in|for|like)(?: \\S+)?');

/** Whether the text ends in a number, spelled letters or an e-mail address, and whether that is complete. */
function dictationIn(text: string, words: readonly string[]): 'dictating' | 'dictated' | undefined {
  if (wholeMail.test(text)) return 'dictated';
  if (openMail.test(text) || spelling.test(text)) return 'dictating';
  const run = trailingRun(words);
  if (run.length === 0) return undefined;
  const isAskedFor = numbered.test(words.slice(0, words.length - run.length).join(' '));
  if (run.some(isLetter)) return isSpelt(run, isAskedFor) ? 'dictating' : undefined;
  if (isPhoneNumber(digitsIn(run), run)) return 'dictated';
  return isCounted(run, isAskedFor) ? 'dictating' : undefined;
}

/** Whether the last word is part of a number. */
export function endsInDigits(words: readonly string[]): boolean {
  const last = words.at(-1) ?? '';
  return isPiece(last) && !isLetter(last);
}

/** Whether the last word is a letter, or one that is explained ("n as in november"). */
export function endsInLetters(words: readonly string[]): boolean {
  return isSpeltWord(words.at(-1) ?? '') || explainedLetter.test(words.slice(-4).join(' '));
}

/** Whether these words are letters and digits only. */
export function isOfPieces(words: readonly string[]): boolean {
  return words.every((word) => isPiece(word) || isSpeltWord(word));
}

/** Recognizers write several letters as one word, too: "n-e-o", "n.e.o". */
function isSpeltWord(word: string): boolean {
  return isLetter(word) || /^[a-z](?:[-.][a-z])+$/u.test(word);
}

/** How many digits were said in total. */
export function digitsOf(words: readonly string[]): number {
  return digitsIn(words.filter((word) => isPiece(word) && !isLetter(word)));
}

function trailingRun(words: readonly string[]): readonly string[] {
  let from = words.length;
  while (from > 0 && isPiece(words[from - 1] ?? '')) from -= 1;
  return words.slice(from);
}

function isPiece(word: string): boolean {
  return /^\+?[\p{Nd}-]+$/u.test(word) || word === 'plus' || digitNames.has(word) || repeaters.has(word) || isLetter(word);
}

function isLetter(word: string): boolean {
  return /^[a-z]$/u.test(word) || letterNames.has(word) || letterOrWord.has(word);
}

function isSpelt(run: readonly string[], isAskedFor: boolean): boolean {
  const sure = run.filter((word) => isLetter(word) && !letterOrWord.has(word)).length;
  return sure > 0 && run.length >= (isAskedFor ? 1 : 2);
}

function isCounted(run: readonly string[], isAskedFor: boolean): boolean {
  const digits = digitsIn(run);
  if (isAskedFor) return digits > 0;
  const [first = ''] = run;
  if (run.length > 1) return digits > 2 || run.some((word) => repeaters.has(word));
  return digits > 4 || (digits === 4 && !/^(?:19|20)|00$/u.test(first));
}

function digitsIn(run: readonly string[]): number {
  let digits = 0;
  let times = 1;
  for (const word of run) {
    if (repeaters.has(word)) times = /^[dड]/u.test(word) ? 2 : 3;
    else {
      digits += times * (/\p{Nd}/u.test(word) ? word.replace(/\P{Nd}/gu, '').length : 1);
      times = 1;
    }
  }
  return digits;
}

/** Indian numbers have ten digits; with a leading zero eleven, with the country code twelve. */
function isPhoneNumber(digits: number, [first = '']: readonly string[]): boolean {
  const isAbroad = first === 'plus' || first.startsWith('+');
  if (isAbroad) return digits >= (first === 'plus' ? 13 : 12);
  return digits === 10 || (digits === 11 && /^(?:0|zero|शून्य)/u.test(first)) || (digits === 12 && /^(?:91|nine)/u.test(first));
}
