import { getCountries, getExampleNumber } from 'libphonenumber-js';
import examples from 'libphonenumber-js/examples.mobile.json';
import { parsePhoneNumberFromString } from 'libphonenumber-js/max';
import { currentNumber } from './text';

const isValid = (number: string): boolean => parsePhoneNumberFromString(number)?.isValid() === true;

describe('numbers as they are dialled today', () => {
  it.each([
    ['+5215512345678', '+525512345678'],
    ['+520445512345678', '+525512345678'],
    ['+520455512345678', '+525512345678'],
    ['+52015512345678', '+525512345678'],
    ['+22997123456', '+2290197123456'],
  ])('are no longer %s but %s, says the library too', (old, current) => {
    expect([isValid(old), currentNumber(old), isValid(current)]).toEqual([false, current, true]);
  });

  it('are unchanged if they are valid, of whatever country', () => {
    const valid = getCountries().flatMap((country) => getExampleNumber(country, examples)?.number ?? []);
    expect(valid.length).toBeGreaterThan(200);
    const others = ['+5491123456789', '+541123456789', '+5511981234567', '+525512345678', '+2290121123456'];
    expect([...valid, ...others].filter((number) => currentNumber(number) !== number)).toEqual([]);
  });
});
