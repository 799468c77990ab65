import { ClientFrame, ServerFrame, socketCloseCodes } from '@parley/contracts';
import Ajv from 'ajv';
import addFormats from 'ajv-formats';
import Ajv2020 from 'ajv/dist/2020';
import { z } from 'zod';
import { socketLimits } from '../../live/sockets/relay';
import { handWritten } from '../hand-written';
import { SocketDocument } from './socket-document';

const Message = z.object({
  name: z.string(),
  summary: z.string(),
  contentType: z.string(),
  payload: z.unknown(),
  examples: z.array(z.object({ payload: z.unknown() })).default([]),
});
const Ref = z.object({ $ref: z.string() });
const Document = z.looseObject({
  channels: z.record(z.string(), z.object({ address: z.string(), messages: z.record(z.string(), Ref) })),
  operations: z.record(
    z.string(),
    z.object({ action: z.enum(['send', 'receive']), channel: Ref, messages: z.array(Ref), security: z.array(Ref) }),
  ),
  components: z.object({
    messages: z.record(z.string(), Message),
    schemas: z.record(z.string(), z.unknown()),
    securitySchemes: z.record(z.string(), z.unknown()),
  }),
  'x-close-codes': z.array(z.object({ code: z.int(), meaning: z.string().min(10) })),
  'x-warnings': z.array(z.object({ code: z.string(), meaning: z.string().min(10) })),
});

const { json } = new SocketDocument('wss://voice.example:8443', socketLimits);
const document = Document.parse(JSON.parse(json));
const { messages } = document.components;
const sockets = handWritten.filter(({ method }) => method === 'WS');

/** The target of a reference inside the document. */
function found({ $ref }: { $ref: string }): unknown {
  return $ref
    .slice(2)
    .split('/')
    .reduce<unknown>((part, step) => (part as Record<string, unknown>)[step], JSON.parse(json));
}

test('is valid AsyncAPI 3.0', async () => {
  const { default: specs } = await import('@asyncapi/specs');
  const ajv = new Ajv({ strict: false, validateFormats: false, validateSchema: false, meta: false });
  // The specification's schema is draft-07 and contains all the parts that it references by absolute URLs.
  const validate = ajv.compile((specs.schemas as unknown as { '3.0.0': object })['3.0.0']);
  validate(JSON.parse(json));
  expect(validate.errors).toBeNull();
  expect(validate({ ...JSON.parse(json), channels: { bad: { address: 5 } } })).toBe(false);
});

test('has no dangling reference', () => {
  const references = [...json.matchAll(/"\$ref":"([^"]+)"/g)].map(([, $ref = '']) => $ref);
  expect(references.length).toBeGreaterThan(50);
  for (const $ref of references) expect([$ref, found({ $ref })]).not.toEqual([$ref, undefined]);
});

test('has every socket with its path and credentials', () => {
  const listed = Object.entries(document.channels).map(([operationId, { address }]) => ({ operationId, path: address }));
  expect(listed).toEqual(sockets.map(({ operationId, path }) => ({ operationId, path })));
  for (const { operationId, credentials = [], keys } of sockets) {
    const names = document.operations[`${operationId}.receive`]?.security.map(({ $ref }) => $ref.split('/').at(-1));
    expect(names).toEqual([...(keys.length > 0 ? ['apiKey'] : []), ...credentials]);
  }
  expect(JSON.parse(json).servers.here).toEqual({ host: 'voice.example:8443', protocol: 'wss' });
});

test.each([
  ['client', ClientFrame.options, 'voiceSocket.receive'],
  ['server', ServerFrame.options, 'voiceSocket.send'],
])('describes every frame of the %s, with an example', (from, options, operation) => {
  const types = options.map((schema) => schema.shape.type.value);
  const shown = document.operations[operation]?.messages.map(({ $ref }) => $ref.split('/').at(-1));
  expect(shown).toEqual([...types, 'sound'].map((type) => `${from}.${type}`));
  for (const type of types) {
    expect(messages[`${from}.${type}`]).toMatchObject({ name: type, summary: expect.stringMatching(/\.$/) });
    expect(messages[`${from}.${type}`]?.examples.length).toBeGreaterThan(0);
  }
});

test('shows examples that match their schemas, and schemas that tell frames apart', () => {
  const ajv = new Ajv2020({ strict: false });
  addFormats(ajv);
  ajv.addSchema({ $id: 'api:', components: document.components });
  const frames = Object.values(messages).filter(({ contentType }) => contentType === 'application/json');
  for (const { payload, examples, name } of frames) {
    const validate = ajv.compile(JSON.parse(JSON.stringify(payload).replaceAll('"#/', '"api:#/')));
    for (const { payload: example } of examples) expect([name, validate(example), validate.errors]).toEqual([name, true, null]);
    const other = frames.find((frame) => frame.name !== name);
    expect(validate(other?.examples[0]?.payload)).toBe(false);
  }
});

test('explains every close code', () => {
  const codes = document['x-close-codes'].map(({ code }) => code);
  expect(codes).toEqual([...new Set(Object.values(socketCloseCodes))].sort((a, b) => a - b));
});

test('lists every warning that a frame may carry', () => {
  const listed = document['x-warnings'].map(({ code }) => code);
  for (const code of [...listed, 'INTERRUPTION_NOT_ALLOWED', 'TEXT_IGNORED', 'ANSWER_CUT', 'SPEECH_NOT_WRITTEN'])
    expect(ServerFrame.safeParse({ type: 'warning', code, message: 'x' }).success).toBe(true);
  expect(ServerFrame.safeParse({ type: 'warning', code: 'UNLISTED', message: 'x' }).success).toBe(false);
  const [warning] = ServerFrame.options.filter(({ shape }) => shape.type.value === 'warning');
  expect(z.toJSONSchema(warning ?? z.never())).toMatchObject({ properties: { code: { enum: listed } } });
});

test('lists and explains every reason for which a session may end', () => {
  const [ended] = ServerFrame.options.filter(({ shape }) => shape.type.value === 'session.ended');
  const { reason } = z
    .object({ reason: z.object({ enum: z.array(z.string()) }) })
    .parse(z.toJSONSchema(ended ?? z.never()).properties);
  expect(reason.enum).toEqual(expect.arrayContaining(['ENDED_BY_USER', 'IDLE', 'CREDITS_EXHAUSTED', 'MAX_DURATION', 'REPLACED']));
  const { summary = '' } = messages['server.session.ended'] ?? {};
  for (const each of reason.enum) expect(summary).toContain(`\`${each}\``);
  expect(ServerFrame.safeParse({ type: 'session.ended', reason: 'UNLISTED' }).success).toBe(false);
});

test('promises no answers of an agent on a socket without one', () => {
  const said = Object.keys(document.channels.transcriptionSocket?.messages ?? {});
  expect(said).toContain('server.transcript.final');
  expect(said.filter((name) => /agent|text$|dtmf|server\.sound/.test(name))).toEqual([]);
});
