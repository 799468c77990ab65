import { foldSpelling, hasPronoun, numbersIn, wordsOf } from '@parley/language';

/**
 * Phrases of customers for which businesses use one word: `call off` for cancel, `pay bit by bit` for instalments. They are replaced by
 * plain words, which the dictionary also knows in other languages.
 */
const idioms: readonly (readonly [form: RegExp, plain: string])[] = (
  [
    ['(?:call|calling|called) (?:\\w+ ){0,3}off|change (?:my|our) minds?|back out(?: of)?|pull out of', 'cancel'],
    ['(?:bring|take|give|hand|send|carry)(?:ing)? (?:[\\w]+ ){0,2}back(?: to you)?', 'return'],
    ['(?:get|have|receive|see) (?:\\w+ ){0,2}money again', 'refund'],
    [
      '(?:put|push|putting|pushing) (?:\\w+ ){0,3}(?:off|back)|(?:shift|move|reschedule) (?:\\w+ ){0,3}to another (?:day|date|time)',
      'postpone change date',
    ],
    [
      '(?:spread|split|divide|stretch) (?:the|my|our|it|this|up|out) (?:\\w+ ){0,3}(?:cost|bill|fee|fees|price|payment|amount|money)',
      'pay instalment',
    ],
    [
      'pay(?:ing)? (?:\\w+ ){0,3}(?:in (?:\\w+ )?(?:parts|pieces|bits|steps|portions|instalments)|bit by bit|over (?:\\w+ )?months|month by month|little by little)',
      'pay instalment',
    ],
    ['pay(?:ing)? (?:\\w+ ){0,2}later|pay afterwards|settle (?:\\w+ ){0,2}later|on account', 'credit pay'],
    [
      '(?:something|anything|a bit|any amount) off|bring (?:the )?price down|come down (?:in|on) (?:the )?price|lower (?:the )?price|cheaper if',
      'discount',
    ],
    [
      'lights? (?:go|goes|went|going) (?:out|off)|power (?:cut|cuts|failure|goes|fails|outage)|no (?:electricity|power|current)|load ?shedding',
      'power electricity generator',
    ],
    [
      '(?:to|at|till|up to|come to) (?:my|our|the customer s) (?:home|house|place|door|doorstep|flat|society|address)',
      'home deliver',
    ],
    [
      '(?:cannot|can t|cant|unable to) (?:leave|go out|come out|travel|walk|visit)(?: of)?(?: the| my| our)?(?: house| home| bed)?',
      'home',
    ],
    [
      '(?:sit|join) in (?:once|first|for)|try (?:\\w+ ){0,2}(?:out|first|once)|see (?:first )?how it is|have a taste|before (?:i|we) (?:decide|join|buy|pay)',
      'trial',
    ],
    ['half (?:a )?dozen|aadh[ae] darjan|आध[ाे] दर्जन|अर्धा डझन', '6'],
    ['sign(?:ing)? (?:\\w+ )?up|put (?:my|our|his|her) name down', 'register join'],
    ['turn(?:ing)? up|show(?:ing)? up', 'arrive come'],
    ['(?:for )?(?:a |the )?(?:full|whole|entire) day', 'per day'],
    ['(?:for )?(?:a |the )?(?:full|whole|entire) month', 'per month'],
    ['(?:for )?(?:a |the )?(?:full|whole|entire) year', 'per year'],
    ['drop(?:ping)? in|walk(?:ing)? in|just (?:come|walk) (?:in|over)|without (?:calling|booking|a booking)', 'appointment'],
    ['(?:leke|lekar|le) (?:aa\\w*|aun\\w*|aye\\w*)|gheun (?:ye\\w*|ya)', 'lana'],
    ['(?:लेकर|लेके|ले) (?:आ[\\p{L}\\p{M}]*)|(?:घेऊन|घेउन) (?:ये[\\p{L}\\p{M}]*|या)', 'लाना'],
    ['(?:lekar|leke|le) ja\\w*|gheun ja\\w*', 'pickup collect'],
    ['(?:लेकर|लेके|ले) जा[\\p{L}\\p{M}]*|(?:घेऊन|घेउन) जा[\\p{L}\\p{M}]*', 'pickup collect'],
    ['la(?=\\s(?:sak|du|de))', 'lana'],
    ['ला(?=\\s(?:सक|दू|दे))', 'लाना'],
    ['plus(?= (?:an?|the|one|two|three|four|five|six|\\d+) )', 'and'],
    ['look(?:ing)? after|take care of|taken care of', 'care'],
    ['get(?:ting)? (?:there|to you|to your \\w+)|reach (?:you|your \\w+|there)|find you|way to you', 'reach location address'],
    ['pick(?:ing|ed)? (?:\\w+ ){0,3}up', 'pickup collect'],
    ['drop(?:ping|ped)? (?:\\w+ ){0,3}off', 'deliver leave'],
    ['(?:keep|have|hold|borrow) (?:\\w+ ){0,3}(?:longer|for more time|some more days)', 'renew extend'],
    ['not (?:\\w+ ){0,2}(?:allowed|permitted)|(?:cannot|can t|may not|must not) (?:be )?(?:brought|carried|taken)', 'forbidden'],
    ['how old|what age|old enough|too (?:old|young)', 'age'],
    ['how far (?:ahead|in advance|before)', 'how long before'],
    ['how far|what distance', 'distance'],
    ['how (?:heavy|much does \\w+ weigh)', 'weight'],
    ['how (?:fast|quick)', 'speed'],
    ['how (?:high|tall)|(?:highest|tallest|higher|taller)', 'height'],
    [
      '(?:do|teen|char|2|3|4) (?:baar|bar) (?:mein|me)|(?:दो|तीन|चार) बार में|(?:दोन|तीन|चार) (?:वेळा|वेळात|टप्प्यात|टप्प्यांत)',
      'pay instalment',
    ],
    ['(?:which|what) (?:areas|places|localities|cities|towns|parts of (?:the )?(?:city|town))', 'where'],
    ['(?:सबसे|सगळ्यात|सर्वात) (?:ऊँच[ाीे]|ऊंच[ाीे]|उंच)|sabse unch[aie]', 'सर्वात height'],
    ['how (?:wide|broad)', 'width'],
    ['how (?:deep)', 'depth'],
    ['how (?:hard|difficult|tough|easy)|(?:hardest|toughest)', 'difficulty'],
    ['how often|how frequently', 'every times'],
    [
      'out of (?:order|work)|not (?:working|starting|running)|stop(?:ped|s) working|does ?n.?t work|gone bad|broke down|breaks? down',
      'broken repair',
    ],
    ['(?:snap|snaps|snapped|crack|cracked|breaks?|broke|fell apart|came off)', 'broken damage'],
    ['(?:die|dies|died|dead|dying|wither|withers|withered)', 'die dead'],
    ['on (?:a )?leave|out of town|go(?:ing)? away|away for|be away', 'holiday absence'],
    ['(?:mum|mom|mummy|dad|daddy|papa)', 'parent'],
    ['(?:note|keep) (?:\\w+ )?in mind', 'note'],
    ['(?:grandpa|grandma|grandfather|grandmother|granny|dada|dadi|nana|nani|aaji|ajoba)', 'elderly senior'],
    ['(?:relative|relatives|in-laws|cousins?)', 'guest relatives'],
    ['last minute|at short notice|right away|straight away|same day', 'urgent same day'],
    ['no longer (?:need|want|use)|not (?:need|use) (?:\\w+ )?any ?more', 'old used'],
    ['learn (?:of|about)|find out|get to know|be told', 'inform informed'],
    ['on top|besides the price|hidden (?:cost|charge)s?', 'extra additional charges'],
    ['(?:within|inside) reach', 'near'],
    ['use (?:a )?wheel ?chair|in a wheel ?chair', 'wheelchair'],
  ] as const
).map(([form, plain]) => [new RegExp(`(?<![\\p{L}\\p{M}])(?:${form})(?![\\p{L}\\p{M}])`, 'giu'), ` ${plain} `] as const);

