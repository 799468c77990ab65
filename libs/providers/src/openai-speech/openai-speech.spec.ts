import { describeSpeechToText, describeTextToSpeech } from '@parley/ports/suites';
import {
  demand,
  fileIn,
  formOf,
  heardIn,
  jsonOf,
  spokenBytes,
  startStub,
  type StubAnswer,
  type StubRequest,
} from '../speech-http/stub-provider.fake';
import { openAiHearing, openAiSpeaking } from './index';

const voices = ['alloy', 'nova', 'shimmer', 'onyx', 'echo'];
const apiKey = 'sk-stub';

/** Enforces the documentation of `/audio/speech` and `/audio/transcriptions`. */
async function openAi(request: StubRequest): Promise<StubAnswer> {
  demand(request.headers.authorization === `Bearer ${apiKey}`, 'Incorrect API key provided', 401);
  return request.path === '/v1/audio/speech' ? speech(jsonOf(request)) : transcription(request);
}

function speech({ model, input, voice, response_format: format, speed = 1 }: Record<string, unknown>): StubAnswer {
  demand(typeof model === 'string' && model, 'model is required');
  demand(typeof input === 'string' && input.length > 0 && input.length <= 4096, 'input must have 1 to 4096 characters');
  demand(typeof voice === 'string' && voices.includes(voice), 'unknown voice');
  demand(format === 'pcm', 'this stub makes pcm only');
  demand(typeof speed === 'number' && speed >= 0.25 && speed <= 4, 'speed must be from 0.25 to 4');
  return { headers: { 'content-type': 'audio/pcm' }, body: spokenBytes(input, 24_000, speed) };
}

async function transcription(request: StubRequest): Promise<StubAnswer> {
  demand(request.path === '/v1/audio/transcriptions', 'no such path', 404);
  demand(request.body.length <= 25 * 1024 * 1024, 'Maximum content size limit exceeded', 413);
  const form = await formOf(request);
  demand(form.get('model') === 'whisper-1', 'model is required');
  demand(['en', 'hi', 'mr', null].includes(String(form.get('language') ?? '') || null), 'language must be ISO 639-1');
  const text = await heardIn(await fileIn(form));
  const wantsWords = form.getAll('timestamp_granularities[]').includes('word');
  demand(!wantsWords || form.get('response_format') === 'verbose_json', 'timestamps need verbose_json');
  const words = text ? [{ word: text, start: 0.1, end: 0.4 }] : [];
  return { body: { task: 'transcribe', language: 'english', duration: 1, text, ...(wantsWords && { words }) } };
}

describe('OpenAI’s protocol', () => {
  let stub: Awaited<ReturnType<typeof startStub>>;
  beforeAll(async () => {
    stub = await startStub(openAi);
  });
  afterAll(() => stub.close());

  const options = () => ({ apiKey, baseUrl: `${stub.url}/v1` });

  describeTextToSpeech('OpenAI', () => openAiSpeaking(options()));
  describeSpeechToText(
    'OpenAI',
    () => openAiHearing(options()),
    () => ({ samples: new Int16Array(16_000).fill(4000), language: 'english', word: 'hello' }),
  );

  it('splits a long text into calls of acceptable length', async () => {
    const before = stub.requests.length;
    let seconds = 0;
    const text = 'A sentence of some length, said again. '.repeat(120).trim();
    for await (const { samples, sampleRate } of openAiSpeaking(options()).speak({ text, language: 'english' }))
      seconds += samples.length / sampleRate;
    expect(stub.requests.length - before).toBe(2);
    expect(seconds).toBeGreaterThan((text.length / 20) * 0.99);
  });

  it('does not retry with a wrong key', async () => {
    const speech = openAiSpeaking({ ...options(), apiKey: 'sk-wrong' }).speak({ text: 'hello', language: 'english' });
    await expect(speech.next()).rejects.toMatchObject({ provider: 'openai', retryable: false });
  });
});

describe('a failing provider', () => {
  async function failureOf(answer: StubAnswer): Promise<unknown> {
    const stub = await startStub(() => answer);
    const speech = openAiSpeaking({ apiKey, baseUrl: stub.url }).speak({ text: 'hello', language: 'english', voice: 'nova' });
    const failure: unknown = await speech.next().catch((reason: unknown) => reason);
    await stub.close();
    return failure;
  }

  it('is asked again after the time it names', async () => {
    expect(await failureOf({ status: 429, headers: { 'retry-after': '7' } })).toMatchObject({
      retryable: true,
      retryAfterMs: 7000,
    });
    expect(await failureOf({ status: 503 })).toMatchObject({ retryable: true, retryAfterMs: undefined });
  });

  it('is a retryable failure if there is no fallback', async () => {
    const stub = await startStub(() => ({}));
    await stub.close();
    const speech = openAiSpeaking({ apiKey, baseUrl: stub.url }).speak({ text: 'hello', language: 'english' });
    await expect(speech.next()).rejects.toMatchObject({ retryable: true, message: 'openai: could not be reached' });
  });

  it('is a retryable failure if it disconnects midway', async () => {
    const stub = await startStub(() => ({ headers: { 'content-length': '999999' }, body: spokenBytes('hello', 24_000) }));
    const speech = openAiSpeaking({ apiKey, baseUrl: stub.url }).speak({ text: 'hello', language: 'english' });
    await speech.next();
    stub.server.closeAllConnections();
    await expect(drain(speech)).rejects.toMatchObject({ retryable: true, message: 'openai: broke off while speaking' });
    await stub.close();
  });
});

async function drain(items: AsyncIterable<unknown>): Promise<void> {
  for await (const _item of items);
}
