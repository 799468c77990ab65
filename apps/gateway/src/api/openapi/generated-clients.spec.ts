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

test('no union hides a string from generators of clients', () => {
  const unions = nodesOf(api).flatMap(({ place, part: { anyOf, oneOf } }) =>
    [anyOf, oneOf].flatMap((options) => (Array.isArray(options) ? [{ place, options: options.map(recordOf) }] : [])),
  );
  const isFixed = (option: Record<string, unknown>) => 'const' in option || 'enum' in option;
  const odd = unions.filter(({ options }) => {
    const strings = options.filter(({ type }) => type === 'string');
    const isMixed = strings.length > 1 && strings.some(isFixed);
    return isMixed || options.some((option) => 'anyOf' in option || Object.keys(option).join() === 'required');
  });
  expect(unions.length).toBeGreaterThan(100);
  expect(odd.map(({ place }) => place)).toEqual([]);
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

test('a default has every field of its object, and no object is open that has a field of the name for what is open', () => {
  const Group = z.object({ text: z.string().default(''), count: z.int().default(3) }).prefault({});
  const JsonShape = z.strictObject({ type: z.string(), additionalProperties: z.literal(false).optional() });
  const shown = new NamedSchemas().schemaOf(
    z.object({ group: Group, shape: JsonShape, list: z.array(z.int()).default([]) }),
    'input',
  );
  expect(shown.properties).toMatchObject({
    group: { default: { text: '', count: 3 } },
    shape: { additionalProperties: false },
    list: { default: [] },
  });
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

const root = path.join(__dirname, '../../../../..');
// Without the optional programs the test is skipped, and its title names what is missing.
const withGenerators = existsSync(path.join(root, '.cache/clients/node_modules/.bin/orval')) ? test : test.skip;

withGenerators('generators make clients of it that compile strictly, as `npm run verify -- clients` installs them', async () => {
  const server = createServer((_request, response) => response.end(JSON.stringify(api))).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const words = [path.join(root, 'tools/verify.mjs'), 'clients', `--at=http://127.0.0.1:${port}`];
  const command = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'pipe'] });
  const [[code], out, failure] = await Promise.all([once(command, 'close'), text(command.stdout), text(command.stderr)]);
  server.close();
  expect([code, failure]).toEqual([0, '']);
  expect(out).toContain('compile strictly');
});
