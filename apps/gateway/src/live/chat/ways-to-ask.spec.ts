import { agentKeyExample } from '@parley/contracts';
import { keys } from '../../testing/running-gateway';
import { ChatHarness } from './chat-harness.suite';
import { done, scene, session } from './chat-scene.suite';

const sound = Buffer.from([...'RIFF the sound', '\u00fb\u00ff\u00fe'].join(''), 'latin1');
const base64 = sound.toString('base64');

describe('asking with a recording', () => {
  const harness = new ChatHarness();

  beforeAll(() => harness.open());
  beforeEach(() => {
    harness.reset();
    scene.turn = async function* () {
      yield session;
      yield done('Soon.', { transcription: 'when' });
    };
  });
  afterAll(() => harness.close());

  it.each([
    ['as a data address', { connectionType: 'stt', audioBase64: `data:audio/wav;codecs=1;base64,${base64}` }],
    ['broken into lines', { connectionType: 'stt', audioBase64: base64.replace(/(.{8})/gu, '$1\r\n') }],
    ['in the alphabet of addresses', { connectionType: 'stt', audioBase64: sound.toString('base64url') }],
    ['without the word stt', { audioBase64: base64 }],
  ])('accepts base64 %s', async (_, body) => {
    const response = await harness.send(body);
    expect([response.status, await response.json()]).toMatchObject([200, { transcription: 'when' }]);
    expect(scene.asked).toMatchObject([{ audio: { size: sound.length } }]);
  });

  it('passes on the content type of a data URL, so that PCM is recognized', async () => {
    await harness.send({ audioBase64: `data:audio/pcm;base64,${base64}` });
    expect(scene.asked).toMatchObject([{ audio: { contentType: 'audio/pcm', size: sound.length } }]);
  });

  it('treats untyped base64 as PCM unless it is WAV or MP3', async () => {
    await harness.send({ audioBase64: base64 });
    expect(scene.asked).toMatchObject([{ audio: { contentType: 'audio/pcm', size: sound.length } }]);
  });

  it('treats empty form fields as absent', async () => {
    const form = new FormData();
    for (const field of ['sessionUUID', 'language', 'responseMode', 'question', 'variables']) form.set(field, '');
    form.set('audioFile', new Blob([sound]), 'question.wav');
    expect((await harness.send(form)).status).toBe(200);
    expect(scene.asked[0]).not.toMatchObject({ sessionUUID: expect.anything() });
  });

  it('takes in a form fields as long as in JSON, once each, and says how long they may be', async () => {
    const variables = Object.fromEntries(Array.from({ length: 100 }, (_, place) => [`v${place}`, 'x'.repeat(1900)]));
    const long = Buffer.concat([sound, Buffer.alloc(200_000)]);
    const form = new FormData();
    form.set('audioBase64', long.toString('base64'));
    form.set('variables', JSON.stringify(variables));
    expect((await harness.send(form)).status).toBe(200);
    expect(scene.asked).toMatchObject([{ audio: { size: long.length }, variables }]);
    form.append('variables', '{}');
    expect(await (await harness.send(form)).json()).toMatchObject({ statusCode: 400, message: 'variables must be sent once' });
    form.set('variables', JSON.stringify({ a: 'x'.repeat(2 ** 20) }));
    expect(await (await harness.send(form)).json()).toMatchObject({
      code: 'PAYLOAD_TOO_LARGE',
      message: 'variables is too long: in a form it may have 1048576 bytes.',
    });
    form.set('variables', '['.repeat(1000));
    expect(await (await harness.send(form)).json()).toMatchObject({
      code: 'VALIDATION_FAILED',
      message: expect.stringContaining('nested'),
    });
  });

  it('explains what is wrong with a form of two recordings', async () => {
    const form = new FormData();
    for (const name of ['one.wav', 'two.wav']) form.append('audioFile', new Blob([sound]), name);
    const response = await harness.send(form);
    expect([response.status, await response.json()]).toMatchObject([
      400,
      { code: 'VALIDATION_FAILED', message: 'A form may have one file.' },
    ]);
  });

  it('names the refused field in the message', async () => {
    const response = await harness.send({ connectionType: 'stt', audioBase64: 'not base64!' });
    expect(await response.json()).toMatchObject({ message: 'audioBase64 must be base64', details: [{ field: 'audioBase64' }] });
  });

  it('lets a workspace key name the agent in the query, before the body is read', async () => {
    const other = '11111111-2222-4333-8444-555555555555';
    const query = `?AgentKeyID=${agentKeyExample}`;
    expect((await harness.send({ question: 'When?' }, { key: keys.owner, query })).status).toBe(200);
    expect((await harness.send({ question: 'When?', AgentKeyID: other }, { key: keys.owner, query })).status).toBe(200);
    expect(scene.asked).toMatchObject([{ AgentKeyID: agentKeyExample }, { AgentKeyID: other }]);
    expect((await harness.send({ question: 'When?' }, { key: keys.owner })).status).toBe(403);
  });

  it('refuses a form where only JSON is accepted, with an explanation', async () => {
    const form = new FormData();
    form.set('question', 'When?');
    const asked = { method: 'POST', headers: { 'x-api-key': keys.agent }, body: form };
    const response = await fetch(new URL('/api/v1/ttt', harness.url), asked);
    expect([response.status, await response.json()]).toMatchObject([415, { code: 'UNSUPPORTED_MEDIA_TYPE' }]);
  });

  it('lets a workspace key name the agent in a form field', async () => {
    const form = new FormData();
    form.set('AgentKeyID', agentKeyExample);
    form.set('audioFile', new Blob([sound]), 'question.wav');
    expect((await harness.send(form, { key: keys.owner })).status).toBe(200);
    expect(scene.asked).toMatchObject([{ AgentKeyID: agentKeyExample }]);
    form.delete('AgentKeyID');
    const refused = await harness.send(form, { key: keys.owner });
    expect([refused.status, await refused.json()]).toMatchObject([403, { message: expect.stringContaining('AgentKeyID') }]);
  });
});
