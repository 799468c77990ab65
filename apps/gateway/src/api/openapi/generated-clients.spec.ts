import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { recordOf } from '@parley/testing';
import Ajv2020 from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { z } from 'zod';
import { socketLimits } from '../../live/sockets/relay';
import { sampleTable } from '../../testing/running-gateway';
import { publicRoutes } from '../routes/route-table';
import { openApiJson } from './api-document';
import { NamedSchemas } from './named-schemas';
import { SocketDocument } from './socket-document';

/** A part of a document that is no example. */
interface Node {
  readonly place: string;
  readonly part: Record<string, unknown>;
}

function nodesOf(part: unknown, place = ''): Node[] {
  if (typeof part !== 'object' || part === null) return [];
  const inner = Object.entries(part).filter(([key]) => key !== 'example' && key !== 'examples');
  const own = Array.isArray(part) ? [] : [{ place, part: recordOf(part) }];
  return [...own, ...inner.flatMap(([key, value]) => nodesOf(value, `${place}/${key}`))];
}

/** What a reference means, or the value itself. */
function target(document: object, part: unknown): unknown {
  const { $ref } = recordOf(part);
  if (typeof $ref !== 'string') return part;
  const steps = $ref.slice(2).split('/');
  return steps.reduce<unknown>((found, step) => recordOf(found)[step], document);
}

interface Shown {
  readonly place: string;
  readonly schema: object;
  readonly value: unknown;
}

/** Every example: of parameters, bodies and answers, of errors, and those within schemas. */
function examplesIn(document: object): Shown[] {
  return nodesOf(document).flatMap(({ place, part }): Shown[] => {
    const { schema, example, examples } = part;
    const listed =
      Array.isArray(examples) && !('payload' in part) ? examples.map((value: unknown) => ({ place, schema: part, value })) : [];
    if (typeof schema !== 'object' || schema === null) return listed;
    const single = example === undefined ? [] : [{ place, schema, value: example }];
    const named = Object.values(recordOf(examples ?? {})).map((each) => recordOf(target(document, each)).value);
    return [...single, ...named.map((value) => ({ place, schema, value }))];
  });
}

const api: { paths: object; components: Record<string, object> } = JSON.parse(openApiJson(publicRoutes));
const sample: typeof api = JSON.parse(openApiJson(sampleTable));
const sockets: typeof api = JSON.parse(new SocketDocument('ws://127.0.0.1:1', socketLimits).json);

test.each([
  ['OpenAPI', api, 600],
  ['sample', sample, 20],
  ['AsyncAPI', sockets, 0],
])('every example of the %s document fits its schema', (_name, document, atLeast) => {
  const ajv = new Ajv2020({ strict: false });
  addFormats(ajv);
  ajv.addSchema({ $id: 'api:', components: document.components });
  const checks = new Map<string, ReturnType<typeof ajv.compile>>();
  const shown = examplesIn(document);
  const complaints = shown.flatMap(({ place, schema, value }) => {
    const { examples: _, ...rules } = recordOf(schema);
    const text = JSON.stringify(rules).replaceAll('"#/', '"api:#/');
    const validate = checks.get(text) ?? ajv.compile(JSON.parse(text));
    checks.set(text, validate);
    return validate(value) ? [] : [`${place}: ${ajv.errorsText(validate.errors)}`];
  });
  expect(shown.length).toBeGreaterThanOrEqual(atLeast);
  expect(complaints).toEqual([]);
});

test('every named schema is used', () => {
  const used = new Set<string>();
  const visit = (part: unknown): void => {
    for (const [, name = ''] of JSON.stringify(part).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
      if (used.has(name)) continue;
      used.add(name);
      visit(recordOf(api.components.schemas ?? {})[name]);
    }
  };
  visit([api.paths, api.components.responses]);
  expect(used.size).toBeGreaterThan(150);
  expect(Object.keys(api.components.schemas ?? {}).filter((name) => !used.has(name))).toEqual([]);
});

