import { randomUUID } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { connect } from 'node:net';
import { Fault, streamTurn } from '@parley/contracts';
import { atRest } from '@parley/testing';
import { keys } from '../../testing/running-gateway';
import { ChatHarness } from './chat-harness.suite';
import { done, scene, session, sessionUUID, tokenUsage } from './chat-scene.suite';

describe('the chat endpoint', () => {
  const harness = new ChatHarness();
  const { charging } = harness;
  const send: ChatHarness['send'] = (body, sending) => harness.send(body, sending);

  beforeAll(() => harness.open());
  beforeEach(() => harness.reset());
  afterAll(() => harness.close());

  const storedFiles = async () =>
    (await readdir(scene.folder, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());

  it('answers in one piece, status first, and charges its tokens', async () => {
    const response = await send({ question: 'When do you deliver?', variables: { name: 'Asha' } });
    expect(response.status).toBe(200);
    const text = await response.text();
    expect(text).toMatch(/^\{"statusCode":200,/);
    expect(JSON.parse(text)).toEqual({
      statusCode: 200,
      answer: 'Within three days.',
      sessionUUID,
      detectedLanguage: 'english',
      tokenUsage,
    });
    expect(scene.asked).toMatchObject([{ question: 'When do you deliver?', channel: 'API', variables: { name: 'Asha' } }]);
    expect(charging.operations).toEqual([
      { type: 'hold', estimate: { TTT_API: 1000 } },
      { type: 'settle', used: { TTT_API: 25 } },
    ]);
  });

  it('streams the events of a turn and ends with the same body as a plain answer', async () => {
    const response = await send({ question: 'When do you deliver?', responseMode: 'stream' });
    expect(response.headers.get('content-type')).toContain('text/event-stream');
    const body = { statusCode: 200, answer: 'Within three days.', sessionUUID, detectedLanguage: 'english', tokenUsage };
    expect(await response.text()).toBe(
      `event: session\ndata: {"sessionUUID":"${sessionUUID}"}\n\nevent: delta\ndata: {"text":"Within "}\n\n` +
        `event: delta\ndata: {"text":"three days."}\n\nevent: done\ndata: ${JSON.stringify(body)}\n\n`,
    );
    expect(charging.operations.at(-1)).toEqual({ type: 'settle', used: { TTT_API: 25 } });
  });

  it.each(['sync', 'stream'])('charges a workspace key’s question to the agent it names, in mode %s', async (responseMode) => {
    const asked = { question: 'When?', AgentKeyID: randomUUID(), responseMode };
    await (await send(asked, { key: keys.owner })).text();
    expect(charging.agents).toEqual([12]);
  });

  it('passes on a word before the next one exists', async () => {
    const second = Promise.withResolvers<void>();
    scene.turn = async function* () {
      yield session;
      yield { type: 'delta', text: 'Within ' };
      await second.promise;
      yield done('Within ');
    };
    const response = await send({ question: 'When?', responseMode: 'stream' });
    let text = '';
    for await (const chunk of response.body ?? []) {
      text += Buffer.from(chunk).toString();
      if (text.includes('event: delta')) second.resolve();
    }
    expect(text).toContain('event: done');
  });

  it('notes what a long stream has produced by now, in case its gateway and its turn die together', async () => {
    const later = Promise.withResolvers<void>();
    scene.turn = async function* () {
      yield session;
      yield { type: 'delta', text: 'Within three days ', promptTokens: 20 };
      await later.promise;
      yield { type: 'delta', text: 'or four.' };
      yield done('Within three days or four.');
    };
    const response = await send({ question: 'When?', responseMode: 'stream' });
    const now = performance.now.bind(performance);
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => now() + 3_000);
    later.resolve();
    await response.text();
    clock.mockRestore();
    // Twenty of the prompt, and the words of both pieces by their letters.
    expect(charging.noted.at(-1)).toEqual({ TTT_API: 20 + Math.ceil('Within three days or four.'.length / 4) });
    expect(charging.operations.at(-1)).toEqual({ type: 'settle', used: { TTT_API: 25 } });
  });

  it('leaves the hold of an unrecorded turn to the sweeper until it can no longer be stored', async () => {
    scene.isRecorded = false;
    scene.turn = async function* () {
      yield session;
      throw new Fault('DEADLINE_EXCEEDED');
    };
    charging.tokens = 1000;
    const beforeMs = Date.now();
    expect((await send({ question: 'When?' })).status).toBe(504);
    expect(charging.operations.map(({ type }) => type)).toEqual(['hold']);
    const leftMs = (charging.expiresAtMs ?? 0) - beforeMs;
    expect(leftMs).toBeGreaterThan(streamTurn.timeoutMs);
    expect(leftMs).toBeLessThan(streamTurn.timeoutMs + 60_000);
    // By now these would be there, or would not be found by the charge.
    for (const more of [{ responseMode: 'stream' }, { sessionUUID }]) {
      charging.operations.length = 0;
      await (await send({ question: 'When?', ...more })).text();
      expect(charging.operations.map(({ type }) => type)).toEqual(['hold', 'release']);
    }
  });

  it.each(['SERVICE_UNAVAILABLE', 'INTERNAL'] as const)('charges nothing for a whole answer that ends as %s', async (code) => {
    for (const isRecorded of [true, false]) {
      scene.isRecorded = isRecorded;
      scene.turn = async function* () {
        yield session;
        throw new Fault(code);
      };
      charging.tokens = 1000;
      charging.operations.length = 0;
      expect(await (await send({ question: 'When?' })).json()).toMatchObject({ code });
      expect(charging.operations.map(({ type }) => type)).toEqual(['hold', 'release']);
    }
  });

  it('stops the turn when the client disconnects, and charges what was produced', async () => {
    const stopped = Promise.withResolvers<void>();
    scene.turn = async function* (_asked, { signal }) {
      yield session;
      yield { type: 'delta', text: 'Within ' };
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
      stopped.resolve();
    };
    const leaving = new AbortController();
    const response = await send({ question: 'When?', responseMode: 'stream' }, { signal: leaving.signal });
    const reader = response.body?.getReader();
    await reader?.read();
    leaving.abort();
    await stopped.promise;
    await charging.end();
    expect(charging.operations).toEqual([
      { type: 'hold', estimate: { TTT_API: 1000 } },
      { type: 'settle', used: { TTT_API: 21 } },
    ]);
  });

  it('retries to find out what a disconnected client owes if the service was too busy', async () => {
    scene.busyReads = 1;
    scene.turn = async function* (_asked, { signal }) {
      yield session;
      yield { type: 'delta', text: 'Within ' };
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    };
    const leaving = new AbortController();
    const response = await send({ question: 'When?', responseMode: 'stream' }, { signal: leaving.signal });
    await response.body?.getReader().read();
    leaving.abort();
    await charging.end();
    expect(charging.operations.at(-1)).toEqual({ type: 'settle', used: { TTT_API: 21 } });
    expect(scene.busyReads).toBe(0);
  });

  it('stops the turn when the client of a plain question disconnects, and charges what was produced', async () => {
    const begun = Promise.withResolvers<void>();
    const stopped = Promise.withResolvers<void>();
    scene.turn = async function* (_asked, { signal }) {
      yield session;
      begun.resolve();
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
      stopped.resolve();
    };
    const leaving = new AbortController();
    const asking = fetch(new URL('/api/v1/ttt', harness.url), {
      method: 'POST',
      headers: { 'x-api-key': keys.agent, 'content-type': 'application/json' },
      body: JSON.stringify({ question: 'When?' }),
      signal: leaving.signal,
    });
    await begun.promise;
    leaving.abort();
    await expect(asking).rejects.toThrow('aborted');
    await stopped.promise;
    await charging.end();
    expect(scene.asked).toMatchObject([{ question: 'When?', isWhole: true }]);
    expect(charging.operations).toEqual([
      { type: 'hold', estimate: { TTT_API: 1000 } },
      { type: 'settle', used: { TTT_API: 21 } },
    ]);
  });

  it.each(['sync', 'stream'])('takes a client that sends no more for one that left, in mode %s', async (responseMode) => {
    const begun = Promise.withResolvers<void>();
    scene.turn = async function* (_asked, { signal }) {
      yield session;
      begun.resolve();
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    };
    const { port, hostname } = new URL(harness.url);
    const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true }).resume();
    const body = JSON.stringify({ question: 'When?', responseMode });
    socket.write(
      `POST /api/v1/external/chat HTTP/1.1\r\nHost: x\r\nx-api-key: ${keys.agent}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    );
    await begun.promise;
    socket.end();
    await charging.end();
    expect(charging.operations.at(-1)).toEqual({ type: 'settle', used: { TTT_API: 21 } });
  });

  it.each(['sync', 'stream'])(
    'starts a turn before its hold is granted, in mode %s, and stops it unseen if that is refused',
    async (responseMode) => {
      const hold = Promise.withResolvers<void>();
      const stopped = Promise.withResolvers<void>();
      charging.granted = hold.promise;
      scene.turn = async function* (_asked, { signal }) {
        signal.addEventListener('abort', () => stopped.resolve(), { once: true });
        yield session;
        yield { type: 'delta', text: 'Within ' };
        hold.reject(new Fault('CREDITS_EXHAUSTED'));
        await stopped.promise;
      };
      const response = await send({ question: 'When?', responseMode });
      expect([response.status, await response.json()]).toMatchObject([403, { code: 'CREDITS_EXHAUSTED' }]);
      await stopped.promise;
      expect(charging.operations).toEqual([{ type: 'hold', estimate: { TTT_API: 1000 } }]);
    },
  );

  it('transcribes no recording before its hold is granted', async () => {
    charging.granted = Promise.reject(new Fault('CREDITS_EXHAUSTED'));
    const audioBase64 = Buffer.from('RIFF a recording').toString('base64');
    const response = await send({ connectionType: 'stt', audioBase64 });
    expect([response.status, await response.json()]).toMatchObject([403, { code: 'CREDITS_EXHAUSTED' }]);
    expect(scene.asked).toEqual([]);
  });

  it('sends a failure as the last event, and charges what was produced before', async () => {
    scene.turn = async function* () {
      yield session;
      yield { type: 'delta', text: 'Within ' };
      throw new Fault('MODEL_PROVIDER_UNAVAILABLE');
    };
    const response = await send({ question: 'When?', responseMode: 'stream' });
    const text = await response.text();
    const [, data = ''] = /event: error\ndata: (.*)\n\n$/.exec(text) ?? [];
    expect(JSON.parse(data)).toMatchObject({
      statusCode: 503,
      code: 'MODEL_PROVIDER_UNAVAILABLE',
      requestId: response.headers.get('x-request-id'),
    });
    expect(charging.operations.at(-1)).toEqual({ type: 'settle', used: { TTT_API: 21 } });
  });

  it.each([
    ['SERVICE_UNAVAILABLE', 'the key'],
    ['INTERNAL', 'the key'],
    ['MODEL_PROVIDER_UNAVAILABLE', 'the attempt'],
  ] as const)('of a stream under an Idempotency-Key that ends as %s charges %s', async (code, payer) => {
    scene.turn = async function* () {
      yield session;
      yield { type: 'delta', text: 'Within ' };
      throw new Fault(code);
    };
    charging.reference = 'of the key';
    await (await send({ question: 'When?', responseMode: 'stream' })).text();
    expect(charging.operations.at(-1)).toMatchObject({ type: 'settle', isFailure: payer === 'the attempt' });
  });

  it.each(['sync', 'stream'])(
    'refuses with a status before the first event, in mode %s, and charges nothing',
    async (responseMode) => {
      scene.turn = () => {
        throw new Fault('SESSION_BUSY');
      };
      const response = await send({ question: 'When?', responseMode });
      expect([response.status, await response.json()]).toMatchObject([409, { code: 'SESSION_BUSY' }]);
      expect(charging.operations.at(-1)).toEqual({ type: 'release' });
    },
  );

  it('transcribes a recording in a form, whatever mode the form names, and then deletes it', async () => {
    scene.turn = async function* () {
      yield session;
      yield { type: 'transcription', text: 'when do you deliver' };
      yield done('Within three days.', { transcription: 'when do you deliver', audioSeconds: 2 });
    };
    const form = new FormData();
    form.set('connectionType', 'ttt');
    form.set('language', 'english');
    form.set('variables', '{"name":"Asha"}');
    form.set('audioFile', new Blob(['RIFF the sound'], { type: 'audio/wav' }), 'question.wav');
    const response = await send(form);
    expect(await response.json()).toMatchObject({
      statusCode: 200,
      transcription: 'when do you deliver',
      answer: 'Within three days.',
      sessionUUID,
    });
    expect(scene.asked).toMatchObject([
      { audio: { fileName: 'question.wav', size: 14 }, language: 'english', variables: { name: 'Asha' } },
    ]);
    expect(scene.recording).toBe('RIFF the sound');
    expect(charging.operations).toEqual([
      { type: 'hold', estimate: { TTT_API: 1000, STT_API: 1 } },
      // The recording's measured length.
      { type: 'hold' },
      { type: 'settle', used: { TTT_API: 25, STT_API: 2 } },
    ]);
    await expect(storedFiles()).resolves.toEqual([]);
  });

  it('transcribes a base64 recording, streams the transcript first, and deletes it', async () => {
    scene.turn = async function* () {
      yield session;
      yield { type: 'transcription', text: 'when' };
      yield done('Soon.', { transcription: 'when' });
    };
    const audioBase64 = Buffer.alloc(1_500_000, 'x').toString('base64');
    const response = await send({ connectionType: 'stt', audioBase64, sampleRate: 16_000, responseMode: 'stream' });
    expect((await response.text()).match(/event: \w+/g)).toEqual(['event: session', 'event: transcription', 'event: done']);
    expect(scene.asked).toMatchObject([{ audio: { size: 1_500_000, sampleRate: 16_000 } }]);
    await charging.end();
    await expect(storedFiles()).resolves.toEqual([]);
  });

  it('speaks the answer, with session and text in headers', async () => {
    scene.turn = async function* () {
      yield session;
      yield done('तीन दिन में।', { detectedLanguage: 'hindi' });
    };
    const response = await send({ question: 'कब?', connectionType: 'tts' });
    expect(response.headers.get('content-type')).toBe('audio/wav');
    expect(response.headers.get('x-session-uuid')).toBe(sessionUUID);
    expect(decodeURIComponent(response.headers.get('x-answer-text') ?? '')).toBe('तीन दिन में।');
    expect(response.headers.get('x-answer-text-cut')).toBe('false');
    expect(await response.text()).toBe('RIFF-sound');
    expect(charging.operations.at(-1)).toEqual({ type: 'settle', used: { TTT_API: 25, TTS_API: 18 } });
  });

  it('marks a header text that is not the whole answer', async () => {
    scene.turn = async function* () {
      yield session;
      yield done('की '.repeat(900), { detectedLanguage: 'hindi' });
    };
    const response = await send({ question: 'कब?', connectionType: 'tts' });
    expect(response.headers.get('x-answer-text-cut')).toBe('true');
    const said = decodeURIComponent(response.headers.get('x-answer-text') ?? '');
    expect('की '.repeat(900).startsWith(said) && said.length > 300).toBe(true);
    await response.text();
  });

  it('charges the words of an answer that could not be spoken, and no sound', async () => {
    scene.speech = () => {
      throw new Fault('SPEECH_PROVIDER_UNAVAILABLE');
    };
    const response = await send({ question: 'When?', connectionType: 'tts' });
    expect([response.status, await response.json()]).toMatchObject([503, { code: 'SPEECH_PROVIDER_UNAVAILABLE' }]);
    expect(charging.operations.at(-1)).toEqual({ type: 'settle', used: { TTT_API: 25 } });
  });

  it.each([
    [{}, 'question'],
    [{ question: 'x'.repeat(8001) }, 'question'],
    [{ connectionType: 'stt' }, 'audioFile'],
    [{ connectionType: 'stt', audioFile: { fileKey: 'uploads/99/x', fileName: 'x', size: 1, contentType: 'x' } }, 'audioFile'],
    [{ connectionType: 'stt', audioBase64: 'not base64!' }, 'audioBase64'],
    [{ question: 'x', sessionUUID: 'no uuid' }, 'sessionUUID'],
  ])('refuses %j and names the field', async (body, field) => {
    const response = await send(body);
    expect([response.status, await response.json()]).toMatchObject([400, { code: 'VALIDATION_FAILED', details: [{ field }] }]);
    expect(charging.operations).toEqual([]);
  });

  it('does not read ahead of a slow client', async () => {
    let produced = 0;
    const gone = Promise.withResolvers<void>();
    scene.turn = async function* (_asked, { signal }) {
      yield session;
      signal.addEventListener('abort', () => gone.resolve(), { once: true });
      for (; produced < 100_000 && !signal.aborted; produced++) yield { type: 'delta', text: 'x'.repeat(1000) };
    };
    const { port, hostname } = new URL(harness.url);
    const socket = connect(Number(port), hostname);
    const body = JSON.stringify({ question: 'When?', responseMode: 'stream' });
    socket.write(
      `POST /api/v1/external/chat HTTP/1.1\r\nHost: x\r\nx-api-key: ${keys.agent}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    );
    await new Promise((resolve) => socket.once('readable', resolve));
    expect(await atRest('what is produced', () => produced)).toBeLessThan(50_000);
    socket.destroy();
    await gone.promise;
    await charging.end();
  });
});
