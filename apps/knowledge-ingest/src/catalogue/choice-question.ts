import { foldSpelling, wordsOf } from '@parley/language';

/** What a customer wants of many items: the one at an end of the prices, or those below a price. */
export interface ChoiceQuestion {
  readonly end?: 'cheapest' | 'dearest';
  readonly priceMax?: number;
  /** The question without that: what the items are. */
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
// "Within 500 metres" is no price.
const limits = [new RegExp(` ${under} ${amount}(?: only| please)? $`, 'u'), new RegExp(` ${amount} ${lessThan} `, 'u')];

/** Undefined for a question that does not choose by price. */
export function choiceQuestionOf(question: string): ChoiceQuestion | undefined {
  const text = ` ${wordsOf(question).join(' ')} `;
  if (cheapestSaid.test(text)) return { end: 'cheapest', description: text.replace(cheapestSaid, ' ') };
  if (dearestSaid.test(text)) return { end: 'dearest', description: text.replace(dearestSaid, ' ') };
  for (const limit of limits) {
    const price = limit.exec(text)?.groups?.['price'];
    if (price !== undefined) return { priceMax: Number(price), description: text.replace(limit, ' ') };
  }
  return undefined;
}
