import type { Principal } from '@parley/contracts';
import { loadConfiguration } from '@parley/service-kit';
import { z } from 'zod';
import { GatewayConfig } from '../../config';
import { formInput } from '../../endpoint/forms';
import { createGatewayApp } from '../../testing/create-gateway-app';
import { RecordedLog } from '../../testing/recorded-log';
import { agentPrincipal, keys, ownerPrincipal, testSecret } from '../../testing/running-gateway';
import { ScriptedBus } from '../../testing/scripted-bus';
import { SeededKeys } from '../../testing/seeded-keys';
import { openApiJson } from '../openapi/api-document';
import { publicRoutes } from '../routes/route-table';

const speechKey = 'ext_api_00000000form';
/** A key of its own has a rate of its own. */
const anotherKey = 'wsk_00000000form';
const speechPrincipal: Principal = { kind: 'ext', keyId: 'k-form', orgId: 7 };

const Field = z.object({
  type: z.string().optional(),
  $ref: z.string().optional(),
  format: z.string().optional(),
  enum: z.array(z.unknown()).optional(),
  description: z.string().optional(),
  properties: z.record(z.string(), z.unknown()).optional(),
});
type Field = z.output<typeof Field>;
const Form = z.object({
  schema: z.object({ $ref: z.string().optional(), properties: z.record(z.string(), Field).optional() }),
  encoding: z.record(z.string(), z.unknown()).default({}),
});
const Document = z.object({
  components: z.object({ schemas: z.record(z.string(), Field) }),
  paths: z.record(
    z.string(),
    z.record(
      z.string(),
      z.object({
        'x-keys': z.union([z.string(), z.array(z.string())]).optional(),
        requestBody: z.object({ content: z.record(z.string(), z.unknown()) }).optional(),
      }),
    ),
  ),
});

interface FormField {
  readonly path: string;
  readonly name: string;
  readonly key: string;
  readonly field: Field;
  readonly encoding: unknown;
}

function resolved({ $ref = '', ...own }: Partial<Field>, schemas: Readonly<Record<string, Field>>): Field {
  return { ...schemas[$ref.replace('#/components/schemas/', '')], ...own };
}

/** Every field of every form, as the API document describes it. */
function everyField(): FormField[] {
  const { paths, components } = Document.parse(JSON.parse(openApiJson(publicRoutes)));
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.values(operations).flatMap((operation) => {
      const form = Form.safeParse(operation.requestBody?.content['multipart/form-data']).data;
      const kinds = operation['x-keys'] ?? [];
      const key = kinds.includes('agt') ? keys.agent : kinds.includes('wsk') ? keys.owner : speechKey;
      const { properties } = resolved(form?.schema ?? {}, components.schemas);
      return Object.entries(properties ?? {}).map(([name, value]) => {
        const field = resolved(Field.parse(value), components.schemas);
        return { path, name, key, field, encoding: form?.encoding[name] };
      });
    }),
  );
}

const fields = everyField();
const isSwitch = ({ field }: FormField) => field.type === 'boolean' || field.enum?.join() === 'true,false';
const switches = fields.filter(isSwitch);
const lists = fields.filter(({ field }) => field.type === 'array');
const objects = fields.filter(({ field }) => field.type === 'object');
const values = fields.filter(({ field }) => field.type === 'integer' || field.type === 'number' || field.format === 'uuid');

/** What a client may send for a field. */
function textFor(field: FormField): string {
  if (isSwitch(field)) return 'true';
  if (field.field.type === 'object') return '{"due":"1200"}';
  return field.field.type === 'array' ? '[1,2]' : '1';
}

/** More than the field may have: an object is as long as JSON may be, and a recording as it declares. */
function lengthOver({ field, name }: FormField): number {
  if (name === 'audioBase64') return 38_000_000;
  return field.type === 'object' ? 1_100_000 : 70_000;
}

/** The same in a part that is declared as JSON: plain text is a text in JSON. */
function jsonOf({ field }: FormField, value: string): string {
  return field.type === 'object' || field.type === 'array' ? value : JSON.stringify(value);
}

