import { numbersMeant, whyNotCalled } from './callable-numbers';

const ours = '+912025501234';
const people = { callsCostlyNumbers: false };

describe('what is called', () => {
  it.each([
    ['+19005551234', 'is a premium number'],
    ['+1 (900) 555-1234', 'is a premium number'],
    ['sip:+19005551234@trunk.example', 'is a premium number'],
    ['sip:%2B19005551234:pw@trunk.example;transport=tcp', 'is a premium number'],
    ['011 1 900 555 1234', 'is a premium number'],
    ['+911900123456', 'is a premium number'],
    ['1900123456', 'is a premium number'],
    ['*671900123456', 'is a premium number'],
    ['+390899123456', 'is a premium number'],
    ['+499001234567', 'is a premium number'],
    ['+49900123456', 'is a premium number'],
    ['+491371234567', 'is a premium number'],
    ['+447012345678', 'is a premium number'],
    ['+449098790879', 'is a premium number'],
    ['+33899123456', 'is a premium number'],
    ['+881612345678', 'is a number of no country'],
    ['+97912345678', 'is a number of no country'],
    ['0088213212345', 'is a number of no country'],
    ['112', 'is a number for emergencies'],
    ['sip:911@pbx.example', 'is a number for emergencies'],
    ['+919820012345', undefined],
    ['09820012345', undefined],
    ['+14155552671', undefined],
    ['+15550102', undefined],
    ['011 4190 0123', undefined],
    ['011 2610 1234', undefined],
    ['+442071234567', undefined],
    ['+390612345678', undefined],
    ['+4930123456', undefined],
    ['+911800123456', undefined],
    ['100', undefined],
    ['1001', undefined],
    ['sip:support@pbx.example', undefined],
  ])('is no number that costs more than others: %s', (to, says) => {
    expect(whyNotCalled(to, ours, people)).toBe(says);
  });

  it('may cost more where the operator says so, but is never a number for emergencies', () => {
    expect(whyNotCalled('+19005551234', ours, { callsCostlyNumbers: true })).toBeUndefined();
    expect(whyNotCalled('112', ours, { callsCostlyNumbers: true })).toBe('is a number for emergencies');
  });

  it.each([
    ['+919811199999'],
    ['+91 98111 99999'],
    ['09811199999'],
    ['9811199999'],
    ['0091 98111 99999'],
    ['011919811199999'],
    ['*679811199999'],
    ['*67+919811199999'],
    ['sip:9811199999@trunk.example'],
    ['sip:9811199999:pw@trunk.example'],
    ['sip:9811199999%20@trunk.example'],
    ['sip:%2B919811199999@trunk.example'],
    ['sip:+919811199999;phone-context=x@trunk.example'],
  ])('means the number that a network makes of it: %s', (called) => {
    expect(numbersMeant(called, ['IN'])).toContain('+919811199999');
  });

  it('means nobody else than the number that is written in full', () => {
    expect(numbersMeant('+914155552671', ['IN'])).toEqual(['+914155552671']);
    expect(numbersMeant('sip:support@pbx.example', ['IN'])).toEqual([]);
    expect(numbersMeant('1001', ['IN'])).toEqual([]);
  });
});