/** Ages: "He is 65", "वय ६५", "चौदा वर्षांचा". */
const aged =
  /(?<![\p{L}\p{M}\d])([\p{L}\p{M}]+|\d+)[\s-](?:years?[\s-]old|साल (?:के|की|का)|वर्षांच(?:ा|ी|े|्या)|saal (?:ke|ki|ka))(?![\p{L}\p{M}])|(?:वय|उम्र|आयु|\bage|\baged|\bumar)\s(?:is\s)?(\d+)/giu;
const grownUp = 18;
const elderly = 60;

/** Adds "child" or "senior" to a question with an age, because rules use these words. */
function withAgesNamed(question: string): string {
  return question.replace(aged, (all, before?: string, behind?: string) => {
    const [age] = numbersIn(before ?? behind ?? '');
    if (!age || (age.value >= grownUp && age.value < elderly)) return all;
    return ` ${age.value < grownUp ? 'child' : 'elderly senior'} age `;
  });
}

/** Plurals of abbreviations, such as ACs and TVs. */
const severalLetters = /\b([A-Z]{2,4})s\b/gu;

/** Replaces the idioms of a question. */
export function inPlainWords(question: string): string {
  const named = withAgesNamed(question).replace(severalLetters, '$1');
  return idioms.reduce((text, [form, plain]) => text.replace(form, plain), named);
}

