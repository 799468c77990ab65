// What a question asks of the tables, judged by its words alone. Most questions ask nothing of them, so no answer is composed.
import {
  type AskedTime,
  askedTime,
  foldSpelling,
  isBusinessNoun,
  saysOnly,
  spokenTogether,
  stemOf,
  type Weekday,
  weekdays,
  wordsOf,
} from '@parley/language';

const fold = (words: string) => new Set(words.split(' ').map(foldSpelling));

/** What a question asks about the timetable. */
export type HoursQuestion =
  | { readonly about: 'now' }
  | { readonly about: 'week' }
  | { readonly about: 'day'; readonly day: Weekday }
  | { readonly about: 'date'; readonly time: AskedTime }
  | { readonly about: 'today' | 'tomorrow' };

const dayNames: readonly (readonly string[])[] = [
  ['monday', 'mon', 'सोमवार'],
  ['tuesday', 'tue', 'मंगलवार', 'मंगळवार'],
  ['wednesday', 'wed', 'बुधवार'],
  ['thursday', 'thu', 'गुरुवार', 'बृहस्पतिवार'],
  ['friday', 'fri', 'शुक्रवार'],
  ['saturday', 'sat', 'शनिवार'],
  ['sunday', 'sun', 'रविवार', 'इतवार'],
];

const dayForms = dayNames.map((names) => names.map(foldSpelling));

const nowWords = fold('now currently presently right abhi अभी इस आत्ता आता सध्या');

const todayWords = fold('today tonight aaj आज');

const tomorrowWords = fold('tomorrow kal udya कल उद्या');

const openWords = fold(
  'open opens opened close closes closed closing opening khula khuli khule khulta khulti band ughade ughada खुल खुला खुले खुली खुलता खुलती खुलेगी बंद उघड उघडे उघडा उघडी उघडते उघडता चालू',
);

const timeWords = fold('hours timing timings time times when kab kadhi समय टाइम टाइमिंग वेळ वेळा बजे वाजता कब कधी किती');

/** A question for a reason or a person is not answered from a timetable. */
const otherWords = fold('why who whom whose kyon kyun kyu kaun kon क्यों क्यूँ कौन किसने कोण कुणी कशाला कशामुळे');

/** In Marathi, का before a verb means why; at the end it only marks a question, and in Hindi it joins two nouns. */
const marathiVerbs = fold('असता असते असतात असतो आहे आहात आहेत ठेवता');

const pastWords = fold('was were did had yesterday tha thi था थी थे');

/** Past tense in Marathi; in Hindi the same words followed by है describe a habit. */
const pastWithoutIs = fold('hota hoti hote होता होती होते');
const isWords = fold('hai hain है हैं');

/** Words that may come between "open" and the thing to be opened. */
const beforeObject = fold('the a an your our this that of');

/** General words for a business. */
const ofBusiness = fold(
  'you your yours shop store office showroom business place hours timing timings aap aapki aapka dukan dukaan opening open working दुकान ऑफिस कार्यालय शोरूम आप आपकी आपका आपके लोग स्टोर तुम्ही तुमचे तुमची तुमचा तुमच्या',
);

const why = foldSpelling('का');
const isOpenWord = (word: string) => openWords.has(word);