describe('the fields of every form', () => {
  let url: string;
  let close: () => Promise<void>;
  beforeAll(async () => {
    const config = loadConfiguration(GatewayConfig, { PORT: '0', PARLEY_SECRET_KEY: testSecret });
    const principals = new SeededKeys({
      [keys.agent]: agentPrincipal,
      [keys.owner]: ownerPrincipal,
      [anotherKey]: { ...ownerPrincipal, keyId: 'k-values' },
      [speechKey]: speechPrincipal,
    });
    const app = await createGatewayApp(config, { bus: new ScriptedBus(() => ({})), logger: new RecordedLog(), principals });
    await app.listen(config.PORT, config.HOST);
    url = await app.getUrl();
    close = () => app.close();
  });
  afterAll(() => close());

  /** What is wrong with this field of a form that has nothing else. */
  const complaints = async ({ path, name, key }: FormField, sent: readonly (readonly [name: string, value: string | File])[]) => {
    const body = new FormData();
    for (const [each, value] of sent) body.append(each, value);
    const response = await fetch(url + path, { method: 'POST', headers: { 'x-api-key': key }, body });
    // Every form also requires what is missing here.
    expect(response.status).toBe(400);
    const { details } = z
      .object({ details: z.array(z.object({ field: z.string(), message: z.string() })) })
      .parse(await response.json());
    return details.flatMap(({ field, message }) => (field.split('.')[0] === name ? [message] : []));
  };

  it('are of the kinds that are checked here', () => {
    expect(switches.map(({ name }) => name)).toEqual(expect.arrayContaining(['includeSources', 'wordTimings']));
    expect(lists.map(({ name }) => name)).toContain('preferredTranscribeIDs');
    expect(objects.map(({ name }) => name)).toEqual(expect.arrayContaining(['variables', 'mapping']));
    expect(values.map(({ name }) => name)).toEqual(expect.arrayContaining(['sampleRate', 'durationSeconds', 'UploadKeyID']));
    const encoded = fields.filter(({ encoding }) => encoding !== undefined);
    expect(encoded).toEqual(fields.filter((field) => lists.includes(field) || objects.includes(field)));
  });

  it.each(switches)('take true, false, 1 and 0 in any case and nothing else: $name of $path', async (field) => {
    for (const text of ['true', 'True', 'TRUE', '1', 'false', 'False', '0', ''])
      expect([text, await complaints(field, [[field.name, text]])]).toEqual([text, []]);
    for (const text of ['maybe', 'yes', 'on', '2', 'truee', 'null'])
      expect(await complaints(field, [[field.name, text]])).toEqual([`${field.name} must be true, false, 1 or 0`]);
  });

  it.each(lists)('take a list however a client sends it: $name of $path', async (field) => {
    const { name } = field;
    const ways = [
      [[name, '1']],
      [
        [name, '1'],
        [name, '2'],
      ],
      [
        [`${name}[]`, '1'],
        [`${name}[]`, '2'],
      ],
      [[name, '[1, 2]']],
      [[name, '1,2']],
      [[name, '1, 2 ']],
      [[name, '']],
    ];
    for (const way of ways as [string, string][][]) expect([way, await complaints(field, way)]).toEqual([way, []]);
    for (const text of ['one', '1,,2', '1,2,', ',']) expect(await complaints(field, [[`${name}[]`, text]])).not.toEqual([]);
    expect(field.field.description).toMatch(/commas/);
    expect(field.encoding).toEqual({ style: 'form', explode: true });
  });

  // A question alone is all that a chat needs.
  it.each(fields.filter(({ field, name }) => field.format !== 'binary' && name !== 'question'))(
    'take a file for text as that text, and no more of it than of text: $name of $path',
    async (field) => {
      const value = textFor(field);
      const misfit = await complaints(field, [[field.name, value]]);
      for (const type of ['application/json', 'text/plain', 'application/octet-stream', '']) {
        const file = new File([type === 'application/json' ? jsonOf(field, value) : value], 'body.json', { type });
        expect([type, await complaints(field, [[field.name, file]])]).toEqual([type, misfit]);
      }
      const body = new FormData();
      body.append(field.name, new File(['1'.repeat(lengthOver(field))], 'body.txt', { type: 'text/plain' }));
      const { status } = await fetch(url + field.path, { method: 'POST', headers: { 'x-api-key': field.key }, body });
      expect(status).toBe(413);
    },
  );

  it.each([...Map.groupBy(values, ({ path }) => path)])('take empty numbers and ids for none: %s', async (path, ofForm) => {
    const [{ key: usual } = { key: '' }] = ofForm;
    const key = usual === keys.owner ? anotherKey : usual;
    const answerTo = async (names: readonly string[]) => {
      const body = new FormData();
      for (const name of ['nothing', ...names]) body.append(name, '');
      const response = await fetch(url + path, { method: 'POST', headers: { 'x-api-key': key }, body });
      return z.object({ details: z.unknown() }).parse(await response.json());
    };
    expect(await answerTo(ofForm.map(({ name }) => name))).toEqual(await answerTo([]));
  });

  it.each(objects)('refuse a part that is no JSON though it says so: $name of $path', async ({ path, name, key }) => {
    for (const text of ['{"due":', `"${'1'.repeat(70_000)}`]) {
      const body = new FormData();
      body.append(name, new Blob([text], { type: 'application/json' }));
      const response = await fetch(url + path, { method: 'POST', headers: { 'x-api-key': key }, body });
      expect([response.status, await response.json()]).toMatchObject([
        400,
        { code: 'VALIDATION_FAILED', message: expect.stringContaining('JSON') },
      ]);
    }
  });

  it.each(objects)('take an object as JSON, and say what they take: $name of $path', async (field) => {
    expect(await complaints(field, [[field.name, '{"due":"1200"}']])).toEqual([]);
    expect(await complaints(field, [[field.name, '{"due":']])).toEqual([`${field.name} must be valid JSON`]);
    expect(await complaints(field, [[field.name, '[1]']])).not.toEqual([]);
    expect(field.encoding).toEqual({ contentType: 'application/json' });
  });
});