const fold = (words: string): ReadonlySet<string> => new Set(words.split(' ').map(foldSpelling));

/** Words that ask for the lowest price. */
export const cheaperWords = fold(
  'cheaper cheapest lower lowest least affordable inexpensive sasta sasti saste swast सस्ता सस्ती सस्ते स्वस्त',
);
/** Words that ask for the highest price. */
export const dearerWords = fold(
  'costlier costliest dearer dearest pricier expensive priciest highest mehnga mehngi mahag महंगा महंगी महाग',
);
/** Words that ask for the most of something. */
export const biggerWords = fold(
  'bigger biggest larger largest more most big large maximum longer longest heavier higher highest tallest taller उंच ऊँचा ऊंचा uncha bada badi bade motha mothi बड़ा बड़ी बड़े मोठा मोठी मोठे ज़्यादा जास्त',
);
/** Words for "less": "less expensive" means cheaper. */
export const lessWords = fold('less least fewer fewest lower lowest कम कमी kam kami');
/** Words that ask for the size of something, and not for a number. */
export const sizeWords = fold(
  'bigger biggest larger largest big large smaller smallest small spacious roomy bada badi bade motha mothi chhota chhoti lahan बड़ा बड़ी बड़े मोठा मोठी मोठे छोटा छोटी छोटे लहान',
);
/** Words that ask for the least of something. */
export const smallerWords = fold(
  'smaller smallest small minimum shorter shortest lighter less fewer chhota chhoti lahan छोटा छोटी छोटे लहान कम कमी',
);
/** Words that ask for the longest or shortest time or length. */
export const longerWords = fold('longer longest shorter shortest');
/** Words that ask for the shortest time. */
export const soonerWords = fold('quicker quickest faster fastest sooner soonest earlier earliest जल्दी लवकर jaldi lavkar');
/** Words that ask for the difference of two things. */
export const differenceWords = fold(
  'difference differ compare compared comparison versus vs save farak fark antar फर्क अंतर फरक तुलना बचत बचेगा वाचतील',
);
/** Words that ask for the sum of several things. */
export const totalWords = fold(
  'together both total altogether sum मिलाकर दोनों कुल मिळून दोन्ही एकूण milakar milake milun dono donhi ekun',
);

/** Whether a question contains one of these words. */
export function says(question: string, words: ReadonlySet<string>): boolean {
  return wordsOf(question).some((word) => words.has(word));
}

/** Whether a word only compares or adds. */
export function comparesOrAdds(word: string): boolean {
  return [cheaperWords, dearerWords, biggerWords, smallerWords, soonerWords, differenceWords, totalWords].some((words) =>
    words.has(word),
  );
}

/** Phrases that choose. "Is it less with the old one?" does not. */
const choosing =
  /\b(?:which|\w+est|one|or|than|over|difference|differ|compared?|save|sabse|kaun|kon|fark|farak|antar|sarvat|most|least)\b|सबसे|सर्वात|सगळ्यात|कौन|कोण|किंवा|पेक्षा|फर्क|फ़र्क|फरक|अंतर|(?<![\p{L}\p{M}])या(?![\p{L}\p{M}])|(?:(?<![\p{L}\p{M}])से|\bse) (?:[\p{L}\p{M}]+ )?(?:सस्त|महंग|महँग|बड़|छोट|ज़्यादा|ज्यादा|कम|sast|mehng|mahang|bad[aie]|chhot|zyada|kam\b)/iu;

/**
 * Replaces की by "or" if the question is Marathi, where "this की that" means "this or that". In Hindi, it connects what belongs together.
 */
export const withPlainOr = (question: string): string =>
  comparesInMarathi.test(question) ? question.replace(/\sकी\s/gu, ' किंवा ') : question;

const comparesInMarathi = /महाग|स्वस्त|जास्त|कमी|मोठ[ाीे]|लहान|लवकर|लागत[ोे]/u;

/** Whether a question chooses among items or compares them. */
export function isComparison(question: string): boolean {
  if (!choosing.test(question)) return false;
  return [cheaperWords, dearerWords, biggerWords, smallerWords, soonerWords, differenceWords].some((words) =>
    says(question, words),
  );
}