/** What a question asks about the opening hours; undefined if it is about something else, or asks for more. */
export function hoursQuestionOf(question: string, ownWords = ''): HoursQuestion | undefined {
  const words = wordsOf(question);
  const has = (known: ReadonlySet<string>) => words.some((word) => known.has(word));
  if (has(otherWords) || words.some((word, place) => word === why && marathiVerbs.has(words[place + 1] ?? ''))) return undefined;
  const saysOpen = words.some(isOpenWord);
  const saysHours = words.some((word) => hourWords.has(word));
  if (!saysOpen && !saysHours && !asksForTheTimeOf(words)) return undefined;
  if (isPast(words) || opensAThing(words, wordsOf(ownWords))) return undefined;
  const named = new Set(wordsOf(ownWords));
  const isOfHours = (word: string) =>
    [...knownSets, named].some((known) => known.has(word)) || isOpenWord(word) || Boolean(weekdayIn(word));
  // Any other word would change the question: "not", "which day", "library", "Dr Rao".
  const time = askedTime(question);
  if (time.date && !time.clock && saysOpen && saysOnly(time.rest, isOfHours)) return { about: 'date', time };
  if (!saysOnly(question, isOfHours)) return undefined;
  const days = new Set(words.flatMap((word) => weekdayIn(word) ?? []));
  if (days.size > 1) return undefined;
  const [day] = days;
  const isAboutUs = has(ofBusiness) || day !== undefined || [nowWords, todayWords, tomorrowWords, timeWords].some(has);
  if (!isAboutUs) return undefined;
  if (has(tomorrowWords)) return day ? undefined : { about: 'tomorrow' };
  if (day) return { about: 'day', day };
  if (has(timeWords) || saysHours) return { about: has(todayWords) ? 'today' : 'week' };
  return { about: has(todayWords) && !has(nowWords) ? 'today' : 'now' };
}

function isPast(words: readonly string[]): boolean {
  return words.some((word, place) => pastWords.has(word) || (pastWithoutIs.has(word) && !isWords.has(words[place + 1] ?? '')));
}

/**
 * Whether "open" is followed by a thing instead of the business: opening a kiln is not opening the Kiln Studio. A single word of
 * the business's name counts as a thing, unless it is its last word or a kind of business.
 */
function opensAThing(words: readonly string[], named: readonly string[]): boolean {
  return words.some((word, place) => {
    if (!isOpenWord(word)) return false;
    const behind = words.slice(place + 1);
    const object = behind.slice(behind.findIndex((one) => !beforeObject.has(one)));
    const end = object.findIndex((one) => !named.includes(one));
    const [thing, ...others] = end === -1 ? object : object.slice(0, end);
    return (
      thing !== undefined && named.length > 1 && others.length === 0 && thing !== named.at(-1) && !isBusinessNoun(stemOf(thing))
    );
  });
}

const hourWords = fold('hours timing timings टाइमिंग');
const knownSets = [nowWords, todayWords, tomorrowWords, timeWords, ofBusiness, hourWords];

function weekdayIn(word: string): Weekday | undefined {
  const isForm = (form: string) => form === word || (form.length > 4 && word.startsWith(form));
  return weekdays[dayForms.findIndex((forms) => forms.some(isForm))];
}

/** Whether it asks for the business's time without saying open or close: "दुकान का समय". */
function asksForTheTimeOf(words: readonly string[]): boolean {
  const houses = fold('दुकान ऑफिस कार्यालय शोरूम स्टोर दुकानाची दुकानाचा दुकानाचे store shop office showroom');
  const times = fold('समय टाइम वेळ वेळा hours timing timings');
  return words.some((word) => houses.has(word)) && words.some((word) => times.has(word));
}

/** A question about prices or availability, or for a choice by price. */
export interface CatalogueQuestion {
  readonly question: string;
  readonly choice?: ChoiceQuestion;
  /** Set if it asks for all that is on offer. */
  readonly offer?: Offer;
}

/** What a question for all that is on offer means. */
export type Offer = 'PRODUCT' | 'SERVICE' | 'EVERYTHING';

