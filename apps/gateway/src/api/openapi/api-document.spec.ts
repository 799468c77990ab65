import { Validator } from '@seriousme/openapi-schema-validator';
import { faultCodes } from '@parley/contracts';
import Ajv2020 from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { z } from 'zod';
import { publicRoutes, type RouteTable } from '../routes/route-table';
import { sampleTable } from '../../testing/running-gateway';
import { ApiDocument, openApiJson } from './api-document';

const Media = z.object({ schema: z.unknown().optional(), examples: z.record(z.string(), z.unknown()).optional() });
const Reference = z.object({ $ref: z.string() });
const Response = z.union([z.object({ $ref: z.string() }), z.object({ content: z.record(z.string(), Media).default({}) })]);
const Operation = z.object({
  operationId: z.string(),
  summary: z.string(),
  tags: z.array(z.string()),
  parameters: z
    .array(
      z.union([
        z.object({ $ref: z.string() }),
        z.object({ name: z.string(), in: z.string(), schema: z.unknown(), example: z.unknown().optional() }),
      ]),
    )
    .default([])
    .transform((all) => all.flatMap((each) => ('$ref' in each ? [] : [each]))),
  requestBody: z.object({ content: z.record(z.string(), Media) }).optional(),
  responses: z.record(z.string(), Response),
});
const Document = z.object({
  paths: z.record(z.string(), z.record(z.string(), Operation)),
  components: z.object({ schemas: z.record(z.string(), z.unknown()), responses: z.record(z.string(), z.unknown()) }),
});

const Schema = z.object({
  enum: z.array(z.unknown()).optional(),
  properties: z.record(z.string(), z.unknown()).default({}),
  items: z.unknown().optional(),
  additionalProperties: z.unknown().optional(),
  anyOf: z.array(z.unknown()).default([]),
  oneOf: z.array(z.unknown()).default([]),
  allOf: z.array(z.unknown()).default([]),
});

/** The classes that generators make of a schema and what is written within it, by the names that they derive for them. */
function namesWithin(schema: unknown, name: string): [name: string, schema: unknown][] {
  const { data } = Schema.safeParse(schema);
  if (!data) return [];
  const isClass = data.enum !== undefined || Object.keys(data.properties).length > 0;
  const parts: [string, unknown][] = [
    ...Object.entries(data.properties).map(([field, inner]): [string, unknown] => [`${name} ${field}`, inner]),
    [`${name} item`, data.items],
    [`${name} additional property`, data.additionalProperties],
    ...[...data.anyOf, ...data.oneOf].map((inner, place): [string, unknown] => [`${name} type ${place}`, inner]),
    ...data.allOf.map((inner): [string, unknown] => [name, inner]),
  ];
  return [
    ...(isClass ? [[name, schema] satisfies [string, unknown]] : []),
    ...parts.flatMap(([part, inner]) => namesWithin(inner, part)),
  ];
}

/** What two classes of one name must have in common: an enum’s values, or otherwise everything. */
function valuesOf(schema: unknown): string {
  const { data } = Schema.safeParse(schema);
  return JSON.stringify(data?.enum ?? schema);
}

