import { refusesCaller } from './sip-calls';

describe('a refusal by a trunk', () => {
  it.each([
    [403, 'Caller ID not allowed', true],
    [403, 'Invalid CLI', true],
    [488, 'From number not registered', true],
    [603, 'Calling party unverified', true],
    [433, 'Anonymity Disallowed', true],
    [438, 'Invalid Identity Header', true],
    [403, 'Forbidden', false],
    [488, 'Not Acceptable Here', false],
    [603, 'Decline', false],
    [486, 'Caller ID not allowed', false],
    [undefined, 'nobody answered the request', false],
  ])('%s %s is about the caller: %s', (status, words, isAboutCaller) => {
    expect(refusesCaller({ words, ...(status !== undefined && { status }) })).toBe(isAboutCaller);
  });
});