const goodsWords = fold(
  'products items goods things articles saman samaan cheezen cheezein chizen vastu उत्पाद उत्पादों उत्पादने उत्पादनं उत्पादनांची प्रोडक्ट प्रोडक्ट्स प्रॉडक्ट्स आइटम सामान माल चीज़ें चीज़े चीज़ों वस्तू वस्तूंची वस्तुएँ वस्तुएं',
);
const serviceWords = fold('services sevayen seva sewa सेवा सेवाएँ सेवाएं सेवाओं सेवांची');
const sellWords = fold(
  'sell selling sold buy purchase bechte bechti vikta viktat बेचते बेचती बेचता विकता विकतात विकते मिलता मिलते मिलती मिळते मिळतात मिळतं',
);
const offerWords = fold('offer offered');
const listWords = fold(
  'what which list all everything kya kaun kay konte kontya क्या कौन कौनसे काय कोणते कोणती कोणत्या कोणकोणते कोणकोणती सभी सारे सारी सब सर्व सगळे सगळ्या सूची लिस्ट यादी बताइए बताओ सांगा दाखवा',
);
/** Words that neither describe a thing nor ask for anything else. */
const besideOffer = fold(
  'do you your are is there the of me us please can could i we tell show name give full whole complete catalogue catalog range have here in at from shop store for sale stock provide and that ' +
    'aap aapke aapki hain hai ho se tumhi tumchya tumche tumchyakade ahe ahet mein pas paas yahan dukan dukaan sab ' +
    'आप आपके आपकी आपका अपने अपनी अपना हैं है हो से सी सा की का के और में पास यहाँ यहां दुकान दुकाने मुझे हमें दिखाइए दीजिए देते करते ' +
    'तुम्ही तुमच्या तुमची तुमचे तुमच्याकडे आपण आपल्याकडे आहे आहेत इथे येथे दुकानात दुकानामध्ये मला आम्हाला द्या देता ची चे आणि',
);
const offerSets = [goodsWords, serviceWords, sellWords, offerWords, listWords, besideOffer];

/** Undefined unless all words of the question belong to asking for what is on offer: "which kettles do you sell" names a thing. */
function offerAskedFor(question: string): Offer | undefined {
  const words = wordsOf(question);
  const has = (known: ReadonlySet<string>) => words.some((word) => known.has(word));
  const isOfGoods = has(goodsWords);
  const isOfServices = has(serviceWords);
  const asks = has(listWords) || ((isOfGoods || isOfServices) && words.some((word) => tellWords.has(word)));
  const isNamed = isOfGoods || isOfServices;
  // "Which do you sell?" follows a question about certain things.
  if (!asks || !(isNamed || has(sellWords) || has(offerWords)) || (!isNamed && words.some((word) => whichWords.has(word))))
    return undefined;
  if (!words.every((word) => offerSets.some((known) => known.has(word)))) return undefined;
  if (isOfGoods !== isOfServices) return isOfGoods ? 'PRODUCT' : 'SERVICE';
  return isNamed || has(offerWords) ? 'EVERYTHING' : 'PRODUCT';
}

const tellWords = fold('tell show name give');
const whichWords = fold('which kaun konte kontya कौन कौनसे कोणते कोणती कोणत्या');

/** What a question asks of the catalogue; undefined if it asks for neither price nor availability. */
export function catalogueQuestionOf(question: string): CatalogueQuestion | undefined {
  const offer = offerAskedFor(question);
  if (offer) return { question, offer };
  const choice = choiceQuestionOf(question);
  if (choice) return { question, choice };
  return asksForPriceOrStock(question) && !asksForAmount(question) ? { question } : undefined;
}

/** A choice among items: the cheapest or dearest, or those below a price. */
export interface ChoiceQuestion {
  readonly end?: 'cheapest' | 'dearest';
  readonly priceMax?: number;
  /** The rest of the question, which describes the items. */
  readonly description: string;
}

const oneOf = (...lines: string[]) =>
  `(?:${lines
    .flatMap((line) => line.split(', '))
    .map(foldSpelling)
    .join('|')})`;
const cheapest = oneOf(
  'cheapest, lowest priced, lowest price, least expensive, most affordable, sabse sasta, sabse sasti, sabse saste, sarvat swasta',
  'सबसे सस्ता, सबसे सस्ती, सबसे सस्ते, सबसे कम कीमत, सर्वात स्वस्त',
);
const dearest = oneOf(
  'most expensive, costliest, priciest, highest priced, highest price, sabse mehnga, sabse mehanga, sabse mehngi, sarvat mahag',
  'सबसे महंगा, सबसे महंगी, सबसे महंगे, सर्वात महाग',
);
const rupees = oneOf('rs, rupees, rupee, inr, rupaye, rupaya, रुपये, रुपए, रुपयों, रुपया, रुपयांच्या, रुपयांपेक्षा');
const amount = `(?:${rupees} )?(?<price>\\d+(?:\\.\\d+)?)(?: ${rupees})?`;
const under = oneOf('under, below, less than, cheaper than, not more than, up to, within');
const lessThan = oneOf('से कम, के अंदर, पेक्षा कमी, च्या आत, कमी, आत, se kam, ke andar');
const cheapestSaid = new RegExp(` ${cheapest} `, 'u');
const dearestSaid = new RegExp(` ${dearest} `, 'u');
// "Within 500 metres" is not a price.
const limits = [new RegExp(` ${under} ${amount}(?: only| please)? $`, 'u'), new RegExp(` ${amount} ${lessThan} `, 'u')];

