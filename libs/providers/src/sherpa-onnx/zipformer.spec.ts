import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { joinSamples } from '@parley/audio';
import { type HearingEvent, type LiveHearing } from '@parley/ports';
import { describeSpeechToText } from '@parley/ports/suites';
import { ZipformerHearing } from './zipformer-hearing';
import { makeToneZipformer } from './tone-zipformer.fixture';
import { plain, wordsOf } from './zipformer-stream';

const sampleRate = 16_000;
const modelName = 'sherpa-onnx-streaming-zipformer-en-20M-2023-02-17';

const silence = (seconds: number): Int16Array => new Int16Array(seconds * sampleRate);

/** Noise, the same every time. */
function sound(seconds: number): Int16Array {
  let state = 1;
  return Int16Array.from({ length: seconds * sampleRate }, () => {
    state = (state * 48_271) % 2_147_483_647;
    return (state % 16_000) - 8000;
  });
}

async function* inBlocks(samples: Int16Array): AsyncGenerator<Int16Array> {
  for (let at = 0; at < samples.length; at += 1600) yield samples.subarray(at, at + 1600);
}

async function eventsOf(stream: LiveHearing): Promise<HearingEvent[]> {
  const events: HearingEvent[] = [];
  for await (const event of stream.events) events.push(event);
  return events;
}

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'models-'));
  await makeToneZipformer(path.join(folder, modelName));
});
afterAll(() => rm(folder, { recursive: true }));