describe('a form’s text', () => {
  const schema = z.object({
    name: z.string(),
    isLoud: z.boolean().nullish(),
    timings: z.enum(['true', 'false']).optional(),
    ids: z.array(z.coerce.number()).optional(),
    names: z.array(z.string()).optional(),
    words: z.array(z.enum(['a', 'b'])).optional(),
  });
  const read = (...parts: [string, unknown][]) => formInput(schema, parts);

  it('becomes what the schema wants', () => {
    expect(read(['name', '1'], ['isLoud', 'True'], ['timings', '0'])).toEqual({ name: '1', isLoud: true, timings: 'false' });
    expect(read(['name', ''], ['isLoud', ''], ['ids', ''])).toEqual({ name: '' });
    expect(read(['ids', '1'], ['ids[]', '2'], ['ids', '[3,4]'])).toMatchObject({ ids: ['1', '2', 3, 4] });
    expect(read(['ids', '[]'])).toEqual({ ids: [] });
    expect(read(['ids', '1,2'], ['ids', '3'])).toEqual({ ids: ['1', '2', '3'] });
    expect(read(['names', 'a,b'])).toEqual({ names: ['a,b'] });
    expect(read(['words', 'a, b'])).toEqual({ words: ['a', 'b'] });
    expect(read(['ids', [1, 2]], ['isLoud', false])).toEqual({ ids: [1, 2], isLoud: false });
    expect(read(['ids', 1], ['isLoud', 1], ['timings', true])).toEqual({ ids: [1], isLoud: true, timings: 'true' });
  });

  it('is left for the schema to refuse where it cannot be read', () => {
    expect(read(['ids', '[1'])).toEqual({ ids: ['[1'] });
    expect(read(['name[]', 'a'], ['isLoud', { a: 1 }])).toEqual({ 'name[]': 'a', isLoud: { a: 1 } });
  });
});