test('no union hides a string from generators of clients, and no value is only null or a fixed boolean', () => {
  const unions = nodesOf(api).flatMap(({ place, part: { anyOf, oneOf } }) =>
    [anyOf, oneOf].flatMap((options) => (Array.isArray(options) ? [{ place, options: options.map(recordOf) }] : [])),
  );
  const odd = unions.filter(({ options }) => {
    const strings = options.filter(({ type }) => type === 'string');
    return strings.length > 1 || options.some((option) => 'anyOf' in option || Object.keys(option).join() === 'required');
  });
  expect(unions.length).toBeGreaterThan(100);
  expect(odd.map(({ place }) => place)).toEqual([]);
  const values = nodesOf(api).filter(({ place }) => !/\/(anyOf|oneOf|properties)(\/\d+)?$/.test(place));
  const isOdd = ({ type, const: fixed }: Node['part']) => type === 'null' || (type === 'boolean' && fixed !== undefined);
  expect(values.filter(({ part }) => isOdd(part)).map(({ place }) => place)).toEqual([]);
});

test('whole numbers that need more than 32 bits say so', () => {
  const isWide = ({ maximum, enum: listed, const: fixed }: Node['part']): boolean =>
    !listed && fixed === undefined && (typeof maximum !== 'number' || maximum > 2 ** 31 - 1);
  const { ErrorBody: _, ...schemas } = recordOf(api.components.schemas ?? {});
  const wide = nodesOf([api.paths, schemas]).filter(({ part }) => part.type === 'integer' && isWide(part));
  expect(wide.length).toBeGreaterThan(50);
  expect(wide.filter(({ part }) => part.format !== 'int64').map(({ place }) => place)).toEqual([]);
});

test.each([
  ['an id or nothing', z.union([z.literal(''), z.uuid()]), ['', '0d9b1a52-3a0e-4c8e-8f5a-7a2f7f3f4b21'], ['5', 'x']],
  [
    'an address or nothing',
    z.union([z.literal(''), z.email().max(20)]),
    ['', 'a@b.example'],
    ['a', `${'a'.repeat(20)}@b.example`],
  ],
  ['a page or nothing', z.union([z.literal(''), z.url()]), ['', 'https://a.example/'], ['a page']],
  ['a time or nothing', z.union([z.literal(''), z.string().regex(/^\d\d:\d\d$/)]), ['', '09:00'], ['9']],
  ['a short text or nothing', z.union([z.literal(''), z.string().min(1).max(3)]), ['', 'abc'], ['abcd']],
  [
    'a mask or a secret',
    z.union([z.literal('••••'), z.string().min(16).max(20)]),
    ['••••', 'a'.repeat(16)],
    ['short', 'a'.repeat(21)],
  ],
  ['a word or nothing', z.union([z.literal(''), z.enum(['A', 'B'])]), ['', 'A'], ['C']],
  [
    'a date or a date-time',
    z.union([z.iso.date(), z.iso.datetime({ offset: true })]),
    ['2026-03-01', '2026-03-01T09:00:00Z'],
    ['03-01', 'March'],
  ],
  ['an address of either kind', z.union([z.ipv4(), z.ipv6()]), ['203.0.113.7', '2001:db8::7'], ['x', '5']],
  ['a text with a dot, or digits', z.union([z.literal('a.b'), z.string().regex(/^\d+$/)]), ['a.b', '12'], ['a-b', '1a']],
])('%s is one string, which accepts the same', (_what, schema, fitting, others) => {
  for (const each of [schema, schema.nullable()]) {
    const shown = new NamedSchemas().schemaOf(each, 'input');
    const [options] = [shown.anyOf ?? [shown]];
    expect(options.map(({ type }) => type)).toEqual(each === schema ? ['string'] : ['string', 'null']);
    const validate = new Ajv2020({ strict: false }).compile(shown);
    const all = [...fitting, ...others];
    expect(all.filter((value) => validate(value))).toEqual(fitting);
    expect(all.filter((value) => schema.safeParse(value).success)).toEqual(fitting);
  }
});

