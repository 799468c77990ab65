import type { Principal } from '@parley/contracts';
import { loadConfiguration } from '@parley/service-kit';
import { z } from 'zod';
import { GatewayConfig } from '../../config';
import { formInput } from '../../endpoint/gateway-call';
import { createGatewayApp } from '../../testing/create-gateway-app';
import { RecordedLog } from '../../testing/recorded-log';
import { agentPrincipal, keys, ownerPrincipal, testSecret } from '../../testing/running-gateway';
import { ScriptedBus } from '../../testing/scripted-bus';
import { SeededKeys } from '../../testing/seeded-keys';
import { openApiJson } from '../openapi/api-document';
import { publicRoutes } from '../routes/route-table';

const speechKey = 'ext_api_00000000form';
const speechPrincipal: Principal = { kind: 'ext', keyId: 'k-form', orgId: 7 };

const Field = z.object({
  type: z.string().optional(),
  $ref: z.string().optional(),
  format: z.string().optional(),
  enum: z.array(z.unknown()).optional(),
});
type Field = z.output<typeof Field>;
const Form = z.object({
  schema: z.object({ properties: z.record(z.string(), Field) }),
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

/** Every field of every form, as the API document describes it. */
function everyField(): FormField[] {
  const { paths, components } = Document.parse(JSON.parse(openApiJson(publicRoutes)));
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.values(operations).flatMap((operation) => {
      const form = Form.safeParse(operation.requestBody?.content['multipart/form-data']).data;
      const kinds = operation['x-keys'] ?? [];
      const key = kinds.includes('agt') ? keys.agent : kinds.includes('wsk') ? keys.owner : speechKey;
      return Object.entries(form?.schema.properties ?? {}).map(([name, { $ref = '', ...own }]) => {
        const field = { ...components.schemas[$ref.replace('#/components/schemas/', '')], ...own };
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

describe('the fields of every form', () => {
  let url: string;
  let close: () => Promise<void>;
  beforeAll(async () => {
    const config = loadConfiguration(GatewayConfig, { PORT: '0', PARLEY_SECRET_KEY: testSecret });
    const principals = new SeededKeys({
      [keys.agent]: agentPrincipal,
      [keys.owner]: ownerPrincipal,
      [speechKey]: speechPrincipal,
    });
    const app = await createGatewayApp(config, { bus: new ScriptedBus(() => ({})), logger: new RecordedLog(), principals });
    await app.listen(config.PORT, config.HOST);
    url = await app.getUrl();
    close = () => app.close();
  });
  afterAll(() => close());

  /** What is wrong with this field of a form that has nothing else. */
  const complaints = async ({ path, name, key }: FormField, sent: readonly (readonly [name: string, value: string])[]) => {
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
      [[name, '']],
    ];
    for (const way of ways as [string, string][][]) expect([way, await complaints(field, way)]).toEqual([way, []]);
    expect(await complaints(field, [[`${name}[]`, 'one']])).not.toEqual([]);
    expect(field.encoding).toEqual({ style: 'form', explode: true });
  });

  it.each(objects)('take an object as JSON, and say what they take: $name of $path', async (field) => {
    expect(await complaints(field, [[field.name, '{"due":"1200"}']])).toEqual([]);
    expect(await complaints(field, [[field.name, '{"due":']])).toEqual([`${field.name} must be valid JSON`]);
    expect(field.encoding).toEqual({ contentType: 'application/json' });
  });
});

describe('a form’s text', () => {
  const schema = z.object({
    name: z.string(),
    isLoud: z.boolean().nullish(),
    timings: z.enum(['true', 'false']).optional(),
    ids: z.array(z.coerce.number()).optional(),
  });
  const read = (...parts: [string, unknown][]) => formInput(schema, parts);

  it('becomes what the schema wants', () => {
    expect(read(['name', '1'], ['isLoud', 'True'], ['timings', '0'])).toEqual({ name: '1', isLoud: true, timings: 'false' });
    expect(read(['name', ''], ['isLoud', ''], ['ids', ''])).toEqual({ name: '' });
    expect(read(['ids', '1'], ['ids[]', '2'], ['ids', '[3,4]'])).toMatchObject({ ids: ['1', '2', 3, 4] });
    expect(read(['ids', '[]'])).toEqual({ ids: [] });
    expect(read(['ids', [1, 2]], ['isLoud', false])).toEqual({ ids: [1, 2], isLoud: false });
  });

  it('is left for the schema to refuse where it cannot be read', () => {
    expect(read(['ids', '[1'])).toEqual({ ids: ['[1'] });
    expect(read(['name[]', 'a'], ['isLoud', { a: 1 }])).toEqual({ 'name[]': 'a', isLoud: { a: 1 } });
  });
});