/** Undefined if the question does not choose by price. */
function choiceQuestionOf(question: string): ChoiceQuestion | undefined {
  const text = ` ${wordsOf(question).join(' ')} `;
  if (cheapestSaid.test(text)) return { end: 'cheapest', description: text.replace(cheapestSaid, ' ') };
  if (dearestSaid.test(text)) return { end: 'dearest', description: text.replace(dearestSaid, ' ') };
  for (const limit of limits) {
    const price = limit.exec(text)?.groups?.['price'];
    if (price !== undefined) return { priceMax: Number(price), description: text.replace(limit, ' ') };
  }
  return undefined;
}

const priceWords = fold(
  'price prices kimat keemat daam cost costs rate rates charge charges fee fees much expensive दाम कीमत क़ीमत मूल्य भाव रेट प्राइस पैसे रुपये रुपए शुल्क किंमत किमत दर पैसा कितने केवढ्याला कितीला रुपयांना रुपयाला रुपयांत',
);
const stockWords = fold(
  'available availability stock instock sell have milega milegi milta milti milel पास तुमच्याकडे उपलब्ध स्टॉक मिलेगा मिलेगी मिलता मिलती मिळेल मिळते मिळतो मिळतात शिल्लक',
);
const rentWords = fold(
  'rent rental rentals rented renting hire hiring lease kiraya kiraye bhade bhadyane किराया किराए किराये भाडे भाड्याने भाड्यावर',
);
/** Asking how much of a thing is needed is not asking for its price. */
const needWords = fold(
  'need needs needed require requires required use using enough chahiye pahije चाहिए पाहिजे हवा हवी हवे लागणार',
);
const amountWords = fold('much many kitna kitni kiti कितना कितनी किती');
/** "How much is the clay that I need?" asks for a price. */
const ofPrice = fold('is are for does do did would');

/** Whether a question asks about price or availability. */
function asksForPriceOrStock(question: string): boolean {
  return asksForPrice(question) || wordsOf(question).some((word) => stockWords.has(word));
}

/** Whether it asks what is on offer in general: "I have a tent" contains "have" too. */
export function asksWhatThereIs(question: string): boolean {
  const words = wordsOf(question);
  return asksForPrice(question) || words.includes('you') || words.some((word) => word !== 'have' && stockWords.has(word));
}

function asksForPrice(question: string): boolean {
  return wordsOf(question).some((word) => priceWords.has(word)) || spokenTogether(question).concepts.includes('PRICE');
}

const payWords = fold('pay spend');

/** Whether "how much" asks for the amount needed. */
function asksForAmount(question: string): boolean {
  const words = wordsOf(question);
  const place = words.findIndex((word) => amountWords.has(word));
  const asksPrice = words.some((word) => payWords.has(word) || (priceWords.has(word) && !amountWords.has(word)));
  if (place === -1 || asksPrice) return false;
  const [next = '', ...later] = words.slice(place + 1);
  return needWords.has(next) || (ofPrice.has(next) ? needWords.has(later[0] ?? '') : later.some((word) => needWords.has(word)));
}

/** Whether it is about renting. */
export const asksToRent = (question: string): boolean => wordsOf(question).some((word) => rentWords.has(word));

/** A question without the words that ask for a price or availability. */
export function withoutAsking(question: string): string {
  const { rest } = spokenTogether(question);
  return wordsOf(rest)
    .filter((word) => !priceWords.has(word) && !stockWords.has(word))
    .join(' ');
}
