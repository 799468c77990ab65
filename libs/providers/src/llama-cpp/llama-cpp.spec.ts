import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { aModelRequest, type ModelEvent, type ModelRequest } from '@parley/ports';
import { describeLanguageModel } from '@parley/ports/suites';
import { importLlama, LlamaCpp, llamaCppAt, type LlamaCppOptions } from './index';
import { FakeLlama } from './llama-module.fake';

const never = new AbortController().signal;
const folder = mkdtempSync(path.join(tmpdir(), 'llama-cpp-'));
const gguf = path.join(folder, 'small.gguf');
writeFileSync(gguf, 'GGUF');
afterAll(() => rmSync(folder, { recursive: true }));

const over = (fake: FakeLlama, changes: Partial<LlamaCppOptions> = {}) =>
  new LlamaCpp({ path: gguf, contextTokens: 8192, importing: fake.importing, ...changes });

async function eventsOf(model: LlamaCpp, changes: Partial<ModelRequest> = {}, signal = never): Promise<ModelEvent[]> {
  const events: ModelEvent[] = [];
  for await (const event of model.stream(aModelRequest(changes), signal)) events.push(event);
  return events;
}

// A model is at least half a gigabyte, so these use a stand-in for the library that behaves as documented.
describeLanguageModel('llama.cpp over a stand-in for node-llama-cpp', () => over(new FakeLlama()));

describe('llama.cpp over a stand-in for node-llama-cpp', () => {
  it('passes words on as they come, and counts in the model’s own tokens', async () => {
    const model = over(new FakeLlama(), { sequences: 1 });
    await eventsOf(model);
    const events = await eventsOf(model);
    expect(events.map((event) => (event.type === 'text' ? event.text : event))).toEqual([
      'Within ',
      'three ',
      'working ',
      'days.',
      { type: 'finish', reason: 'stop', usage: { promptTokens: 7, completionTokens: 4 } },
    ]);
  });

  it('distinguishes an answer that was cut off from one that ended', async () => {
    const fake = Object.assign(new FakeLlama(), { stopReason: 'maxTokens' });
    expect((await eventsOf(over(fake))).at(-1)).toMatchObject({ type: 'finish', reason: 'length' });
  });

  it('includes the persona, the history and results of another model’s tools', async () => {
    const fake = new FakeLlama();
    await eventsOf(over(fake), {
      messages: [
        { role: 'user', text: 'Hello' },
        { role: 'assistant', text: 'Good day.' },
        { role: 'user', text: 'Open on Sunday?' },
        { role: 'assistant', text: '', toolCalls: [{ id: 'c', name: 'business_hours', arguments: {} }] },
        { role: 'tool', callId: 'c', name: 'business_hours', text: 'Closed on Sunday.' },
      ],
    });
    expect(fake.prompts).toMatchObject([
      {
        history: [
          { type: 'system', text: 'You are Maya.' },
          { type: 'user', text: 'Hello' },
          { type: 'model', response: ['Good day.'] },
          { type: 'user', text: 'Open on Sunday?' },
        ],
        prompt: '(business_hours: Closed on Sunday.)',
        options: { temperature: 0.4, maxTokens: 256 },
      },
    ]);
  });

  it('loads its file once for all, even for concurrent requests', async () => {
    const fake = new FakeLlama();
    const model = over(fake);
    await Promise.all([eventsOf(model), eventsOf(model), eventsOf(model)]);
    await eventsOf(model);
    expect(fake.loads).toEqual([gguf]);
    expect(llamaCppAt({ path: gguf, contextTokens: 8192 })).toBe(llamaCppAt({ path: gguf, contextTokens: 8192 }));
  });

  it('answers as many at a time as it has sequences, lets some wait and refuses one more at once', async () => {
    const fake = new FakeLlama();
    const model = over(fake, { sequences: 2, queueMax: 3 });
    const asked = Array.from({ length: 6 }, () => eventsOf(model));
    const outcomes = await Promise.allSettled(asked);
    expect(outcomes.map(({ status }) => status)).toEqual([...Array.from({ length: 5 }, () => 'fulfilled'), 'rejected']);
    expect(outcomes.at(-1)).toMatchObject({ reason: { retryable: true, retryAfterMs: 1000 } });
    expect(fake.busiest).toBe(2);
  });

  it('abandons a caller that leaves during loading, and serves the next from the same load', async () => {
    const reading = Promise.withResolvers<void>();
    const fake = Object.assign(new FakeLlama(), { reading: reading.promise });
    const model = over(fake, { sequences: 1 });
    const leaving = new AbortController();
    const left = eventsOf(model, {}, leaving.signal);
    leaving.abort(new Error('left'));
    await expect(left).rejects.toThrow('left');
    const next = eventsOf(model);
    reading.resolve();
    expect((await next).at(-1)).toMatchObject({ type: 'finish' });
    expect(fake.loads).toHaveLength(1);
  });

  it('stops the model when its stream is abandoned, and keeps what the sequence has read', async () => {
    const fake = new FakeLlama();
    fake.words = Array.from({ length: 10_000 }, () => 'on ');
    const model = over(fake, { sequences: 1 });
    for await (const event of model.stream(aModelRequest(), never)) if (event.type === 'text') break;
    fake.words = ['Yes.'];
    expect((await eventsOf(model)).map(({ type }) => type)).toEqual(['text', 'finish']);
    expect(fake.cleared).toEqual([]);
  });

  it('treats a failure of the model as temporary, and clears its sequence', async () => {
    const fake = new FakeLlama();
    const model = over(fake, { sequences: 1 });
    fake.between = () => Promise.reject(new Error('Eval has failed'));
    await expect(eventsOf(model)).rejects.toMatchObject({ name: 'ProviderFailure', retryable: true });
    expect(fake.cleared).toHaveLength(1);
    fake.between = () => Promise.resolve();
    expect((await eventsOf(model)).at(-1)).toMatchObject({ type: 'finish' });
  });
});

describe('a llama.cpp model that cannot be loaded', () => {
  it('says which package to install', async () => {
    const model = over(new FakeLlama(), { importing: () => importLlama('node-llama-cpp-that-nobody-installed') });
    await expect(eventsOf(model)).rejects.toMatchObject({
      retryable: false,
      message: expect.stringContaining('npm install --no-save node-llama-cpp-that-nobody-installed@'),
    });
  });

  it('names the variable that points to no file, and loads as soon as it does', async () => {
    const later = path.join(folder, 'later.gguf');
    const model = over(new FakeLlama(), { path: later });
    await expect(eventsOf(model)).rejects.toMatchObject({
      retryable: false,
      message: expect.stringContaining(`set LLAMA_MODEL_PATH to a GGUF file (now “${later}”)`),
    });
    writeFileSync(later, 'GGUF');
    expect((await eventsOf(model)).at(-1)).toMatchObject({ type: 'finish' });
  });

  it('frees its memory if there is none for its contexts, and says so', async () => {
    const fake = new FakeLlama();
    fake.createContext = () => Promise.reject(new Error('not enough VRAM'));
    await expect(eventsOf(over(fake))).rejects.toMatchObject({
      retryable: false,
      message: expect.stringContaining('not enough VRAM'),
    });
    expect(fake.isDisposed).toBe(true);
  });

  it('is imported as a module with top-level await, like the real one', async () => {
    const module = path.join(folder, 'module.mjs');
    writeFileSync(module, 'export const getLlama = await Promise.resolve("loaded");');
    expect(await importLlama(module)).toMatchObject({ getLlama: 'loaded' });
  });
});
