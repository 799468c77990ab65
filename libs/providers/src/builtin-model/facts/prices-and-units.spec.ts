import { tellField } from '../answers/item-answer';
import type { AnswerLanguage } from '../answers/phrases';
import { readFacts } from './read-facts';

/** How the last column of a row of a table is told. */
function told(cell: string, language: AnswerLanguage = 'english'): string {
  const [item] = readFacts(`# Document: list.csv\nItem: Cloth; ${cell}`).items;
  const field = item?.attributes.at(-1);
  return item && field ? tellField(item, field, language) : '';
}

describe('a price is told with its currency and what it is for', () => {
  it.each([
    ['Price (INR per metre): 260', '₹260 per metre'],
    ['Rate (Rs./kg): 80', '₹80 per kg'],
    ['Rent (₹/month): 5000', '₹5,000 per month'],
    ['Price (₹ per sq ft): 45', '₹45 per sq ft'],
    ['Price: 260 INR per metre', '₹260 per metre'],
    ['Price: Rs. 260/m', '₹260 per metre'],
    ['Price: ₹260/ltr', '₹260 per litre'],
    ['Price: 260/- per dozen', '₹260 per dozen'],
    ['Price: ₹50 each', '₹50 per piece'],
    ['Price (each, INR): 50', '₹50 per piece'],
    ['Price in INR per litre: 60', '₹60 per litre'],
    ['Price (USD per night): 80', '$80 per night'],
    ['Price: EUR 9.50 per piece', '€9.50 per piece'],
    ['Price (GBP): 4', '£4'],
    ['Price (USD): 1500000', '$1,500,000'],
    ['Price (SGD): 4', 'SGD'],
    ['Price: ₹200-300 per plate', '₹200–₹300 per plate'],
    ['Price (INR per 100 g): 40', '₹40 per 100 g'],
    ['दर: ₹८० प्रति किलो', '₹80 per kg'],
    ['Charge: 500 per visit', '500 per visit'],
  ])('%s', (cell, said) => expect(told(cell)).toBe(said === 'SGD' ? 'Cloth costs SGD\u00a04.' : `Cloth costs ${said}.`));

  it.each([
    ['Fee (INR, GST extra): 1200', '₹1,200 (GST extra)'],
    ['Fee: ₹1,200 + 18% GST', '₹1,200 (+ 18% GST)'],
    ['Fee: 1200 INR incl. GST', '₹1,200 (incl. GST)'],
    ['Fee (INR per month, plus GST): 1200', '₹1,200 per month (plus GST)'],
  ])('with what is said of taxes: %s', (cell, said) => expect(told(cell)).toBe(`Cloth costs ${said}.`));

  it.each([
    ['hindi', 'Price (INR per metre): 260', 'Cloth की कीमत ₹260 प्रति मीटर है।'],
    ['hindi', 'Rent (INR/month): 5000', 'Cloth की कीमत ₹5,000 प्रति महीना है।'],
    ['hindi', 'कीमत (रुपये प्रति किलो): 80', 'Cloth की कीमत ₹80 प्रति किलो है।'],
    ['marathi', 'Price (INR per metre): 260', 'Cloth ची किंमत ₹260 प्रति मीटर आहे.'],
    ['marathi', 'दर: 60 रुपये प्रति लिटर', 'Cloth ची किंमत ₹60 प्रति लिटर आहे.'],
  ] as const)('in %s: %s', (language, cell, said) => expect(told(cell, language)).toBe(said));

  it.each([
    ['Speed: 100 Mbps', 'The speed of Cloth is 100 mbps.'],
    ['Dose: 2 per day', 'The dose of Cloth is 2 per day.'],
    ['Price: on request', 'The price of Cloth is on request.'],
    ['Stock (pieces): 12', 'Cloth is in stock: 12 pieces.'],
    ['Area (sq ft): 640', 'The area of Cloth is 640 sq ft.'],
  ])('and no other field is taken for a price: %s', (cell, said) => expect(told(cell)).toBe(said));
});