test('no object is a default, and none is open that has a field of the name for what is open', () => {
  const Group = z.object({ text: z.string().default(''), count: z.int().default(3) }).prefault({});
  const JsonShape = z.strictObject({ type: z.string(), additionalProperties: z.literal(false).optional() });
  const shown = new NamedSchemas().schemaOf(
    z.object({ group: Group, shape: JsonShape, list: z.array(z.int()).default([]) }),
    'input',
  );
  expect(shown.properties).toMatchObject({
    group: { properties: { text: { default: '' }, count: { default: 3 } } },
    shape: { additionalProperties: false },
    list: { default: [] },
  });
  expect(shown.properties?.group).not.toHaveProperty('default');
  expect(shown.required).toEqual(['shape']);
  const clashes = nodesOf(api).filter(({ part }) => {
    const { properties, additionalProperties } = part;
    return (
      typeof properties === 'object' &&
      properties !== null &&
      'additionalProperties' in properties &&
      additionalProperties !== false
    );
  });
  // The list of a schema's own fields is an object with that name too.
  expect(clashes.filter(({ part }) => part.type === 'object').map(({ place }) => place)).toEqual([]);
});

/** What generators call the classes that they make of an operation. */
const ofAnOperation = [
  ...['', 'Request', 'Requests', 'Response', 'Responses', 'Result', 'Reply', 'Body', 'RequestBody', 'Params', 'Args', 'Options'],
  ...['Data', 'Error', 'Errors', 'Opts', 'Query', 'QueryParams', 'PathParams', 'Headers', 'Operation', 'OperationRequest'],
];
/** What they call the classes of a tag. */
const ofATag = ['Api', 'ApiInterface', 'ApiService', 'Service', 'Client', 'Controller'];
/** The classes that every client of some generator has, and names that a language keeps for itself. */
const taken = new Set(
  [
    'Error Exception ApiError ApiException ApiResponse ApiClient ApiKey ApiKeyAuth Configuration Client AuthenticatedClient Server',
    'ServerError ClientError ClientException ServerException Success RequestConfig RequestOptions RequestContext ResponseContext',
    'ResponseError FetchError RequiredError HttpFile HttpMethod HttpBasicAuth OpenApiError GenericOpenApiError BasicAuth Response Request',
    'Pair Json JsonValue StringUtil ServerConfiguration ServerVariable ProgressRequestBody ProgressResponseBody BaseApi BaseModel',
    'Object String Number Boolean Integer Float Double Long Array List Map Set Date File Function Symbol Promise Record Any None Null',
    'Type Enum Class Interface Package Import Default Event Optional Option Result Ok Unset Field Model Void Unit Thread Process',
    'AbstractOpenApiSchema ApiCallback DateTime LocalDate OffsetDateTime Uuid Uri Url Blob Headers Body Buffer Stream Test Module',
  ]
    .join(' ')
    .toLowerCase()
    .split(' '),
);

test('no schema has a name that a generator gives to a class of its own', () => {
  const operations = nodesOf(api.paths).filter(({ part }) => typeof part.operationId === 'string' && Array.isArray(part.tags));
  const names = Object.keys(api.components.schemas ?? {});
  const derived = new Set([
    ...operations.flatMap(({ part }) => ofAnOperation.map((suffix) => String(part.operationId) + suffix)),
    ...operations.flatMap(({ part }) => ofATag.map((suffix) => String(part.tags).replaceAll(' ', '') + suffix)),
    // Tests of a class are called so, in Java in the same package; to Go, a file of that name is a test.
    ...names.map((name) => `${name}Test`),
    ...names.map((name) => `${name}Api`),
  ]);
  const lower = new Set([...derived].map((name) => name.toLowerCase()));
  expect(operations.length).toBeGreaterThan(150);
  const isTaken = (name: string) => taken.has(name.toLowerCase()) || lower.has(name.toLowerCase()) || /Test$/.test(name);
  expect(names.filter(isTaken)).toEqual([]);
  expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(names.length);
});

const root = path.join(__dirname, '../../../../..');
// Without the optional programs the test is skipped, and its title names what is missing.
const withGenerators = existsSync(path.join(root, '.cache/clients/node_modules/.bin/orval')) ? test : test.skip;

withGenerators('generators make clients of it that compile strictly, as `npm run verify -- clients` installs them', async () => {
  const server = createServer((_request, response) => response.end(JSON.stringify(api))).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const words = [path.join(root, 'tools/verify.mjs'), 'clients', `--at=http://127.0.0.1:${port}`, '--only=npm'];
  const command = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'pipe'] });
  const [[code], out, failure] = await Promise.all([once(command, 'close'), text(command.stdout), text(command.stderr)]);
  server.close();
  expect([code, failure]).toEqual([0, '']);
  expect(out).toContain('compile strictly');
});