describe.each<[string, RouteTable]>([
  ['sample', sampleTable],
  ['public', publicRoutes],
])('the document of the %s routes', (_name, table) => {
  const json = openApiJson(table);
  const document = Document.parse(JSON.parse(json));
  const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));

  test('is valid OpenAPI 3.1', async () => {
    const validator = new Validator();
    expect(await validator.validate(JSON.parse(json))).toEqual({ valid: true });
    expect(validator.version).toBe('3.1');
  });

  test('demands no field of a body that has a default', () => {
    const Shape = z.object({
      required: z.array(z.string()).default([]),
      properties: z.record(z.string(), z.object({ default: z.unknown() })).default({}),
    });
    const demanded = (schema: unknown, seen: Set<unknown>): string[] => {
      if (typeof schema !== 'object' || schema === null || seen.has(schema)) return [];
      seen.add(schema);
      const { required, properties } = Shape.safeParse(schema).data ?? { required: [], properties: {} };
      const own = required.filter((field) => properties[field] && 'default' in properties[field]);
      const name = Reference.safeParse(schema).data?.$ref.split('/').at(-1);
      const named = name === undefined ? undefined : document.components.schemas[name];
      return [...own, ...[named, ...Object.values(schema)].flatMap((inner) => demanded(inner, seen))];
    };
    const bodies = operations.flatMap(({ requestBody }) => Object.values(requestBody?.content ?? {}));
    expect(bodies.length).toBeGreaterThan(0);
    expect(bodies.flatMap(({ schema }) => demanded(schema, new Set()))).toEqual([]);
    // Answers have the fields that requests may leave out: what is demanded there is seen.
    const answers = operations.flatMap(({ responses }) => Object.values(responses));
    if (table === publicRoutes) expect(answers.flatMap((answer) => demanded(answer, new Set())).length).toBeGreaterThan(0);
  });

  test('gives generators of clients no name twice: not for a schema and a field, nor for two fields', () => {
    const { schemas } = document.components;
    const bodies = operations.flatMap(({ operationId, parameters, requestBody }) => [
      ...parameters.map(({ name, schema }) => namesWithin(schema, `${operationId} ${name}`)),
      ...Object.entries(requestBody?.content ?? {}).map(([mediaType, { schema }]) =>
        namesWithin(schema, `${operationId} ${mediaType} body`),
      ),
    ]);
    const inner = Object.entries(schemas).flatMap(([name, schema]) => namesWithin(schema, name).slice(1));
    const meant = Map.groupBy([...Object.entries(schemas), ...inner, ...bodies.flat()], ([name]) =>
      name.replaceAll(/[^a-z0-9]/gi, '').toLowerCase(),
    );
    const twice = [...meant]
      .filter(([, all]) => new Set(all.map(([, schema]) => valuesOf(schema))).size > 1)
      .map(([name]) => name);
    expect(twice).toEqual([]);
    if (table === publicRoutes) expect(inner.length).toBeGreaterThan(50);
  });

  test('asks for nothing in a body that is already in the path', () => {
    const bodies = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.values(methods).flatMap(({ requestBody }) =>
        Object.values(requestBody?.content ?? {}).map(({ schema, examples = {} }) => ({
          path,
          said: JSON.stringify([schema, examples]),
        })),
      ),
    );
    const named = bodies.flatMap(({ path, said }) =>
      [...path.matchAll(/\{(\w+)\}/g)].flatMap(([, name = '']) => (said.includes(`"${name}"`) ? [`${path} ${name}`] : [])),
    );
    expect(named).toEqual([]);
  });

  test('says for every path which keys it accepts, and what a wrong method gets', () => {
    const { paths, components } = JSON.parse(json);
    const operations = Object.values<Record<string, { security: object[]; 'x-keys': unknown }>>(paths).flatMap((methods) =>
      Object.values(methods),
    );
    for (const { security, 'x-keys': keys } of operations) {
      const isByKey = security.some((way) => 'apiKey' in way);
      if (Array.isArray(keys)) expect(isByKey).toBe(keys.length > 0);
      for (const name of security.flatMap((way) => Object.keys(way))) expect(components.securitySchemes).toHaveProperty(name);
    }
    expect(components.responses['405.METHOD_NOT_ALLOWED']).toMatchObject({ headers: { Allow: {} } });
  });

  test('has every route', () => {
    const listed = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const expected = [...table.rows, ...table.handWritten].map(({ method, path }) => {
      return `${method === 'WS' ? 'GET' : method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`;
    });
    expect(listed.sort()).toEqual(expected.sort());
  });

  test('gives every operation a unique id, a summary and a tag', () => {
    expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length);
    for (const { operationId, summary, tags } of operations) {
      expect(operationId).toMatch(/^[a-z][A-Za-z0-9]+$/);
      expect(summary).not.toBe('');
      expect(tags).toHaveLength(1);
    }
  });

  test('shows examples that match their schemas', () => {
    const ajv = new Ajv2020({ strict: false });
    addFormats(ajv);
    ajv.addSchema({ $id: 'api:', components: document.components });
    const medias = operations.flatMap(({ requestBody, responses }) => [
      ...Object.values(requestBody?.content ?? {}),
      ...Object.values(responses).flatMap((response) => ('content' in response ? Object.values(response.content) : [])),
    ]);
    const complaints: unknown[] = [];
    for (const { schema, examples = {} } of medias) {
      if (schema === undefined) continue;
      const validate = ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"api:#/')));
      for (const [, example] of Object.entries(examples)) {
        const { value } = z.object({ value: z.unknown() }).parse(example);
        if (!validate(value)) complaints.push({ value, errors: validate.errors });
      }
    }
    expect(medias.length).toBeGreaterThan(table.rows.length);
    expect(complaints).toEqual([]);
  });

  test('lists the errors of every operation', () => {
    for (const { responses } of operations)
      expect(Object.keys(responses)).toEqual(expect.arrayContaining(['400', '429', '500', '503', '504']));
  });
});

