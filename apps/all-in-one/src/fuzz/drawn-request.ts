import fc from 'fast-check';
import type { Operation } from './api-description';
import { isIdName, knownId, type SchemaValues } from './schema-values';

const deep = (levels: number): unknown => Array.from({ length: levels }).reduce<unknown>((inner) => [inner], 1);

/** Text known to break software. */
const hostileText: readonly string[] = [
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

/** Values of every type that suit no field, or barely do. */
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

/** One change to a value: where, how, and with what. */
type Defect = readonly [at: number, how: 'replace' | 'drop' | 'grow', what: unknown];

const defect: fc.Arbitrary<Defect> = fc.tuple(fc.nat(1000), fc.constantFrom('replace', 'replace', 'drop', 'grow'), hostileValue);

type Parent = Record<string, unknown>;

/** The value with one of its parts replaced, removed or extended. */
function withDefect(value: unknown, [at, how, what]: Defect): unknown {
  const copy: unknown = structuredCloneOfTree(value);
  const places = placesIn(copy);
  const place = places[at % Math.max(1, places.length)];
  if (!place) return how === 'grow' ? { unexpected: what } : what;
  const [parent, name] = place;
  if (how === 'replace') parent[name] = what;
  else if (how === 'grow') parent[`${name}2`] = what;
  else Reflect.deleteProperty(parent, name);
  return copy;
}

/** Every field of every object and list in the value. */
function placesIn(value: unknown): [Parent, string][] {
  if (!isTree(value)) return [];
  return Object.entries(value).flatMap(([name, each]): [Parent, string][] => [[value, name], ...placesIn(each)]);
}

// Lists count as trees; class instances are placeholders, and leaves.
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

/** The credentials a request may carry. */
const credentials = ['owner', 'viewer', 'mobile', 'agent', 'speech', 'revoked', 'mistyped', 'garbage', 'none'] as const;
export type Credential = (typeof credentials)[number];

/** Mutations of the serialized body, applied last. */
const textDefects = [
  'none',
  'cut',
  'deep',
  'huge number',
  'poisoned',
  'twice',
  'bytes',
  'empty',
  'null',
  'list',
  'too large',
] as const;
export type TextDefect = (typeof textDefects)[number];

/** A request as generated: ids are placeholders for records that exist when it is sent. */
export interface DrawnRequest {
  readonly operation: Operation;
  readonly method: string;
  readonly credential: Credential;
  readonly parameters: unknown;
  /** Repeated parameters, and names that are no parameter. */
  readonly extraQuery: string;
  readonly body?: { readonly type: string; readonly value: unknown };
  readonly contentType?: string;
  readonly textDefect: TextDefect;
  readonly headers: Readonly<Record<string, string>>;
}

/** These call third-party servers, so every request names a provider that does not exist. */
const callsThirdParty: Readonly<Record<string, object>> = {
  testProviderKey: { providerID: 999_999 },
  setProviderKey: { providerID: 999_999 },
};

/** Only sales members with the mobile app may call these. */
const mobileOnly: readonly string[] = ['bindImei', 'logSalesCall'];

const mostly = <T>(usual: T, ...others: T[]): fc.Arbitrary<T> =>
  fc.oneof({ weight: 12, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: fc.constantFrom(...others) });

const latin = hostileText.filter((text) => /^[\t\x20-\x7e\x80-\xff]*$/.test(text));
const oddHeaders: Readonly<Record<string, readonly string[]>> = {
  'idempotency-key': ['again', 'again-2', 'k'.repeat(255), 'k'.repeat(256), ''],
  'x-request-id': ['mine', 'x'.repeat(500)],
  traceparent: ['00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', '00-0-0-00'],
  accept: ['text/html', 'application/xml;q=0.9', '*/*;q=nonsense'],
  'accept-encoding': ['br;q=1.0, gzip', 'nonsense'],
  range: ['bytes=0-1', 'bytes=99999-'],
  'if-none-match': ['*', '"x"'],
  'x-forwarded-for': ['127.0.0.1', "1.1.1.1, '"],
  'x-device-imei': ['490154203237518', '1'],
  origin: ['https://fuzz.example', 'null'],
  cookie: ['a=b; a=c'],
};
const oddHeader = fc
  .constantFrom(...Object.keys(oddHeaders))
  .chain((name) => fc.tuple(fc.constant(name), fc.constantFrom(...(oddHeaders[name] ?? []), ...latin.slice(0, 20))));
const headers = fc.array(oddHeader, { maxLength: 2 }).map((pairs): Record<string, string> => Object.fromEntries(pairs));
const extraQuery = mostly(
  '',
  'pageNo=1&pageNo=2',
  'a[]=1&a[b]=2',
  '__proto__=1',
  '%00=%00',
  'x=%E0%A4%A',
  '=',
  '&&&',
  `q=${'z'.repeat(3000)}`,
);
const contentTypes = [
  'text/plain',
  'application/json; charset=utf-16',
  'application/xml',
  'multipart/form-data',
  'application/x-www-form-urlencoded',
  '',
];

/** Generates requests for every operation. */
export function drawnRequests(operations: readonly Operation[], values: SchemaValues): fc.Arbitrary<DrawnRequest> {
  return fc.oneof(...operations.map((operation) => requestsOf(operation, values)));
}

function requestsOf(operation: Operation, values: SchemaValues): fc.Arbitrary<DrawnRequest> {
  const parameters = Object.fromEntries(
    operation.parameters.map(({ name, schema, example }) => [
      name,
      example === undefined ? values.of(schema, name) : fc.oneof(likeExample(example, name), values.of(schema, name)),
    ]),
  );
  const bodies = Object.entries(operation.bodies).map(([type, { schema, examples }]) => {
    const drawn = [...Object.values(examples).map(({ value }) => likeExample(value)), values.of(schema)];
    return fc.record({ type: fc.constant(type), value: withDefects(fc.oneof(...drawn)).map((value) => safe(operation, value)) });
  });
  return fc.record(
    {
      operation: fc.constant(operation),
      method: mostly(operation.method, 'GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS'),
      credential: fc.oneof(
        { weight: 1, arbitrary: fc.constantFrom(...credentials) },
        { weight: 3, arbitrary: fc.constantFrom(...welcome(operation)) },
      ),
      parameters: withDefects(fc.record(parameters, { noNullPrototype: true })),
      extraQuery,
      ...(bodies.length > 0 && {
        body: fc.oneof(...bodies),
        contentType: mostly<string | undefined>(undefined, ...contentTypes),
      }),
      textDefect: mostly<TextDefect>(...textDefects),
      headers,
    },
    { noNullPrototype: true },
  );
}

/** The credentials that this operation accepts. */
function welcome({ id, keys }: Operation): Credential[] {
  if (mobileOnly.includes(id)) return ['mobile'];
  const kinds: Readonly<Record<string, Credential>> = { wsk: 'owner', agt: 'agent', ext: 'speech' };
  const found = keys.flatMap((kind) => kinds[kind] ?? []);
  return found.length > 0 ? found : ['none'];
}

/** Changes half of the generated values. */
function withDefects(whole: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const defects = fc.oneof(
    { weight: 1, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.array(defect, { minLength: 1, maxLength: 2 }) },
  );
  return fc.tuple(whole, defects).map(([value, all]) => all.reduce(withDefect, value));
}

/** The example, with ids of existing records in place of its own. */
function likeExample(value: unknown, name = ''): fc.Arbitrary<unknown> {
  if (Array.isArray(value)) return fc.tuple(...value.map((each) => likeExample(each, name)));
  if (typeof value === 'object' && value !== null) {
    return fc.record(Object.fromEntries(Object.entries(value).map(([field, each]) => [field, likeExample(each, field)])), {
      noNullPrototype: true,
    });
  }
  const isNew = value === null || value === 0 || value === '';
  return isIdName(name) && !isNew ? knownId(name, fc.constant(value)) : fc.constant(value);
}

function safe({ id }: Operation, value: unknown): unknown {
  const fixed = callsThirdParty[id];
  return fixed && typeof value === 'object' && value !== null ? { ...value, ...fixed } : value;
}
