import { amountsIn, numbersIn, writtenMoney } from './numbers';

describe('numbersIn', () => {
  it.each([
    ['twenty-five copper mugs', 25],
    ['twenty five copper mugs', 25],
    ['twentyfive copper mugs', 25],
    ['one and a half dozen tent pegs', 18],
    ['two and a half dozen tent pegs', 30],
    ['a dozen and a half tent pegs', 18],
    ['half a dozen mugs', 6],
    ['one and half kg clay', 1.5],
    ['twenty two and a half kg', 22.5],
    ['two and a quarter kg', 2.25],
    ['two and a half lakh', 250_000],
    ['ढाई दर्जन mug', 30],
    ['डेढ़ दर्जन mug', 18],
    ['अडीच डझन mug', 30],
    ['dhai darjan mug ka kitna', 30],
    ['साढ़े तीन दर्जन mug', 42],
    ['ढाई किलो clay', 2.5],
    ['दीड किलो clay', 1.5],
    ['अडीच किलो clay', 2.5],
    ['पाव किलो clay', 0.25],
    ['साढ़े तीन किलो clay', 3.5],
    ['सव्वा किलो clay', 1.25],
    ['तीन camp chair किती?', 3],
  ])('reads one number in %j', (question, value) => {
    expect(numbersIn(question).map((one) => one.value)).toEqual([value]);
  });

  it.each([
    ['do you have one and two person tents', [1, 2]],
    ['साढ़े तीन बजे', [3]],
    ['वडा पाव', []],
  ])('adds no half in %j', (question, values) => {
    expect(numbersIn(question).map((one) => one.value)).toEqual(values);
  });
});

describe('amountsIn', () => {
  it.each([
    ['one and a half kg', 1.5, 'kilo'],
    ['two and a half hours', 2.5, 'hour'],
    ['one and half kg', 1.5, 'kilo'],
    ['साढ़े तीन किलो', 3.5, 'kilo'],
    ['सव्वा दोन किलो', 2.25, 'kilo'],
    ['सवा किलो', 1.25, 'kilo'],
    ['पौन किलो', 0.75, 'kilo'],
    ['पाऊण तास', 0.75, 'hour'],
    ['पाव किलो', 0.25, 'kilo'],
    ['half a kilo', 0.5, 'kilo'],
    ['one half kg', 0.5, 'kilo'],
    ['twenty-five kg', 25, 'kilo'],
    ['2.5 kg', 2.5, 'kilo'],
  ])('reads one amount in %j', (text, value, unit) => {
    expect(amountsIn(text)).toEqual([{ value, unit }]);
  });
});

describe('writtenMoney', () => {
  it.each([
    [1_500_000, 'INR', '₹15,00,000'],
    [1_500_000, 'USD', '$1,500,000'],
    [1_250_000.5, 'GBP', '£1,250,000.50'],
    [120_000, 'EUR', '€120,000'],
    [2_350_000, 'AED', 'AED 2,350,000'],
    [95, 'INR', '₹95'],
  ])('writes %d %s as %s', (value, currency, written) => {
    expect(writtenMoney(value, currency).replaceAll('\u00a0', ' ')).toBe(written);
  });
});
