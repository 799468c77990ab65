import { quotedIn } from '@parley/language';
import type { Grounds } from '@parley/ports';

import { listed } from '@parley/language';

export { listed };

export type AnswerLanguage = Grounds['language'];

/** A list of items in one sentence. */
interface Several {
  readonly count: number;
  readonly names: string;
  readonly isAll: boolean;
  readonly range: readonly [least: string, most: string] | undefined;
}

/** Pieces of an item that is sold in packs. */
interface PacksTold {
  readonly pieces: number;
  readonly name: string;
  /** The number of packs: "5 boxes of 100". */
  readonly packs: string;
  readonly isOne: boolean;
  readonly total: string;
  readonly each: string;
}

interface TimesTold {
  readonly count: string;
  readonly name: string;
  readonly sum: string;
  readonly each: string;
  /** The unit of the price, " per kg", or an empty string for one piece. */
  readonly per: string;
}

/** The phrases of one language for facts and results. Amounts are passed formatted, with their units. */
interface Phrases {
  readonly costs: (name: string, price: string) => string;
  readonly field: (name: string, field: string, value: string) => string;
  readonly has: (name: string, amount: string) => string;
  readonly inStock: (name: string, amount: string) => string;
  readonly outOfStock: (name: string) => string;
  readonly offered: (name: string) => string;
  readonly times: (times: TimesTold) => string;
  readonly packs: (packs: PacksTold) => string;
  readonly sum: (names: string, sum: string, parts: string) => string;
  readonly differs: (more: string, less: string, difference: string, detail: string) => string;
  readonly same: (one: string, other: string, value: string) => string;
  readonly most: (name: string, answer: string) => string;
  readonly from: (name: string, least: string, most: string) => string;
  /** States the number of items, the first names and, if all have a price, its range. */
  readonly among: (several: Several) => string;
  readonly lasts: (name: string, value: string) => string;
  readonly quoted: (text: string) => string;
  /** A stored answer, with its question, because that may not be what was asked. */
  readonly stored: (question: string, answer: string) => string;
  /** A possible answer, introduced as only that. */
  readonly nearest: (answer: string) => string;
  readonly unknown: string;
  readonly unknownThing: (thing: string) => string;
  readonly callBack: (ways: string) => string;
  readonly openHours: (hours: string) => string;
  readonly nothingElse: string;
  /** The days of an entry in a timetable, and its time if stated. */
  readonly onDays: (name: string, days: readonly string[], time: string) => string;
  readonly and: string;
  readonly or: string;
  readonly needsBooking: string;
}

/**
 * Whether an English name is plural: "brake pads", but not "glass", "bus" or "chess set". A part after a comma or bracket names the kind
 * and is ignored.
 */
