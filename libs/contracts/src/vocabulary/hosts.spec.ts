import { saveWidget } from '../gateway/widgets';
import { isHost } from './text';

test.each([
  'shop.example',
  'crm',
  'shop.example.',
  'asterisk_1.pbx',
  'SHOP.example',
  'münchen.de',
  'xn--mnchen-3ya.de',
  'xn--ls8h.la',
  '例え.jp',
  '1und1.de',
  '10.0.0.5',
  '2001:db8::1',
  '[2001:db8::1]',
  `${'a'.repeat(63)}.example`,
])('%s can be a host', (host) => {
  expect(isHost(host)).toBe(true);
});

test.each([
  '',
  '.',
  '-',
  'a-.example',
  '-a.example',
  'a..example',
  '.example',
  'example..',
  '{{host}}',
  '{{host}}.example',
  '$host',
  '*.example',
  'a,b',
  'a b',
  'xn--',
  'xn--.xn--ls8h.la',
  'xn--zz--zz.example',
  '10.0.0',
  '10.0.0.256',
  '[2001:db8::]x',
  `${'a'.repeat(64)}.example`,
  Array.from({ length: 60 }, () => 'abcd').join('.'),
])('%j can be no host', (host) => {
  expect(isHost(host)).toBe(false);
});

test.each(['https://{{host}}', 'https://.', 'https://-', 'https://xn--', 'https://*.example'])(
  'no page has the origin %s',
  (origin) => {
    const widget = { name: 'Shop', AgentKeyID: '5b0c7f0e-6d55-4a86-9f3c-1f8f6f0c2a11' };
    const isTaken = (allowed: string) => saveWidget.request.safeParse({ ...widget, allowedOrigins: [allowed] }).success;
    expect([isTaken('https://shop.example:8443'), isTaken(origin)]).toEqual([true, false]);
  },
);
