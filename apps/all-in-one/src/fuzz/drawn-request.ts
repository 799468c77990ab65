import fc from 'fast-check';
import type { Operation } from './api-description';
import { hostileText, wound, wounded } from './hostile-values';
import { isIdName, knownId, type SchemaValues } from './schema-values';

/** Who asks. */
const credentials = ['owner', 'viewer', 'mobile', 'agent', 'speech', 'revoked', 'mistyped', 'garbage', 'none'] as const;
export type Credential = (typeof credentials)[number];

/** What is done to the text of a request after everything else. */
const textWounds = [
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
export type TextWound = (typeof textWounds)[number];

/** A request as it was drawn: ids are still names of what will exist. */
export interface DrawnRequest {
  readonly operation: Operation;
  readonly method: string;
  readonly credential: Credential;
  readonly parameters: unknown;
  /** Names that are sent twice, and things that no parameter is called. */
  readonly extraQuery: string;
  readonly body?: { readonly type: string; readonly value: unknown };
  readonly contentType?: string;
  readonly textWound: TextWound;
  readonly headers: Readonly<Record<string, string>>;
}

/** These reach servers of other people. They are asked for a provider that there is not, by everybody. */
const outward: Readonly<Record<string, object>> = {
  testProviderKey: { providerID: 999_999 },
  setProviderKey: { providerID: 999_999 },
};

/** Only a member who sells with a telephone may. */
const ofTheDevice: readonly string[] = ['bindImei', 'logSalesCall'];

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

/** Draws requests of every operation. */
export function drawnRequests(operations: readonly Operation[], values: SchemaValues): fc.Arbitrary<DrawnRequest> {
  return fc.oneof(...operations.map((operation) => requestsOf(operation, values)));
}

function requestsOf(operation: Operation, values: SchemaValues): fc.Arbitrary<DrawnRequest> {
  const parameters = Object.fromEntries(operation.parameters.map(({ name, schema }) => [name, values.of(schema, name)]));
  const bodies = Object.entries(operation.bodies).map(([type, { schema, examples }]) => {
    const drawn = [...Object.values(examples).map(({ value }) => likeExample(value)), values.of(schema)];
    return fc.record({ type: fc.constant(type), value: hurt(fc.oneof(...drawn)).map((value) => safe(operation, value)) });
  });
  return fc.record(
    {
      operation: fc.constant(operation),
      method: mostly(operation.method, 'GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS'),
      credential: fc.oneof(
        { weight: 1, arbitrary: fc.constantFrom(...credentials) },
        { weight: 3, arbitrary: fc.constantFrom(...welcome(operation)) },
      ),
      parameters: hurt(fc.record(parameters, { noNullPrototype: true })),
      extraQuery,
      ...(bodies.length > 0 && {
        body: fc.oneof(...bodies),
        contentType: mostly<string | undefined>(undefined, ...contentTypes),
      }),
      textWound: mostly<TextWound>(...textWounds),
      headers,
    },
    { noNullPrototype: true },
  );
}

/** Who may ask this with success. */
function welcome({ id, keys }: Operation): Credential[] {
  if (ofTheDevice.includes(id)) return ['mobile'];
  const kinds: Readonly<Record<string, Credential>> = { wsk: 'owner', agt: 'agent', ext: 'speech' };
  const found = keys.flatMap((kind) => kinds[kind] ?? []);
  return found.length > 0 ? found : ['none'];
}

/** Half of what is drawn stays whole. */
function hurt(whole: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const wounds = fc.oneof(
    { weight: 1, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.array(wound, { minLength: 1, maxLength: 2 }) },
  );
  return fc.tuple(whole, wounds).map(([value, all]) => all.reduce(wounded, value));
}

/** The example with ids of records that exist in place of its own. */
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
  const fixed = outward[id];
  return fixed && typeof value === 'object' && value !== null ? { ...value, ...fixed } : value;
}
