import { once } from 'node:events';
import { type HearingEvent, type LiveHearing } from '@parley/ports';
import { describeSpeechToText, describeTextToSpeech } from '@parley/ports/suites';
import { type WebSocket, WebSocketServer } from 'ws';
import {
  demand,
  heardIn,
  jsonOf,
  spokenBytes,
  startStub,
  type StubAnswer,
  type StubRequest,
} from '../speech-http/stub-provider.fake';
import { deepgramHearing, deepgramSpeaking } from './index';

const apiKey = 'dg-stub';
const rates = ['8000', '16000', '24000', '32000', '48000'];

/** Enforces the documentation of `/v1/speak` and `/v1/listen`. */
async function deepgram(request: StubRequest): Promise<StubAnswer> {
  demand(request.headers.authorization === `Token ${apiKey}`, 'Invalid credentials.', 401);
  return request.path === '/v1/speak' ? speak(request) : listen(request);
}

function speak(request: StubRequest): StubAnswer {
  const { query } = request;
  demand(/^aura-2-\w+-en$/.test(query.get('model') ?? ''), 'no such model');
  demand(query.get('encoding') === 'linear16' && query.get('container') === 'none', 'this stub makes raw linear16 only');
  demand(rates.includes(query.get('sample_rate') ?? ''), 'unsupported sample rate');
  const { text } = jsonOf(request);
  demand(typeof text === 'string' && text.length > 0 && text.length <= 2000, 'text must have 1 to 2000 characters', 413);
  return { body: spokenBytes(text, Number(query.get('sample_rate'))) };
}

async function listen({ path, query, headers, body }: StubRequest): Promise<StubAnswer> {
  demand(path === '/v1/listen', 'no such path', 404);
  demand(query.get('model') === 'nova-3' && ['en', 'hi'].includes(query.get('language') ?? ''), 'no such model or language');
  demand(headers['content-type'] === 'audio/wav', 'content-type must tell the sound', 415);
  const transcript = await heardIn(body);
  const words = transcript ? [{ word: transcript, punctuated_word: transcript, start: 0.1, end: 0.5, confidence: 1 }] : [];
  return { body: { metadata: {}, results: { channels: [{ alternatives: [{ transcript, confidence: 1, words }] }] } } };
}

const results = (transcript: string, isFinal: boolean, speechFinal = false) =>
  JSON.stringify({
    type: 'Results',
    is_final: isFinal,
    speech_final: speechFinal,
    start: 0,
    duration: 1,
    channel: { alternatives: [{ transcript, confidence: 1, words: [{ word: transcript, start: 0, end: 1, confidence: 1 }] }] },
  });

/** The live line: a partial at the first sound, a final at the second, and an end on request. */
function serveLive(socket: WebSocket): void {
  let frames = 0;
  socket.on('message', (data, isBinary) => {
    if (!isBinary) {
      if (JSON.parse(String(data)).type !== 'CloseStream') return;
      socket.send(JSON.stringify({ type: 'Metadata' }));
      socket.close(1000);
      return;
    }
    frames += 1;
    if (frames === 1) socket.send(JSON.stringify({ type: 'SpeechStarted', channel: [0], timestamp: 0 }));
    socket.send(frames === 1 ? results('hel', false) : results('hello', true, true));
  });
}

describe('Deepgram’s protocol', () => {
  let stub: Awaited<ReturnType<typeof startStub>>;
  let lines: WebSocketServer;
  let lastLine: { query: URLSearchParams; socket: WebSocket } | undefined;
  beforeAll(async () => {
    stub = await startStub(deepgram);
    lines = new WebSocketServer({ noServer: true });
    stub.server.on('upgrade', (request, socket, head) => {
      const { searchParams } = new URL(request.url ?? '/', 'http://stub');
      if (request.headers.authorization !== `Token ${apiKey}`) return socket.end('HTTP/1.1 401 Unauthorized\r\n\r\n');
      if (searchParams.get('encoding') !== 'linear16' || !searchParams.get('sample_rate'))
        return socket.end('HTTP/1.1 400 Bad Request\r\n\r\n');
      lines.handleUpgrade(request, socket, head, (line) => {
        lastLine = { query: searchParams, socket: line };
        serveLive(line);
      });
    });
  });
  afterAll(async () => {
    for (const line of lines.clients) line.terminate();
    await stub.close();
  });

  const options = () => ({ apiKey, baseUrl: stub.url });

  describeTextToSpeech('Deepgram', () => deepgramSpeaking(options()));
  describeSpeechToText(
    'Deepgram',
    () => deepgramHearing(options()),
    () => ({ samples: new Int16Array(16_000).fill(4000), language: 'english', word: 'hello' }),
  );

  async function listenTo(): Promise<LiveHearing> {
    const line = await deepgramHearing(options()).listen?.({ sampleRate: 8000, language: 'hindi', words: true });
    if (!line) throw new TypeError('the engine is live');
    return line;
  }

  it('transcribes live: a partial, then the final, then the end', async () => {
    const line = await listenTo();
    line.push(new Int16Array(160));
    line.push(new Int16Array(160));
    line.finish();
    expect(await gather(line.events)).toEqual([
      { kind: 'speech-started' },
      { kind: 'partial', text: 'hel' },
      { kind: 'final', text: 'hello', language: 'hindi', words: [{ text: 'hello', startMs: 0, endMs: 1000 }] },
      { kind: 'speech-ended' },
    ]);
    expect(Object.fromEntries(lastLine?.query ?? [])).toMatchObject({
      language: 'hi',
      sample_rate: '8000',
      interim_results: 'true',
      channels: '1',
    });
  });

  it('reports to its reader that the line is lost', async () => {
    const line = await listenTo();
    lastLine?.socket.terminate();
    await expect(gather(line.events)).rejects.toMatchObject({ provider: 'deepgram', retryable: true });
  });

  it('ends without a failure when it is closed on purpose', async () => {
    const line = await listenTo();
    line.close();
    expect(await gather(line.events)).toEqual([]);
  });

  it('does not retry with a wrong key, but does when the provider is down', async () => {
    const wrong = deepgramHearing({ ...options(), apiKey: 'wrong' });
    await expect(wrong.listen?.({ sampleRate: 8000 })).rejects.toMatchObject({
      retryable: false,
      message: expect.stringContaining('401'),
    });
    const away = await startStub(() => ({}));
    await away.close();
    await expect(deepgramHearing({ apiKey, baseUrl: away.url }).listen?.({ sampleRate: 8000 })).rejects.toMatchObject({
      retryable: true,
    });
  });

  it('keeps a silent line alive', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'performance'] });
    try {
      const line = await listenTo();
      const said = lastLine ? once(lastLine.socket, 'message') : Promise.reject(new Error('no line'));
      jest.advanceTimersByTime(4000);
      expect(JSON.parse(String((await said)[0]))).toEqual({ type: 'KeepAlive' });
      line.close();
    } finally {
      jest.useRealTimers();
    }
  });
});

async function gather(events: AsyncIterable<HearingEvent>): Promise<HearingEvent[]> {
  const all: HearingEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}