test('declares and describes every header of an answer', () => {
  const Done = z.object({ headers: z.record(z.string(), z.object({ $ref: z.string() })) });
  const Declared = z.object({ description: z.string().min(1), schema: z.record(z.string(), z.unknown()) });
  const { paths, components } = z
    .object({
      paths: z.record(
        z.string(),
        z.record(z.string(), z.object({ operationId: z.string(), responses: z.object({ 200: Done.optional() }) })),
      ),
      components: z.object({ headers: z.record(z.string(), Declared) }),
    })
    .parse(JSON.parse(openApiJson(publicRoutes)));
  const done = new Map(
    Object.values(paths).flatMap((methods) =>
      Object.values(methods).flatMap(({ operationId, responses }) =>
        responses[200] ? [[operationId, responses[200].headers]] : [],
      ),
    ),
  );
  expect(done.size).toBeGreaterThan(100);
  const limits = ['', '-Policy', '-Limit', '-Remaining', '-Reset'].map((part) => `RateLimit${part}`);
  for (const headers of done.values()) {
    expect(Object.keys(headers)).toEqual(expect.arrayContaining(['X-Request-ID', ...limits]));
    for (const { $ref } of Object.values(headers)) expect(components.headers).toHaveProperty([$ref.split('/').at(-1) ?? '']);
  }
  expect(Object.keys(done.get('chat') ?? {})).toEqual(
    expect.arrayContaining(['X-Session-UUID', 'X-Answer-Text', 'X-Answer-Text-Cut', 'Idempotent-Replayed']),
  );
});

test('lists every code of the catalogue', () => {
  const json = openApiJson(sampleTable);
  for (const code of faultCodes) expect(json).toContain(`"${code}":{"value"`);
});

test('lists the carriers once, and refers to the list wherever there is a carrier', () => {
  const { components } = Document.parse(JSON.parse(openApiJson(publicRoutes)));
  expect(components.schemas.CarrierName).toMatchObject({ type: 'string', enum: expect.arrayContaining(['twilio', 'sip']) });
  expect(components.schemas.CarrierName).not.toHaveProperty('pattern');
  const fields = Object.values(components.schemas).map((schema) => Schema.safeParse(schema).data?.properties.carrier);
  const named = fields.filter((field) => field !== undefined);
  expect(named.length).toBeGreaterThan(4);
  expect(named.filter((field) => Reference.safeParse(field).data?.$ref !== '#/components/schemas/CarrierName')).toEqual([]);
});

test('names every shape once', () => {
  const Named = z.object({ size: z.int().default(1) }).meta({ id: 'Named' });
  const row = sampleTable.rows[0];
  if (!row) throw new Error('no sample row');
  const both = { ...row, contract: { ...row.contract, request: Named, reply: Named } };
  const { components } = Document.parse(JSON.parse(openApiJson({ rows: [both], handWritten: [] })));
  expect(components.schemas).toMatchObject({
    Named: { properties: { size: { default: 1 } } },
    NamedOutput: { required: ['statusCode', 'size'] },
  });
});

interface Media {
  readonly schema?: { readonly $ref?: string };
  readonly 'x-event-data'?: { readonly anyOf?: object[] };
}