/** Questions for the difference between two things: for an amount, and not for a choice. */
export const howMuchMore =
  /\bhow much (?:more|less|extra|cheaper|dearer|costlier)\b|(?:कितना|कितने|कितनी|किती|kitn[aei]|kiti)\s(?:[\p{L}\p{M}]+\s)?(?:ज़्यादा|ज्यादा|कम|जास्त|कमी|महंग[\p{M}]*|महँग[\p{M}]*|सस्त[\p{M}]*|महाग|स्वस्त|zyada|kam|jast|meh?nga|sasta|mahag|swasta)(?![\p{L}\p{M}])/iu;

/** Questions such as "Which scanner do you use?", which name a kind that a sentence about one of it need not mention. */
export const asksOfKind = /^(?:which|what) (?!time|days?\b)\p{L}+ (?:do|does|did) (?:you|we|they|the)\b/iu;

/** Whether a question names several things in a row. */
export const isEnumerated = (question: string): boolean =>
  /\b(?:and|with|plus|aur|ani|aani)\b|\+|(?<![\p{L}\p{M}])(?:और|आणि|व|एवं|प्लस|सोबत)(?![\p{L}\p{M}])/iu.test(question);

/** Statements about the speaker before a question: "My bike is number 4521, how much is a wash?" */
export const ownStatement =
  /^\s*(?:i|my|we|our|mera|mere|meri|majh[aie]|मेरा|मेरी|मेरे|मैं|हमारा|हमारी|हमारे|माझा|माझी|माझे|माझ्या|मी|आमचा|आमची|आमचे)(?![\p{L}\p{M}])[^.?!,।]*[.,।!]\s*(?=\S)/iu;

/** Reasons that speakers add after a question. */
export const reasonGiven = /,?\s(?:if|since|because|as|when) (?:i|we|my|our)\b[^?]*\??\s*$/iu;

/** Questions for a person's hours: "Is he there on Fridays?" */
export const ofPerson = /\b(?:he|she|him|her)\b/iu;

/**
 * Words such as "my", "if" and "when", which begin a description of a situation. The question is whether something is possible then, not
 * whether it is on offer.
 */
const ofStory =
  /,|\b(?:i|we|me|us|my|our|if|when|while|because|mera|mere|meri|mujhe|hum|main|agar|to|majh\w*|mala|amh\w*|jar|tar)\b|(?<![\p{L}\p{M}])(?:मेर|मैं|मुझ|हम|अगर|तो(?![\p{L}\p{M}])|माझ|मला|आम|जर(?![\p{L}\p{M}])|तर(?![\p{L}\p{M}]))/iu;
const mayWe = /^can (?:i|we) /iu;
const end =
  '(?=\\s+(?:in|on|at|for|with|to|from|by|near|inside|here|back|too|as|that|which|who|during|after|before|any ?more|so)\\b|\\s*[?.!]|\\s*$)';
const others = '(?:(?:any|some|your|other|also|even)\\s+)*';
const ofYou = {
  hindi: 'आप(?:के (?:यहाँ|यहां|पास)|\\s?लोग)?|यहाँ|यहां',
  marathi: 'तुम्ही|तुमच्याकडे|तुमच्या(?:\\sइथे)?|आपण|आपल्याकडे|इथे|येथे',
  inLatin: 'aap(?:ke (?:yahan|yaha|paas))?|yahan|yaha|tumhi|tumch?yakade|ithe',
};
const behindOf = { hindi: 'में|पर|से|को|के लिए', inLatin: 'mein|me|par|se|ko|ke liye' };

