import { agrees, isStopWord, isUnit, languageOf, repliesYesOrNo, wordsOf } from '@parley/language';
import type { BaseFacts, QuotableSentence } from '../facts/base-facts';
import { asksOfKind, howMuchMore, namingNumber } from '../question/idioms';
import { likeness, type TextWords, textWords } from '../question/likeness';
import { type AnalysedQuestion, asksOnlyWhether, isAction, isPriceWord, type NeededWord, type Want } from '../question/needs';
import { type AnswerLanguage, listed, named, phrases, weekdayNamed } from './phrases';

/** If another sentence scores within this factor, it may be meant instead. */
const marginMax = 0.99;
/** The share of the question that the sentence or its context must cover. */
const shareMin = 0.56;
/** The share that the sentence itself or its heading must cover. */
const ownShareMin = 0.3;
const headingWeight = 0.9;
const nearWeight = 0.5;
/** The weight of a word that is in no statement. It is either unknown to the knowledge base, or a verb that this model does not know. */
const unknownWeight = 0.9;
/** The weight of words for what the business does, which any question may contain. */
const ownSubjectWeight = 0.35;

interface Weighed {
  readonly need: NeededWord;
  readonly weight: number;
}

interface Question {
  readonly weighed: readonly Weighed[];
  readonly wants: ReadonlySet<Want>;
}

/** A statement that answers, with how certain it is. */
export interface FoundStatement {
  readonly statement: QuotableSentence;
  readonly share: number;
  readonly own: number;
  /** Whether no other statement scores nearly as high. */
  readonly isAlone: boolean;
  /** Whether a neighbouring sentence covers part of the question that this one does not. */
  readonly needed: { readonly before: boolean; readonly after: boolean };
}

/** Finds the statement that answers a question. Undefined if none covers enough of it. */
export function statementFor(
  { needs, wants, isComparing, isOfWhatIsNot }: AnalysedQuestion,
  { statements, contact }: BaseFacts,
): FoundStatement | undefined {
  // Words for selling or sending alone do not name anything.
  if (!needs.some(({ weight }) => weight >= namingMin)) return undefined;
  const subject = textWords(`${contact.Name} ${contact.Kind}`);
  // Every sentence of a tailor is about tailors.
  if (wants.has('COUNT') && needs.every((need) => need.weight < namingMin || likeness(need, subject) > 0)) return undefined;
  const weighed = weights(needs, statements, subject);
  const found = statements
    .filter(({ text }) => !isComparing || setsAgainst(text))
    .filter(({ text }) => !isOfWhatIsNot || saysNot.test(text))
    // The general description of a business contains no price or time.
    .filter(({ text }) => wants.size === 0 || !contact.About.includes(text))
    .map((statement) => shareOf(statement, { weighed, wants }))
    .map((one) => ({ ...one, share: one.share * fitOf(wants, one.statement) * plainnessOf(one.statement, needs) }))
    .filter(({ share, own }) => share >= shareMin && own >= ownShareMin);
  const scoreOf = ({ share, own }: FoundStatement) => share + own * 0.5;
  const [best, second] = found.toSorted((one, other) => scoreOf(other) - scoreOf(one) || brevity(one, other));
  return best && { ...best, isAlone: !second || scoreOf(second) < scoreOf(best) * marginMax };
}

/** Answers a follow-up ("And when is she here?") from the sentence of the last answer, or a better one under its heading. */
export function statementOn(
  { needs, wants }: AnalysedQuestion,
  { statements }: BaseFacts,
  earlier: string,
): FoundStatement | undefined {
  const quoted = statements.filter(({ text, isStored }) => !isStored && earlier.includes(text));
  const headings = new Set(quoted.map(({ heading }) => heading).filter((heading) => heading !== ''));
  const near = statements.filter((one) => quoted.includes(one) || headings.has(one.heading));
  const telling = needs.filter(({ weight }) => weight === 1);
  const scored = near
    .map((statement) => {
      const comparable = textWords(statement.text);
      const held = telling.filter((need) => likeness(need, comparable) > 0).length;
      const all = needs.reduce((sum, need) => sum + likeness(need, comparable) * need.weight, 0);
      return { statement, held, score: all + (quoted.includes(statement) ? toldBonus : 0) };
    })
    .filter(({ statement: { text }, held }) => held === telling.length && tellsWhatIsWanted(text, wants))
    .filter(({ statement: { text } }) => !wants.has('TIME') || whenTold.test(text));
  const [best, second] = scored.toSorted((one, other) => other.score - one.score);
  const isAsked = telling.length > 0 || wants.size > 0;
  if (!best || !isAsked || (second && second.score === best.score)) return undefined;
  return { statement: best.statement, needed: { before: false, after: false }, share: 1, own: 1, isAlone: true };
}