interface Operation {
  readonly parameters?: readonly { readonly $ref?: string; readonly name?: string }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> };
  readonly responses: Readonly<Record<string, { readonly headers?: object; readonly content?: Readonly<Record<string, Media>> }>>;
}

describe('the document’s other promises', () => {
  const document: Record<string, never> = JSON.parse(openApiJson(publicRoutes));
  const operations = Object.entries((document as object as { paths: Record<string, Record<string, object>> }).paths).flatMap(
    ([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ path, method, operation: operation as Operation })),
  );

  test('names the headers of requests and responses', () => {
    for (const { method, operation } of operations) {
      const refs = (operation.parameters ?? []).flatMap(({ $ref }) => $ref ?? []);
      expect(refs).toContain('#/components/parameters/RequestId');
      expect(refs.includes('#/components/parameters/IdempotencyKey')).toBe(method === 'post');
      if (operation.responses[200]) expect(operation.responses[200].headers).toMatchObject({ RateLimit: {}, 'X-Request-ID': {} });
    }
  });

  test('gives every response a schema, including bytes and events', () => {
    const contents = operations.flatMap(({ operation }) => Object.entries(operation.responses[200]?.content ?? {}));
    expect(contents.length).toBeGreaterThan(80);
    for (const [type, { schema }] of contents) expect([type, schema]).toEqual([type, expect.any(Object)]);
  });

  test('says that an event stream may end with an error', () => {
    const { operation } = operations.find(({ path }) => path === '/api/v1/external/chat') ?? {};
    const { anyOf } = operation?.responses[200]?.content?.['text/event-stream']?.['x-event-data'] ?? {};
    expect(anyOf).toContainEqual({ $ref: '#/components/schemas/ChatDoneEvent' });
    expect(anyOf).toContainEqual({ $ref: '#/components/schemas/ErrorBody' });
  });

  test('says whose request id a replayed response carries', () => {
    interface Components {
      schemas: { ErrorBody: { properties: { requestId: { description: string } } } };
      headers: { IdempotentReplayed: { description: string } };
    }
    const { schemas, headers } = (document as object as { components: Components }).components;
    expect(schemas.ErrorBody.properties.requestId.description).toContain('first request');
    expect(headers.IdempotentReplayed.description).toContain('first request');
  });

  test.each([
    ['/ws/sts', ['token']],
    ['/ws/widgetchat', ['token', 'widget']],
    ['/ws/transcribe', ['token']],
  ])('says what credentials %s accepts', (path, names) => {
    const { operation } = operations.find((each) => each.path === path) ?? {};
    expect(operation?.parameters?.flatMap(({ name }) => name ?? [])).toEqual(names);
  });

  test.each(['/api/v1/ttt', '/api/v1/external/chat'])('says that %s may name its agent in the query', (path) => {
    const { operation } = operations.find((each) => each.path === path) ?? {};
    expect(operation?.parameters).toContainEqual(
      expect.objectContaining({ name: 'AgentKeyID', in: 'query', required: false, schema: { type: 'string', format: 'uuid' } }),
    );
  });

  test('limits spoken text as the service counts it', () => {
    const { operation } = operations.find(({ path }) => path === '/api/v1/tts/external') ?? {};
    const { $ref = '' } = operation?.requestBody?.content['application/json']?.schema ?? {};
    const schemas: Record<string, object> = (document as object as { components: { schemas: Record<string, object> } }).components
      .schemas;
    expect(schemas[$ref.split('/').at(-1) ?? '']).toMatchObject({ properties: { text: { maxLength: 5_000 } } });
  });
});

describe('the document that a gateway serves', () => {
  it('is made for whoever asks first, while others get their turn', async () => {
    const document = new ApiDocument(publicRoutes);
    let turns = 0;
    let next = setImmediate(function others() {
      turns += 1;
      next = setImmediate(others);
    });
    const [first, second] = await Promise.all([document.json(), document.json()]);
    clearImmediate(next);
    expect(first).toBe(openApiJson(publicRoutes));
    expect(second).toBe(first);
    expect(turns).toBeGreaterThan(publicRoutes.rows.length / 2);
  });
});