/** Questions whether an item is offered or allowed, and for its price. */
const askForThing: readonly RegExp[] = [
  `^(?:and |so )?do you (?:also |even |still )?(?!know\\b|think\\b|mind\\b)\\w+ (?:(?:out|up|off|for|with|on) )?${others}(.+?)${end}`,
  `^(?:and |so )?(?:is|are) there ${others}(.+?)${end}`,
  `^(?:is|are) ${others}(.+?) (?:allowed|available|possible|welcome|permitted|included|provided)\\b`,
  `^do(?:es)? (?:the|your|an?|this|that) .+? (?:give|have|has|include|come with|offer|serve|sell|get|need) ${others}(.+?)${end}`,
  `^how much (?:is|are|does|do) ${others}(.+?)(?: cost)?${end}`,
  `^can (?:i|we|one) (?:get|buy|rent|hire|have|find) ${others}(.+?)${end}`,
  `^(?:क्या\\s)?(?:${ofYou.hindi})\\s(?:भी\\s)?(?:.*\\s(?:${behindOf.hindi})\\s)?(.+?)(?:\\sभी)?\\s(?:[\\p{L}\\p{M}]+(?:ते|ता|ती)\\s)?(?:हैं|है|हो)(?:\\sक्या)?\\s*[?।]*$`,
  `^क्या\\s(?:.*\\s(?:${behindOf.hindi})\\s)?(.+?)(?:\\sभी)?\\s(?:मिलत[ाेी]|होत[ाेी]|उपलब्ध)\\s(?:है|हैं)\\s*[?।]*$`,
  `^(?:${ofYou.marathi})\\s(?:पण\\s)?(.+?)\\s(?:[\\p{L}\\p{M}]+\\s)?(?:का|आहे का|आहेत का)\\s*[?.]*$`,
  '^(.+?)\\s(?:मिळत[ेोा]त?|विकता|भाड्याने देता|करून देता)\\sका\\s*\\?*$',
  `^(?:kya\\s)?(?:${ofYou.inLatin})\\s(?:.*\\s(?:${behindOf.inLatin})\\s)?(.+?)\\s(?:\\w+t[aei]\\s)?(?:hain|hai|ho|ka)(?:\\skya)?\\s*[?.]*$`,
].map((form) => new RegExp(form, 'iu'));

/** Questions for a property of an item: its colour, its size. */
const askForQuality: readonly RegExp[] = [
  /^(how (?:big|old|heavy|tall|wide|deep|fast)) (?:is|are)\b/iu,
  /^how much do(?:es)? .+ (weigh)\b/iu,
  /^(?:what|which) (?!is\b|are\b|does\b|do\b|time\b|day\b|days\b)([\w-]+) (?:is|are|does|did)\b/iu,
  /^what(?:'s|’s| is| are) the ([\w -]+?) of\b/iu,
  /(?:^|\s)किस (\S+) (?:का|की|के)\s/iu,
  /कितन[ाीे]\s(?!का|की|के|में|लग)(\S+)\s(?:है|हैं)\s*\?*$/iu,
  /(?:^|\s)(\S+) किती(?: आहे)?\s*\?*$/iu,
];
const wordsOfThingMax = 5;

/** What a question asks for, in its own words. */
export interface AskedThing {
  readonly words: string;
  readonly isQuality: boolean;
}

/** The item or property that a question asks for. Undefined if the question contains more than that. */
export function thingAskedFor(question: string): AskedThing | undefined {
  if (ofStory.test(question.replace(mayWe, ''))) return undefined;
  const foundBy = (forms: readonly RegExp[]) => forms.flatMap((form) => form.exec(question.trim())?.[1] ?? [])[0];
  const quality = foundBy(askForQuality);
  const words = quality ?? foundBy(askForThing);
  if (words === undefined || wordsOf(words).length > wordsOfThingMax || hasPronoun(words)) return undefined;
  return { words, isQuality: quality !== undefined };
}

/** Numbers that are names, such as those of a licence or telephone. */
export const namingNumber =
  /\b(?:number|no\.|nos?|code|pin|number is)\s*:?\s*\d[\d\s-]*|(?:नंबर|नम्बर|क्रमांक|कोड)\s*:?\s*\d[\d\s-]*|\+?\d{6,}/giu;

const pricedInForms: readonly RegExp[] = [
  /\b(?:price|cost|charge|rate|much) (?:of|is|for|does|would|will) (\w{3,}ing)\b(?! cost)/iu,
  /\b(?:cost|costs|charge|much|price)\b.*\b(?:to|for) (?!buy|get|have|order|take|pay|go|rent|hire|my|the|a|an)(\w+)(?<=ing|to \w+)\b/iu,
  /(?<![\p{L}\p{M}])(?!ख़?रीदने|लेने|देने|होने|जाने|आने|कर|मिलने)([\p{L}\p{M}]{2,})ने\s(?:का|के|की|में)\s(?:[\p{L}\p{M}]+\s)?(?:ख़?र्च|दाम|चार्ज|शुल्क|कितन|क्या|पैसे|रेट)/u,
  /(?<![\p{L}\p{M}])(?!घ्य|द्य|हो|कर)([\p{L}\p{M}]{2,}?)(?:ायला|ायचे|ायचा|ायची|ण्याचे|ण्याचा|ण्याची|ण्यासाठी|ण्यास)\s(?:[\p{L}\p{M}]+\s)?(?:खर्च|किती|किंमत|दर)/u,
];

/** The stem of the action whose price a question asks for: the price of fitting an item is not the item's price. */
export function pricedAction(question: string): string | undefined {
  return pricedInForms.flatMap((form) => form.exec(question)?.[1] ?? [])[0];
}
