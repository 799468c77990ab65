import { formerNamesOf, TimeZoneName } from './text';

test.each([
  ['Asia/Calcutta', 'Asia/Kolkata'],
  ['Asia/Kolkata', 'Asia/Kolkata'],
  ['asia/kolkata', 'Asia/Kolkata'],
  ['Europe/Kiev', 'Europe/Kyiv'],
  ['Asia/Katmandu', 'Asia/Kathmandu'],
  ['America/Argentina/Buenos_Aires', 'America/Argentina/Buenos_Aires'],
  ['Europe/Amsterdam', 'Europe/Amsterdam'],
  ['UTC', 'UTC'],
  ['utc', 'UTC'],
  ['US/Eastern', 'US/Eastern'],
  ['Etc/GMT+5', 'Etc/GMT+5'],
])('a zone that is called %s is %s', (name, zone) => {
  expect(TimeZoneName.parse(name)).toBe(zone);
});

test.each(['GMT', 'EST', 'MST7MDT', 'GB-Eire', 'NZ-CHAT', 'W-SU', 'Zulu', 'ROK', 'GMT+0'])(
  '%s is a zone, in any spelling',
  (name) => {
    expect([name, name.toLowerCase()].map((each) => TimeZoneName.parse(each))).toEqual([name, name]);
  },
);

test.each([
  '',
  'IST',
  'PST',
  'BST',
  'Factory',
  'localtime',
  'SystemV/PST8PDT',
  'US/Pacific-New',
  'Asia/Nowhere',
  '+05:30',
  'x'.repeat(65),
])('no zone is called %j', (name) => {
  expect(TimeZoneName.safeParse(name).success).toBe(false);
});

test('every zone of this runtime has one name, and its former names lead to it', () => {
  for (const name of Intl.supportedValuesOf('timeZone')) {
    const zone = TimeZoneName.parse(name);
    expect(TimeZoneName.parse(zone)).toBe(zone);
    expect(zone === name || formerNamesOf(zone).includes(name)).toBe(true);
  }
});
