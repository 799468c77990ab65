import { Validator } from '@seriousme/openapi-schema-validator';
import { faultCodes } from '@parley/contracts';
import Ajv2020 from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { z } from 'zod';
import { publicRoutes, type RouteTable } from '../routes/route-table';
import { sampleTable } from '../testing/running-gateway';
import { ApiDocument } from './api-document';

const Media = z.object({ schema: z.unknown().optional(), examples: z.record(z.string(), z.unknown()).optional() });
const Response = z.union([z.object({ $ref: z.string() }), z.object({ content: z.record(z.string(), Media).default({}) })]);
const Operation = z.object({
  operationId: z.string(),
  summary: z.string(),
  tags: z.array(z.string()),
  parameters: z
    .array(z.object({ name: z.string(), in: z.string(), schema: z.unknown(), example: z.unknown().optional() }))
    .default([]),
  requestBody: z.object({ content: z.record(z.string(), Media) }).optional(),
  responses: z.record(z.string(), Response),
});
const Document = z.object({
  paths: z.record(z.string(), z.record(z.string(), Operation)),
  components: z.object({ schemas: z.record(z.string(), z.unknown()), responses: z.record(z.string(), z.unknown()) }),
});

describe.each<[string, RouteTable]>([
  ['sample', sampleTable],
  ['public', publicRoutes],
])('the document of the %s routes', (_name, table) => {
  const { json } = new ApiDocument(table);
  const document = Document.parse(JSON.parse(json));
  const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));

  test('is valid OpenAPI 3.1', async () => {
    const validator = new Validator();
    expect(await validator.validate(JSON.parse(json))).toEqual({ valid: true });
    expect(validator.version).toBe('3.1');
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

  test('gives every operation an id of its own, a summary and a tag', () => {
    expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length);
    for (const { operationId, summary, tags } of operations) {
      expect(operationId).toMatch(/^[a-z][A-Za-z0-9]+$/);
      expect(summary).not.toBe('');
      expect(tags).toHaveLength(1);
    }
  });

  test('shows examples that fit their schemas', () => {
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

  test('says for every operation which errors it may answer', () => {
    for (const { responses } of operations)
      expect(Object.keys(responses)).toEqual(expect.arrayContaining(['400', '429', '500', '503', '504']));
  });
});

test('shows every code of the catalogue', () => {
  const { json } = new ApiDocument(sampleTable);
  for (const code of faultCodes) expect(json).toContain(`"${code}":{"value"`);
});

test('gives one name to one shape', () => {
  const Named = z.object({ size: z.int().default(1) }).meta({ id: 'Named' });
  const row = sampleTable.rows[0];
  if (!row) throw new Error('no sample row');
  const both = { ...row, contract: { ...row.contract, request: Named, reply: Named } };
  const { components } = Document.parse(
    JSON.parse(new ApiDocument({ rows: [both], handWritten: [], isAnswered: () => true }).json),
  );
  expect(components.schemas).toMatchObject({
    Named: { properties: { size: { default: 1 } } },
    NamedOutput: { required: ['size'] },
  });
});