const metMin = 0.2;
const contentOf = (text: string): number => new Set(wordsOf(text).filter((word) => !isStopWord(word))).size;

/** Words for exclusion. A question that excludes something is not answered by a sentence without exclusion. */
const without = /\bwithout\b|\bbin[ae]\b|(?<![\p{L}\p{M}])(?:बिना|बगैर|विना)(?![\p{L}\p{M}])|शिवाय/iu;

/** Negations. A negated question is not answered by a statement that there are none. */
export const notSo = /\bnot?\b|n['’]t\b|\bnever\b|\bnah[iī]n?\b|\bnako\b|नहीं|नाही|नको/iu;
const asksWithNot =
  /\b(?:you|that|it) (?:do|does|will|are|is|can)(?: not|n['’]t)\b|\b(?:do|are|is|does|will)n['’]t (?:you|it|there)\b|\bdo you not\b|(?:नहीं|नाही|\bnahi)(?: [\p{L}\p{M}]+){0,2}\s*\?*$/iu;
const clockTold =
  /\d:\d\d|\bat \d|\bday and night\b|(?:सुबह|शाम|सकाळी|संध्याकाळी|दुपारी|दोपहर|रात|रात्री|पहाटे) \d|\d\s?(?:[ap]\.?m|बजे|वाज)|\d (?:ते|से) (?:[\p{L}\p{M}]+ )?\d|\b(?:noon|midnight)\b/iu;
const asksForClock = /\b(?:what|which) times?\b|कितने बजे|किस समय|किती वाज|कोणत्या वेळ|\bkitne baje\b|\bkiti vaj/iu;

interface Sureness {
  readonly analysed: AnalysedQuestion;
  readonly question: string;
  readonly language: AnswerLanguage;
  readonly subject: TextWords;
  readonly facts: BaseFacts;
}

const saysItself = (comparables: readonly TextWords[], need: NeededWord): boolean =>
  comparables.some((one) => likeness(need, one) === 1);

const thingsAsked = (needs: readonly NeededWord[], subject: TextWords): NeededWord[] =>
  needs.filter((need) => need.weight === 1 && !need.isVerb && likeness(need, subject) === 0);

/** Whether the only item in the question is mentioned literally: a sentence about a website does not answer "Do you have an app?" */
export function saysOnlyThing(needs: readonly NeededWord[], comparables: readonly TextWords[], subject: TextWords): boolean {
  const [only, another] = thingsAsked(needs, subject);
  return only === undefined || another !== undefined || saysItself(comparables, only);
}

/** Whether every item in the question is mentioned literally: "Do you paint frames?" is not answered by repairs of frames. */
const saysEachThing = (needs: readonly NeededWord[], comparables: readonly TextWords[], subject: TextWords): boolean =>
  thingsAsked(needs, subject).every((need) => saysItself(comparables, need));

/**
 * Whether a statement is a certain answer: with its context it covers all names in the question; and its verbs too, if the languages
 * differ, since few words match then.
 */
export function isSure({ statement, isAlone }: FoundStatement, sureness: Sureness): boolean {
  const { analysed, question, language, subject, facts } = sureness;
  const { needs, wants } = analysed;
  const { text, heading, before, after, isStored } = statement;
  const isAcross = languageOf(text) !== language;
  // A stored Yes or No is given together with its own question, so a "not" in the question asked does not turn it around.
  const isWithQuestion = isStored && repliesYesOrNo(text);
  const isOfNot = asksWithNot.test(question) && !isWithQuestion;
  if (!isAlone || (isOfNot && !saysNot.test(`${text} ${isStored ? heading : ''}`))) return false;
  if (wants.has('COUNT') && !forms.COUNT.test(`${text} ${after}`.replace(namingNumber, ' '))) return false;
  if (asksForClock.test(question) && !clockTold.test(`${statement.text} ${statement.after}`)) return false;
  if ((wants.has('PRICE') || howMuchMore.test(question)) && !hasAmount.test(`${text} ${after}`)) return false;
  if (wants.has('SPAN') && !forms.SPAN.test(`${text} ${after}`)) return false;
  if (isAcross && wants.size === 0 && facts.contact.About.includes(text)) return false;
  const met = needs.filter((need) => likeness(need, textWords(text)) > 0).length;
  if (asksOfKind.test(question) && !isStored && met < 2) return false;
  if (without.test(question) && !without.test(statement.text) && !saysNot.test(statement.text)) return false;
  const comparables = [text, heading, before, after].map(textWords);
  const isOfAction = isAcross && wants.size === 0;
  const saysThings = isStored ? saysOnlyThing : saysEachThing;
  if (!isAcross && wants.size === 0 && !saysThings(needs, comparables, subject)) return false;
  // A description of an item or of the business does not say what is possible.
  const isDescription = !isStored && (statement.of !== undefined || facts.contact.About.includes(text));
  const isUnsaid = (need: NeededWord) => !comparables.some((one) => likeness(need, one) > 0);
  // "Do you sell animals?" asks a vet about selling only, so the verb must match. "After two weeks" is not an action.
  const isOfOne = !isStored && asksOnlyWhether(question) && thingsAsked(needs, subject).length < 2;
  const mustBeSaid = (need: NeededWord) =>
    (isDescription && (isAction(need) || need.isVerb)) ||
    (isOfOne && need.weight < 1 && need.meanings.size > 0 && !isUnit(need.word));
  if (wants.size === 0 && needs.some((need) => mustBeSaid(need) && isUnsaid(need))) return false;
  const isTelling = (need: NeededWord) =>
    (need.weight === 1 && !need.isVerb) || (isAcross && isAction(need)) || (isOfAction && need.isVerb);
  // Two words may match a long sentence by coincidence.
  if (isOfAction && !isStored && met < contentOf(text) * metMin) return false;
  return needs
    .filter(isTelling)
    .every(
      (need) =>
        likeness(need, subject) > 0 ||
        (isPriceWord(need) && wants.has('PRICE')) ||
        (need.concept === 'OPEN' && clock.test(text)) ||
        comparables.some((one) => likeness(need, one) > 0),
    );
}

/** Words and digits that state an amount. */
const hasAmount =
  /\d|\b(?:free|half|double|twice|nothing|no (?:extra )?(?:charge|cost|fee)|included|one|two|three|four|five|six|ten)\b|मुफ़?्त|मोफत|निःशुल्क|आध[ाीे]|निम्म|दुप्पट|दुगुन|दोगुन|पैसे नहीं|अलग से|शामिल|वेगळ/iu;

/** Whether a sentence compares, or has two numbers that can be compared. */
function setsAgainst(text: string): boolean {
  return isComparative.test(text) || (text.match(/\d[\d,.]*/gu) ?? []).length > 1;
}

const isComparative =
  /\b(?:more|less|fewer|than|most|least|same|difference|\p{L}{3,}est|both)\b|सबसे|ज़्यादा|कम|सर्वात|जास्त|कमी|पेक्षा|अधिक/iu;

/** Words that negate, forbid or exclude. */
export const saysNot =
  /\b(?:no|not|never|cannot|nobody|nothing|none|without|forbidden|banned|prohibited|excluded|except|but|only|closed|instead|off)\b|n['’]t\b|नहीं|नाही|मना|निषेध|बंद|नये|सिवाय|वगळता/iu;

const toldBonus = 0.1;
/** Times and dates. A telephone number has digits but is not one. */
const whenTold = /(?:day|month|week|year|hour|minute)s?\b|\d\s?[ap]\.?m|बजे|वाजता|वार|दिन|दिवस|महीन|महिन/iu;
const namingMin = 0.5;

/** A sentence about a late, second or additional item answers only questions about such an item. */
const special = /\b(?:late|early|second|additional|extra|another|special|replacement|lost)\b|अतिरिक्त|जादा|खोई|हरव/giu;
const specialWeight = 0.5;
/** The factor for a stored answer that matches, while its own question does not. */
const byTheWayWeight = 0.8;

function plainnessOf({ text, heading, isStored }: QuotableSentence, needs: readonly NeededWord[]): number {
  // In "A consultation costs ₹400; a second visit is free", the special case comes second.
  const [plain = text] = text.split(/;\s/u);
  const marks = plain.match(special) ?? [];
  const comparable = textWords(heading);
  const isByTheWay = isStored && !needs.some((need) => need.weight === 1 && likeness(need, comparable) > 0);
  if (isByTheWay) return byTheWayWeight;
  return marks.every((mark) => needs.some((need) => likeness(need, textWords(mark)) > 0)) ? 1 : specialWeight;
}

const brevity = (one: FoundStatement, other: FoundStatement): number => one.statement.text.length - other.statement.text.length;

/** A word in few statements has more weight than one in many. */
function weights(needs: readonly NeededWord[], statements: readonly QuotableSentence[], subject: TextWords): Weighed[] {
  const all = Math.max(1, statements.length);
  return needs.map((need) => {
    const count = statements.filter(({ text, heading }) => likeness(need, textWords(`${heading}\n${text}`)) > 0).length;
    const rarity = Math.log(1 + all / (count + 0.5)) / Math.log(1 + all / 0.5);
    const ofSubject = count > 0 && likeness(need, subject) > 0 ? ownSubjectWeight : 1;
    return { need, weight: need.weight * ofSubject * (count === 0 ? unknownWeight : 0.4 + 0.6 * rarity) };
  });
}

const clock = /\d\s?(?:[ap]\.?m|बजे|वाजता)|\d ते \d|\d से \d/iu;
const amount = /[₹$€£]\s?\d|\bRs\.?\s?\d|\d\s?(?:rupees|रुपये|रुपए)/iu;
/** Other ways to state a discount, such as "15 percent off". */
const lessByShare = /(?:%|percent|per cent) (?:off|less)|half price|[\d]\s?(?:%|प्रतिशत|टक्के) (?:की छूट|कम|सूट|सवलत)/iu;
const toldWeight = 0.8;

function shareOf(statement: QuotableSentence, { weighed, wants }: Question): FoundStatement {
  const total = weighed.reduce((sum, { weight }) => sum + weight, 0);
  const own = textWords(statement.text);
  const heading = textWords(statement.heading);
  const [before, after] = [textWords(statement.before), textWords(statement.after)];
  let [share, covered] = [0, 0];
  const needed = { before: false, after: false };
  for (const { need, weight } of weighed) {
    // Whether the sentence has what is wanted: "From 10 AM to 1 PM" is a time, and ₹300 a price.
    const isTold =
      (need.concept === 'OPEN' && clock.test(statement.text)) ||
      (wants.has('PRICE') && isPriceWord(need) && amount.test(statement.text)) ||
      ((need.concept === 'DISCOUNT' || need.meanings.has('discount')) && lessByShare.test(statement.text))
        ? toldWeight
        : 0;
    const here = Math.max(isTold, likeness(need, own), likeness(need, heading) * headingWeight);
    const [inBefore, inAfter] = [likeness(need, before), likeness(need, after)];
    if (here === 0 && need.weight === 1 && inAfter >= inBefore && inAfter > 0) needed.after = true;
    else if (here === 0 && need.weight === 1 && inBefore > 0) needed.before = true;
    share += Math.max(here, Math.max(inBefore, inAfter) * nearWeight) * weight;
    covered += Math.max(isTold, likeness(need, own)) * weight;
    if (statement.isStored) covered += Math.max(0, likeness(need, heading) - likeness(need, own)) * weight;
  }
  return {
    statement,
    needed,
    isAlone: true,
    share: share / total,
    own: Math.max(covered / total, here(statement, weighed) ? ownShareMin : 0),
  };
}

/** Whether the sentence is the first under a heading that covers nearly all of the question. */
function here({ heading, before }: QuotableSentence, weighed: readonly Weighed[]): boolean {
  const comparable = textWords(heading);
  return before === '' && weighed.every(({ need }) => need.weight < 1 || likeness(need, comparable) > 0);
}

/** Whether a sentence contains what the question wants: a time, an amount, a person. */
export function tellsWhatIsWanted(text: string, wants: ReadonlySet<Want>): boolean {
  return [...wants].every((want) => forms[want].test(isOfTime(want) ? text.replace(priced, ' ') : text));
}

const isOfTime = (want: Want): boolean => want === 'TIME' || want === 'SPAN';
/** Prices and years in which something began, which look like times: "₹600 a night" does not say when or how long. */
const priced = /(?:₹|\bRs\.?)\s?\d[\d,.]*\d?(?: (?:an?|per|each|every) \p{L}+)?|\b(?:since|in) (?:19|20)\d\d\b/giu;

const forms: Record<Want, RegExp> = {
  PRICE:
    /[₹$€£%]|\b(?:Rs|INR|free|complimentary|percent|rupees?|paid|pays?|charged?|costs?|price|refunded|off|deposit|credit)\b|half|मुफ़?्त|मोफत|प्रतिशत|टक्के|पैसे|पैसा|निम्म|निःशुल्क|रुपये|रुपए|शुल्क|दाम|कीमत|किंमत|फीस|फी /iu,
  TIME: /\d|day|week|month|hour|minute|morning|evening|noon|night|दिन|घंटे|बजे|दिवस|तास|वाजता|महीने|महिन|सोम|मंगळ|मंगल|बुध|गुरु|शुक्र|शनि|रवि|(?:जनवरी|फरवरी|मार्च|अप्रैल|जून|जुलाई|अगस्त|सितंबर|अक्टूबर|नवंबर|दिसंबर|जानेवारी|एप्रिल|जुलै|ऑगस्ट|ऑक्टोबर|नोव्हेंबर|डिसेंबर)|January|February|March|April|\bMay\b|June|July|August|September|October|November|December|[aA]fter|before|until|when|[Aa]t once|[Ii]mmediately|always/u,
  SPAN: /(?:\d|\b(?:an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|sixty|ninety|half|few|several|same|next)\b)[\s-]*(?:\p{L}+ )?(?:minute|hour|day|night|week|month|year|season)|दिन|घंट|मिनट|महीन|साल|हफ्त|हफ़्त|दिवस|तास|मिनिट|महिन|वर्ष|आठवड|[aA]t once|[Ii]mmediately|always|lifelong|life\b|until|till/u,
  WHO: /\d{5}|\p{Lu}\p{Ll}+ \p{Lu}\p{Ll}+|\b(?:Dr|Mr|Ms|Mrs|Prof)\b|\b(?:by|from) (?:the|our|a) |डॉ|श्री|शिक्षक|मालिक|मालक|चालक|माळी|माली|व्यवस्थापक|प्रबंधक|डॉक्टर|\bwe\b|\bour\b|manager|owner|staff|\b(?:He|She|They)\b/u,
  PLACE: /\b(?:in|at|on|near|behind|opposite|beside|next to|floor|gate|road|street|basement|counter|from)\b|में|मध्ये|पास|जवळ|मजल/iu,
  COUNT:
    /\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|no|none|once|twice|half|double)\b|एक|दो|तीन|चार|पाँच|दोन|पाच/iu,
  WHY: /./u,
};

/** A factor that is low for a sentence without what is wanted, such as a time. */
function fitOf(wants: ReadonlySet<Want>, { text, after }: QuotableSentence): number {
  if (tellsWhatIsWanted(text, wants)) return 1;
  return tellsWhatIsWanted(`${text} ${after}`, wants) ? (wants.has('TIME') ? 0.75 : 0.9) : wants.has('COUNT') ? 0.75 : 0.5;
}

const near = /^(?:It|This|That|These|Those|They|He|She|Otherwise|Else|But|However|वह|यह|ते|तो|ती|हे|पर|लेकिन|पण)\b/u;

type AnswerContext = Pick<Sureness, 'analysed' | 'question' | 'language'>;

/**
 * Tells a statement: in its own words, or as a quotation if it is in another language than the question. A stored Yes or No is told with
 * its own question, unless that is certainly what was asked.
 */
export function tellStatement({ statement, needed }: FoundStatement, { analysed, question, language }: AnswerContext): string {
  const { text, heading, isStored } = statement;
  if (isStored && repliesYesOrNo(text) && !(agrees(question, heading) && saysAllOf(analysed, statement)))
    return phrases[language].stored(heading, text);
  const answer = saidOfThing(statement, withNeighbours({ statement, needed }, analysed));
  const written = languageOf(answer);
  if (written === language) return answer;
  const short = shortAnswer(answer, analysed, language);
  const quote = phrases[language].quoted(answer);
  return short === undefined ? quote : `${short} ${quote}`;
}

/** A sentence with its neighbours, if they cover part of the question or are referred to. */
export function withNeighbours(
  { statement: { text, before, after }, needed }: Pick<FoundStatement, 'statement' | 'needed'>,
  { wants }: AnalysedQuestion,
): string {
  const isMissing = [...wants].some((want) => !forms[want].test(text) && forms[want].test(after));
  const follows = needed.after || isMissing || near.test(after);
  return [near.test(text) || needed.before ? before : '', text, follows ? after : ''].filter(Boolean).join(' ');
}

/** Whether a stored question with its answer mentions each item and action that is asked about. */
function saysAllOf({ needs }: AnalysedQuestion, { heading, text }: QuotableSentence): boolean {
  const comparable = textWords(`${heading} ${text}`);
  return needs.every((need) => (need.weight < actionMin && !need.isVerb) || likeness(need, comparable) > 0);
}

const actionMin = 0.35;

/** Adds the name of its item to a description. */
export const saidOfThing = ({ of }: Pick<QuotableSentence, 'of'>, text: string): string =>
  of === undefined || text.startsWith(of) ? text : `${of}: ${text}`;

const numbers: Readonly<Record<string, string>> = {
  one: '1',
  two: '2',
  three: '3',
  four: '4',
  five: '5',
  six: '6',
  seven: '7',
  eight: '8',
  nine: '9',
  ten: '10',
  twelve: '12',
  fifteen: '15',
  twenty: '20',
  thirty: '30',
  forty: '40',
  fifty: '50',
  एक: '1',
  दो: '2',
  तीन: '3',
};
const counted = new RegExp(
  `(?<![\\p{L}\\d.,])(\\d+(?:[.,]\\d+)*|${Object.keys(numbers).join('|')})(?:\\s?(?:[-–]|to)\\s?(\\d+))? (?:\\p{L}+ )?(minute|hour|day|week|month|year|percent)s?(?![\\p{L}])`,
  'giu',
);
const amounts = /(?:₹|Rs\.?)\s?\d+(?:,\d+)*(?:\.\d+)?/gu;
const weekday = /(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day/gu;
/**
 * The amount, time or days that the question asks for, in its language, if a sentence of another language contains exactly one. The rest of
 * the sentence is not translated.
 */
function shortAnswer(sentence: string, { wants }: AnalysedQuestion, language: AnswerLanguage): string | undefined {
  if (language === 'english') return undefined;
  if (wants.has('PRICE'))
    return only(
      [...sentence.matchAll(amounts)].map(([found]) => found),
      language,
    );
  if (!wants.has('TIME') && !wants.has('COUNT')) return undefined;
  const spans = [...sentence.matchAll(counted)].map(([, from = '', to, unit = '']) => {
    const figure = numbers[from.toLowerCase()] ?? from;
    return `${figure}${to === undefined ? '' : `–${to}`} ${named(unit.toLowerCase(), language)}`;
  });
  const days = [...sentence.matchAll(weekday)].map(([day]) => weekdayNamed(day, language));
  if (spans.length === 0 && days.length > 0) return ended(listed(days, phrases[language].and), language);
  return days.length === 0 ? only(spans, language) : undefined;
}

function only(found: readonly string[], language: AnswerLanguage): string | undefined {
  const [first, second] = found;
  return first === undefined || second !== undefined ? undefined : ended(first, language);
}

const ended = (text: string, language: AnswerLanguage): string => `${text}${language === 'hindi' ? '।' : '.'}`;