const isPlural = (name: string): boolean =>
  /\p{Ll}{2}(?<!ss|us|is|ous)s$/u.test(name.split(/\s*[,(]| with | for | of /u)[0] ?? '') && !singulars.test(name);
const singulars = /(?:^|\s)(?:gas|bus|lens|series|news|\p{L}+ics)$/iu;

export const phrases: Record<AnswerLanguage, Phrases> = {
  english: {
    costs: (name, price) => `${name} ${isPlural(name) ? 'cost' : 'costs'} ${price}.`,
    field: (name, field, value) => `The ${field} of ${name} is ${value}.`,
    has: (name, amount) => `${name} has ${amount}.`,
    inStock: (name, amount) => `${name} ${isPlural(name) ? 'are' : 'is'} ${amount === '' ? 'available' : `in stock: ${amount}`}.`,
    outOfStock: (name) => `${name} ${isPlural(name) ? 'are' : 'is'} not available at the moment.`,
    offered: (name) => `Yes, we have ${name}.`,
    times: ({ count, name, sum, each, per }) =>
      `${count} × ${name} ${isPlural(name) ? 'come' : 'comes'} to ${sum}, at ${each}${per || ' each'}.`,
    packs: ({ pieces, name, packs, isOne, total, each }) =>
      `${pieces} × ${name} ${isOne ? 'is' : 'are'} ${packs}: ${total}, at ${each} each.`,
    sum: (names, sum, parts) => `${names} together come to ${sum} (${parts}).`,
    differs: (more, less, difference, detail) => `${more} has more than ${less}, by ${difference} (${detail}).`,
    same: (one, other, value) => `${one} and ${other} are the same: ${value}.`,
    most: (name, answer) => `That is ${name}. ${answer}`,
    from: (name, least, most) => `${name} costs between ${least} and ${most}.`,
    among: ({ count, names, isAll, range }) =>
      `We have ${count}${isAll ? '' : ', among them'}${isAll ? ':' : ''} ${names}${range ? `, from ${range[0]} to ${range[1]}` : ''}. Which one do you mean?`,
    lasts: (name, value) => `${name} takes ${value}.`,
    quoted: quotedIn.english,
    stored: (question, answer) => `About “${question}” our information says: “${answer}”`,
    nearest: (answer) => `I am not sure about that. What I do have on it is this: “${answer}”`,
    unknown: 'I am sorry, I do not know that.',
    unknownThing: (thing) => `I am sorry, I do not know about ${thing}.`,
    callBack: (ways) => `You can reach us at ${ways}.`,
    openHours: (hours) => `We are there ${hours}.`,
    nothingElse: 'Is there something else I can help you with?',
    onDays: (name, days, time) => `${name} is on ${listed(days, ' and ')}${time && ` (${time})`}.`,
    and: ' and ',
    or: ' or ',
    needsBooking: 'It needs a booking.',
  },
  hindi: {
    costs: (name, price) => `${name} की कीमत ${price} है।`,
    field: (name, field, value) => `${name}: ${field} ${value} है।`,
    has: (name, amount) => `${name} में ${amount} हैं।`,
    inStock: (name, amount) => (amount === '' ? `${name} उपलब्ध है।` : `${name} उपलब्ध है: ${amount}।`),
    outOfStock: (name) => `${name} अभी उपलब्ध नहीं है।`,
    offered: (name) => `हाँ, हमारे यहाँ ${name} है।`,
    times: ({ count, name, sum, each, per }) => `${count} × ${name} के ${sum} होंगे, ${per ? 'दाम' : 'एक का दाम'} ${each}${per}।`,
    packs: ({ pieces, name, packs, total, each }) => `${pieces} × ${name} के लिए ${packs} लगेंगे: ${total}, एक का दाम ${each}।`,
    sum: (names, sum, parts) => `${names} मिलाकर ${sum} होंगे (${parts})।`,
    differs: (more, less, difference, detail) => `${more} ${less} से ${difference} ज़्यादा है (${detail})।`,
    same: (one, other, value) => `${one} और ${other} बराबर हैं: ${value}।`,
    most: (name, answer) => `वह ${name} है। ${answer}`,
    from: (name, least, most) => `${name} की कीमत ${least} से ${most} के बीच है।`,
    among: ({ count, names, isAll, range }) =>
      `हमारे यहाँ ${count} हैं${isAll ? '' : ', जैसे'}: ${names}${range ? `; दाम ${range[0]} से ${range[1]} तक` : ''}। आप किसके बारे में पूछ रहे हैं?`,
    lasts: (name, value) => `${name} में ${value} लगते हैं।`,
    quoted: quotedIn.hindi,
    stored: (question, answer) => `“${question}” इस बारे में हमारी जानकारी में यह लिखा है: “${answer}”`,
    nearest: (answer) => `मुझे इसकी पक्की जानकारी नहीं है। इस बारे में मेरे पास यह है: “${answer}”`,
    unknown: 'माफ़ कीजिए, मुझे इसकी जानकारी नहीं है।',
    unknownThing: (thing) => `माफ़ कीजिए, मुझे “${thing}” के बारे में जानकारी नहीं है।`,
    callBack: (ways) => `आप हमसे यहाँ संपर्क कर सकते हैं: ${ways}।`,
    openHours: (hours) => `हमारा समय: ${hours}।`,
    nothingElse: 'क्या मैं किसी और बात में आपकी मदद कर सकती हूँ?',
    onDays: (name, days, time) => `${name} ${listed(days, ' और ')} को है${time && ` (${time})`}।`,
    and: ' और ',
    or: ' या ',
    needsBooking: 'इसके लिए बुकिंग ज़रूरी है।',
  },
  marathi: {
    costs: (name, price) => `${name} ची किंमत ${price} आहे.`,
    field: (name, field, value) => `${name}: ${field} ${value} आहे.`,
    has: (name, amount) => `${name} मध्ये ${amount} आहेत.`,
    inStock: (name, amount) => (amount === '' ? `${name} उपलब्ध आहे.` : `${name} उपलब्ध आहे: ${amount}.`),
    outOfStock: (name) => `${name} सध्या उपलब्ध नाही.`,
    offered: (name) => `हो, आमच्याकडे ${name} आहे.`,
    times: ({ count, name, sum, each, per }) =>
      `${count} × ${name} चे ${sum} होतील, ${per ? 'किंमत' : 'एकाची किंमत'} ${each}${per}.`,
    packs: ({ pieces, name, packs, total, each }) => `${pieces} × ${name} साठी ${packs} लागतील: ${total}, एकाची किंमत ${each}.`,
    sum: (names, sum, parts) => `${names} मिळून ${sum} होतील (${parts}).`,
    differs: (more, less, difference, detail) => `${more} ${less} पेक्षा ${difference} जास्त आहे (${detail}).`,
    same: (one, other, value) => `${one} आणि ${other} सारखेच आहेत: ${value}.`,
    most: (name, answer) => `ते ${name} आहे. ${answer}`,
    from: (name, least, most) => `${name} ची किंमत ${least} ते ${most} आहे.`,
    among: ({ count, names, isAll, range }) =>
      `आमच्याकडे ${count} आहेत${isAll ? '' : ', जसे'}: ${names}${range ? `; किंमत ${range[0]} ते ${range[1]}` : ''}. तुम्ही कशाबद्दल विचारत आहात?`,
    lasts: (name, value) => `${name} साठी ${value} लागतात.`,
    quoted: quotedIn.marathi,
    stored: (question, answer) => `“${question}” याबद्दल आमच्या माहितीत असे लिहिले आहे: “${answer}”`,
    nearest: (answer) => `मला याची नक्की माहिती नाही. याबद्दल माझ्याकडे हे आहे: “${answer}”`,
    unknown: 'माफ करा, मला याची माहिती नाही.',
    unknownThing: (thing) => `माफ करा, मला “${thing}” याबद्दल माहिती नाही.`,
    callBack: (ways) => `तुम्ही आमच्याशी येथे संपर्क करू शकता: ${ways}.`,
    openHours: (hours) => `आमची वेळ: ${hours}.`,
    nothingElse: 'मी आणखी काही मदत करू शकते का?',
    onDays: (name, days, time) =>
      `${name} ${listed(
        days.map((day) => `${day}ी`),
        ' आणि ',
      )} आहे${time && ` (${time})`}.`,
    and: ' आणि ',
    or: ' किंवा ',
    needsBooking: 'त्यासाठी बुकिंग आवश्यक आहे.',
  },
};

const amountSaid = '((?:[₹$€£]|[A-Z]{3}\\s)[\\d,]+(?:\\.\\d+)?)';
const totals = new RegExp(
  `comes? to ${amountSaid}|(?:is|are) [^:]{1,60}: ${amountSaid}, at|${amountSaid} (?:होंगे|होतील)|(?:लगेंगे|लागतील): ${amountSaid},`,
  'gu',
);

/** The totals in an answer, found by the phrases above. */
export const totalsTold = (answer: string): number[] =>
  [...answer.matchAll(totals)].map((found) =>
    Number(
      found
        .slice(1)
        .find((one) => one !== undefined)
        ?.replace(/[^\d.]/gu, ''),
    ),
  );

/** Names of units and table columns in English, Hindi and Marathi. Other names are used as written. */
const names: readonly (readonly [english: string, hindi: string, marathi: string])[] = [
  ['minute', 'मिनट', 'मिनिटे'],
  ['hour', 'घंटे', 'तास'],
  ['day', 'दिन', 'दिवस'],
  ['week', 'हफ़्ते', 'आठवडे'],
  ['month', 'महीने', 'महिने'],
  ['year', 'साल', 'वर्षे'],
  ['piece', 'पीस', 'नग'],
  ['percent', 'प्रतिशत', 'टक्के'],
  ['kg', 'किलो', 'किलो'],
  ['gram', 'ग्राम', 'ग्रॅम'],
  ['litre', 'लीटर', 'लिटर'],
  ['km', 'किलोमीटर', 'किलोमीटर'],
  ['metre', 'मीटर', 'मीटर'],
  ['seat', 'सीट', 'जागा'],
  ['person', 'व्यक्ति', 'व्यक्ती'],
  ['pair', 'जोड़ी', 'जोडी'],
  ['dozen', 'दर्जन', 'डझन'],
  ['plate', 'प्लेट', 'प्लेट'],
  ['sq ft', 'वर्ग फ़ुट', 'चौरस फूट'],
  ['price', 'कीमत', 'किंमत'],
  ['cost', 'कीमत', 'किंमत'],
  ['fee', 'फ़ीस', 'फी'],
  ['fees', 'फ़ीस', 'फी'],
  ['rent', 'किराया', 'भाडे'],
  ['deposit', 'जमानत राशि', 'अनामत रक्कम'],
  ['duration', 'अवधि', 'कालावधी'],
  ['warranty', 'वारंटी', 'वॉरंटी'],
  ['guarantee', 'गारंटी', 'हमी'],
  ['stock', 'स्टॉक', 'साठा'],
  ['size', 'आकार', 'आकार'],
  ['area', 'क्षेत्रफल', 'क्षेत्रफळ'],
  ['weight', 'वज़न', 'वजन'],
  ['colour', 'रंग', 'रंग'],
  ['time', 'समय', 'वेळ'],
  ['timing', 'समय', 'वेळ'],
  ['timings', 'समय', 'वेळ'],
  ['days', 'दिन', 'दिवस'],
  ['floor', 'मंज़िल', 'मजला'],
  ['age', 'उम्र', 'वय'],
  ['teacher', 'शिक्षक', 'शिक्षक'],
  ['seats', 'सीटें', 'जागा'],
];
const columnOf: Record<AnswerLanguage, 0 | 1 | 2> = { english: 0, hindi: 1, marathi: 2 };
const byName = new Map(names.map((row) => [row[0], row]));
/** The same by the name in any language: a price per किलो is a price per kg. */
const byAnyName = new Map(names.toReversed().flatMap((row) => row.map((name) => [name, row] as const)));

/** Translates a unit or a field's name. */
export function named(name: string, language: AnswerLanguage): string {
  const low = name.toLowerCase();
  const known = byName.get(low) ?? byName.get(low.replace(/s$/u, ''));
  return known && language !== 'english' ? known[columnOf[language]] : /^[A-Z]{2,}/u.test(name) ? name : low;
}

const per: Readonly<Record<string, readonly [hindi: string, marathi: string]>> = {
  night: ['प्रति रात', 'दर रात्री'],
  day: ['प्रति दिन', 'दर दिवशी'],
  week: ['प्रति हफ़्ता', 'दर आठवड्याला'],
  month: ['प्रति महीना', 'दर महिन्याला'],
  year: ['प्रति साल', 'दर वर्षी'],
  hour: ['प्रति घंटा', 'दर तासाला'],
  person: ['प्रति व्यक्ति', 'प्रति व्यक्ती'],
  plate: ['प्रति प्लेट', 'प्रति प्लेट'],
  kg: ['प्रति किलो', 'प्रति किलो'],
  dozen: ['प्रति दर्जन', 'प्रति डझन'],
  visit: ['प्रति विज़िट', 'प्रति भेट'],
};

/** Abbreviations of units, as tables use them. */
const unitSaid: Readonly<Record<string, string>> = {
  m: 'metre',
  mtr: 'metre',
  meter: 'metre',
  kilo: 'kg',
  kgs: 'kg',
  kilogram: 'kg',
  l: 'litre',
  ltr: 'litre',
  liter: 'litre',
  g: 'gram',
  gm: 'gram',
  pc: 'piece',
  pcs: 'piece',
  nos: 'piece',
  hr: 'hour',
  hrs: 'hour',
  sqft: 'sq ft',
  mo: 'month',
  महीना: 'month',
  महिना: 'month',
  घंटा: 'hour',
  हफ़्ता: 'week',
  आठवडा: 'week',
  रात: 'night',
  रात्र: 'night',
};

/** The unit of a price, from the name of its column: " per night" of "Price per night". */
export function perUnit(column: string, language: AnswerLanguage): string {
  const unit = /(?<![\p{L}\p{M}])(?:per|a|प्रति) ((?:\d+ )?\p{L}[\p{L}\p{M}]*(?: \p{L}[\p{L}\p{M}]*)?)$/iu
    .exec(column)?.[1]
    ?.toLowerCase();
  if (unit === undefined) return '';
  const row = byName.get(unit) ?? byAnyName.get(unit) ?? byName.get(unitSaid[unit] ?? '');
  if (language === 'english') return ` per ${row?.[0] ?? unit}`;
  const known = per[row?.[0] ?? unit]?.[language === 'hindi' ? 0 : 1] ?? (row && `प्रति ${row[columnOf[language]]}`);
  return ` ${known ?? (/^[a-z]/u.test(unit) ? `/ ${unit}` : `प्रति ${unit}`)}`;
}

/** A unit's name for a number; in English, with its plural. */
export function unitOf(written: string, value: number, language: AnswerLanguage): string {
  const unit = unitSaid[written] ?? written;
  if (language !== 'english') return named(unit, language);
  return byName.has(unit) && value !== 1 && /^(?:minute|hour|day|week|month|year|piece|gram|litre|metre|seat)$/u.test(unit)
    ? `${unit}s`
    : unit;
}

const weekdays: Readonly<Record<string, readonly [hindi: string, marathi: string]>> = {
  Monday: ['सोमवार', 'सोमवार'],
  Tuesday: ['मंगलवार', 'मंगळवार'],
  Wednesday: ['बुधवार', 'बुधवार'],
  Thursday: ['गुरुवार', 'गुरुवार'],
  Friday: ['शुक्रवार', 'शुक्रवार'],
  Saturday: ['शनिवार', 'शनिवार'],
  Sunday: ['रविवार', 'रविवार'],
};

/** A weekday in a language. */
export const weekdayNamed = (day: string, language: AnswerLanguage): string =>
  language === 'english' ? day : (weekdays[day]?.[language === 'hindi' ? 0 : 1] ?? day);
