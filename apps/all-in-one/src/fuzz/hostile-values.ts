import fc from 'fast-check';

const deep = (levels: number): unknown => Array.from({ length: levels }).reduce<unknown>((inner) => [inner], 1);

/** Text that has broken other people's platforms. */
export const hostileText: readonly string[] = [
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  '\ud800',
  'x\udfff',
  '\u202eabc',
  '\ufeff',
  '\uffff',
  '🏳️‍🌈',
  'की'.repeat(20),
  'Z̸̢͖a̷͕l̶g̴o̷',
  '\r\nX-Injected: 1',
  "'; DROP TABLE agents; --",
  "' OR '1'='1",
  '%',
  '_',
  '\\',
  '$1',
  '<script>alert(1)</script>',
  '{{constructor}}',
  '${7*7}',
  '%s%n',
  '../../etc/passwd',
  '=HYPERLINK("http://h.example")',
  'null',
  'undefined',
  'NaN',
  'true',
  '0',
  '-1',
  '1e400',
  '0x10',
  '9'.repeat(30),
  'a'.repeat(300),
  'é'.repeat(9000),
  '0000-00-00',
  '9999-12-31',
  '2026-02-30',
  '-271821-04-20',
  '2026-11-21T25:61:61Z',
  '0001-01-01T00:00:00+14:00',
  '24:00',
  '__proto__',
  'constructor',
  '00000000-0000-0000-0000-000000000000',
  'FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF',
  'http://[::1]:1/',
  'javascript:alert(1)',
  'a@b',
  'ä@ö.example',
];

/** Values of every type that fit no field, or only just. */
const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(...hostileText),
  fc.constantFrom<unknown>(
    null,
    true,
    false,
    0,
    -0,
    -1,
    1.5,
    2 ** 31 - 1,
    2 ** 31,
    -(2 ** 31) - 1,
    2 ** 53,
    -(2 ** 63),
    1e308,
    5e-324,
    [],
    {},
    [[]],
    [null],
    [{}],
    { id: 1 },
    deep(50),
    Array.from({ length: 2000 }, () => 0),
    { $ne: null },
    { length: 1e9 },
  ),
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.jsonValue({ maxDepth: 2 }),
);

/** One thing done to a value: where, and with what. */
type Wound = readonly [at: number, how: 'replace' | 'drop' | 'grow', what: unknown];

export const wound: fc.Arbitrary<Wound> = fc.tuple(
  fc.nat(1000),
  fc.constantFrom('replace', 'replace', 'drop', 'grow'),
  hostileValue,
);

type Parent = Record<string, unknown>;

/** The value with one of its parts replaced, dropped or given company. */
export function wounded(value: unknown, [at, how, what]: Wound): unknown {
  const copy: unknown = structuredCloneOfTree(value);
  const places = placesIn(copy);
  const place = places[at % Math.max(1, places.length)];
  if (!place) return how === 'grow' ? { unexpected: what } : what;
  const [parent, name] = place;
  if (how === 'replace') parent[name] = what;
  else if (how === 'grow') parent[`${name}2`] = what;
  else delete parent[name];
  return copy;
}

/** Every field of every object and list within. */
function placesIn(value: unknown): [Parent, string][] {
  if (!isTree(value)) return [];
  return Object.entries(value).flatMap(([name, each]): [Parent, string][] => [[value, name], ...placesIn(each)]);
}

// Lists are trees, too; the instances of classes stand for something and are leaves.
function isTree(value: unknown): value is Parent {
  return (
    Array.isArray(value) || (typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype)
  );
}

function structuredCloneOfTree(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(structuredCloneOfTree);
  if (!isTree(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, structuredCloneOfTree(each)]));
}
