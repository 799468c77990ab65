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

  it.each([
    [403, ['Calling number not verified: caller id'], true],
    [488, ['Invalid From header'], true],
    [603, ['STIR: '], true],
    [403, ['Q.850: call barred', 'From number unknown here'], true],
    [603, ['Q.850: call rejected'], false],
    [603, ['SIP: Network Blocked'], false],
    [488, ['Incompatible media format'], false],
    [486, ['STIR: '], false],
  ])('%s with %j is about the caller: %s', (status, remarks, isAboutCaller) => {
    expect(refusesCaller({ status, words: 'Forbidden', remarks })).toBe(isAboutCaller);
  });
});