/** With the real engine and a real process; only the weights know just two words, since no registry has a model. */
describe('zipformer', () => {
  let hearing: ZipformerHearing;
  beforeAll(() => {
    hearing = new ZipformerHearing(folder);
  });
  afterAll(() => hearing.close());

  const twoSentences = joinSamples([silence(1), sound(0.5), silence(1.5), sound(0.5), silence(1), sound(0.5), silence(1)]);

  it('transcribes while somebody speaks, and ends a sentence at a pause', async () => {
    const stream = await hearing.listen({ sampleRate });
    const events = stream.events[Symbol.asyncIterator]();
    for await (const block of inBlocks(joinSamples([silence(1), sound(0.6)]))) stream.push(block);
    expect(await events.next()).toMatchObject({ value: { kind: 'speech-started' } });
    expect(await events.next()).toMatchObject({ value: { kind: 'partial', text: 'tone' } });
    for await (const block of inBlocks(silence(1.5))) stream.push(block);
    expect(await events.next()).toMatchObject({ value: { kind: 'partial', text: 'tone rest' } });
    expect(await events.next()).toMatchObject({ value: { kind: 'final', text: 'tone rest', language: 'english' } });
    expect(await events.next()).toMatchObject({ value: { kind: 'speech-ended' } });
    stream.finish();
    expect(await events.next()).toMatchObject({ done: true });
  });

  it('transcribes a word that nothing follows', async () => {
    const stream = await hearing.listen({ sampleRate });
    for await (const block of inBlocks(joinSamples([silence(0.5), sound(0.5)]))) stream.push(block);
    stream.finish();
    expect((await eventsOf(stream)).filter(({ kind }) => kind === 'final')).toMatchObject([
      { text: expect.stringMatching(/^tone/) },
    ]);
  });

  it('times words from the start of the whole sound', async () => {
    const { text, words = [] } = await hearing.transcribe({ audio: () => inBlocks(twoSentences), sampleRate, words: true });
    expect(text).toBe('tone rest tone rest tone rest');
    expect(words.map((word) => word.text)).toEqual(['tone', 'rest', 'tone', 'rest', 'tone', 'rest']);
    for (const [index, expectedMs] of [1000, 1500, 3000, 3500, 4500, 5000].entries()) {
      expect(Math.abs((words[index]?.startMs ?? 0) - expectedMs)).toBeLessThanOrEqual(120);
    }
  });

  it('transcribes minutes of recording in time, and concurrent streams independently', async () => {
    const long = joinSamples(Array.from({ length: 60 }, () => joinSamples([sound(0.5), silence(1.5)])));
    const requests = [long, silence(3), sound(1)].map((samples) =>
      hearing.transcribe({ audio: () => once(samples), sampleRate }),
    );
    const [many, none, one] = await Promise.all(requests);
    expect(many?.text.split(' ')).toHaveLength(120);
    expect(none?.text).toBe('');
    expect(one?.text).toBe('tone rest');
  });

  it('accepts a telephone’s rate', async () => {
    const samples = sound(0.5).subarray(0, 4000);
    const { text } = await hearing.transcribe({
      audio: () => once(joinSamples([samples, new Int16Array(8000)])),
      sampleRate: 8000,
    });
    expect(text).toBe('tone rest');
  });

  it('refuses one stream too many, and accepts it once another has ended', async () => {
    const streams = await Promise.all(Array.from({ length: 16 }, () => hearing.listen({ sampleRate })));
    await expect(hearing.listen({ sampleRate })).rejects.toMatchObject({ retryable: true, retryAfterMs: 1000 });
    streams[0]?.close();
    streams[0] = await hearing.listen({ sampleRate });
    for (const stream of streams) stream.close();
  });

  it('gives up a stream that sends more than it can process, and no other', async () => {
    const streams = await Promise.all([hearing.listen({ sampleRate }), hearing.listen({ sampleRate })]);
    streams[0]?.push(silence(11));
    streams[1]?.push(silence(1));
    streams[1]?.finish();
    const [overrun, other] = await Promise.allSettled(streams.map(eventsOf));
    expect(overrun).toMatchObject({ reason: { name: 'ProviderFailure', retryable: true } });
    expect(other).toMatchObject({ status: 'fulfilled', value: [] });
  });

  it('ends with its caller', async () => {
    const leaving = new AbortController();
    const stream = await hearing.listen({ sampleRate, signal: leaving.signal });
    leaving.abort();
    expect(await eventsOf(stream)).toEqual([]);
    await expect(hearing.listen({ sampleRate, signal: leaving.signal })).rejects.toThrow(/abort/i);
  });

  it('loses its streams with a corrupt model, and explains how to continue without', async () => {
    const empty = await mkdtemp(path.join(tmpdir(), 'models-'));
    const broken = new ZipformerHearing(empty);
    expect(broken.capabilities.unavailable).toMatch(/PARLEY_MODELS.*npm run models -- add/);
    await expect(broken.listen({ sampleRate, model: 'streaming-en' })).rejects.toMatchObject({ retryable: false });
    await mkdir(path.join(empty, modelName));
    const names = [
      'encoder-epoch-99-avg-1.int8.onnx',
      'decoder-epoch-99-avg-1.onnx',
      'joiner-epoch-99-avg-1.int8.onnx',
      'tokens.txt',
    ];
    for (const name of names) await writeFile(path.join(empty, modelName, name), 'no model');
    expect(broken.capabilities.unavailable).toBeUndefined();
    await expect(broken.listen({ sampleRate })).rejects.toMatchObject({ name: 'ProviderFailure', retryable: true });
    await broken.close();
    await rm(empty, { recursive: true });
  });

  it('joins pieces of words, and keeps capitals only if a model has lower case too', () => {
    expect(wordsOf([' HE', 'LLO', ' WORLD'], [0.04, 0.2, 0.3])).toEqual([
      { text: 'hello', startMs: 40, endMs: 300 },
      { text: 'world', startMs: 300, endMs: 460 },
    ]);
    expect([plain('I AM HERE'), plain('I am here')]).toEqual(['i am here', 'I am here']);
  });
});

async function* once(samples: Int16Array): AsyncGenerator<Int16Array> {
  yield samples;
}

describeSpeechToText(
  'zipformer',
  () => new ZipformerHearing(folder),
  () => ({ samples: joinSamples([silence(0.5), sound(1), silence(0.5)]), language: 'english', word: 'tone' }),
);
