import { SipCredentials } from './sip-control';

/** What is told about an account, by field. */
function refusalsOf(account: Record<string, string>): Record<string, string[]> {
  const issues = SipCredentials.safeParse(account).error?.issues ?? [];
  return Object.fromEntries(
    Object.entries(Object.groupBy(issues, ({ path }) => path.join('.'))).map(([field, all = []]) => [
      field,
      all.map(({ message }) => message),
    ]),
  );
}

describe('the credentials of a SIP account', () => {
  it.each<[field: string, value: string, words: string]>([
    ['trusted', 'nonsense', '"nonsense"'],
    ['trusted', '10.0.0.0/99', '"10.0.0.0/99"'],
    ['trusted', '127.0.0.1, ::1', '"::1" is not: IPv4 addresses and ranges'],
    ['trusted', '2001:db8::/32', 'IPv6 is not supported'],
    ['trusted', '0.0.0.0/0', 'nearly anybody could call without a password'],
    ['trusted', '128.0.0.0/1', 'at least /8'],
    ['port', 'abc', 'from 1 to 65535'],
    ['port', '', 'from 1 to 65535'],
    ['port', '70000', 'from 1 to 65535'],
    ['port', '50.5', 'from 1 to 65535'],
    ['mediaPortFrom', 'abc', 'from 1024 to 65535'],
    ['mediaPortTo', '80', 'from 1024 to 65535'],
    ['publicHost', 'not a host', 'a host name or an IPv4 address'],
    ['domain', '-', 'a host name or an IPv4 address'],
    ['trunk', 'a b', 'a SIP address such as'],
    ['registers', 'maybe', 'true or false'],
    ['callsAddresses', 'maybe', 'true or false'],
    ['callerDigest', 'sha1', '"any"|"md5"'],
  ])('refuse %s %j by one message that says what is expected', (field, value, words) => {
    const refusals = refusalsOf({ [field]: value });
    expect(refusals).toEqual({ [field]: [expect.stringContaining(words)] });
    expect(JSON.stringify(refusals)).not.toMatch(/Invalid input|NaN/);
  });

  it('name each wrong range of a list', () => {
    const { trusted = [] } = refusalsOf({ trusted: '10.0.0.1, here, 10.0.0.0/8, there' });
    expect(trusted).toEqual([expect.stringContaining('"here"'), expect.stringContaining('"there"')]);
  });

  it('take ports, switches and ranges as text', () => {
    const given = {
      port: '5060',
      mediaPortFrom: '30000',
      mediaPortTo: '30999',
      registers: 'false',
      trusted: '10.0.0.0/8, 192.0.2.1',
    };
    expect(SipCredentials.parse(given)).toMatchObject({
      port: 5060,
      mediaPortFrom: 30_000,
      registers: false,
      trusted: ['10.0.0.0/8', '192.0.2.1'],
    });
  });
});
