import { ProviderFailure } from '../provider-failure';
import {
  aModelRequest,
  type ModelEvent,
  type ModelRequest,
  ScriptedLanguageModel,
  type SpentInVain,
  spoken,
} from './language-model';
import { describeLanguageModel } from './language-model.suite';
import { ModelChain } from './model-chain';

const never = new AbortController().signal;
const failing = (retryable = true) =>
  new ScriptedLanguageModel(() => {
    throw new ProviderFailure('first', 'status 503', { retryable });
  });
const speaking = (text: string) => new ScriptedLanguageModel(() => spoken(text));
const silent = (signals: AbortSignal[]) =>
  new ScriptedLanguageModel(async function* (_, signal): AsyncGenerator<ModelEvent> {
    signals.push(signal);
    await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));
    yield* [];
  });

async function textOf(events: AsyncIterable<ModelEvent>): Promise<string> {
  let text = '';
  for await (const event of events) if (event.type === 'text') text += event.text;
  return text;
}

describeLanguageModel('a chain', () => new ModelChain([failing(), speaking('Within three working days.')]));

describe('a chain of models', () => {
  afterEach(() => jest.useRealTimers());

  it('asks the next model when one fails before its first word', async () => {
    const second = speaking('From the second.');
    await expect(textOf(new ModelChain([failing(), second]).stream(aModelRequest(), never))).resolves.toBe('From the second.');
    expect(second.requests).toHaveLength(1);
  });

  it('reports each model that failed and how, even if another one answered or all are resting', async () => {
    const told: string[] = [];
    const onFailure = ({ provider, kind }: ProviderFailure) => void told.push(`${provider} ${kind}`);
    const request = { ...aModelRequest(), onFailure };
    await textOf(new ModelChain([failing(), speaking(''), speaking('Third.')]).stream(request, never));
    expect(told.splice(0)).toEqual(['first UNAVAILABLE', 'scripted/model REFUSED']);
    const chain = new ModelChain([silent([]), failing(false)], { firstEventMs: 20, failuresMax: 1 });
    await expect(textOf(chain.stream(request, never))).rejects.toThrow(ProviderFailure);
    expect(told.splice(0)).toEqual(['scripted/model TIMEOUT', 'first REFUSED']);
    const breaking = new ScriptedLanguageModel(function* () {
      yield { type: 'text', text: 'Within ' };
      throw new ProviderFailure('first', 'status 429', { retryable: true, retryAfterMs: 1000 });
    });
    await expect(textOf(new ModelChain([breaking]).stream(request, never))).rejects.toThrow(ProviderFailure);
    expect(told).toEqual(['first BUSY']);
  });

  it('stays open to others whatever a question makes of an answer', async () => {
    const answers = ['', '', '', '', 'Within three days.'];
    const model = new ScriptedLanguageModel(() => spoken(answers.shift() ?? ''));
    const chain = new ModelChain([model], { failuresMax: 2 });
    for (let asked = 0; asked < 4; asked += 1)
      await expect(textOf(chain.stream(aModelRequest(), never))).rejects.toThrow('answered nothing');
    await expect(textOf(chain.stream(aModelRequest(), never))).resolves.toBe('Within three days.');
  });

  it('treats an empty answer as a failure', async () => {
    const chain = new ModelChain([speaking(''), speaking('Something.')]);
    await expect(textOf(chain.stream(aModelRequest(), never))).resolves.toBe('Something.');
  });

  it('abandons a model that does not start in time, and stops it', async () => {
    const signals: AbortSignal[] = [];
    const chain = new ModelChain([silent(signals), speaking('In time.')], { firstEventMs: 20 });
    await expect(textOf(chain.stream(aModelRequest(), never))).resolves.toBe('In time.');
    expect(signals[0]?.aborted).toBe(true);
  });

  it('does not start over once something was said', async () => {
    const second = speaking('Contradiction.');
    const breaking = new ScriptedLanguageModel(function* () {
      yield { type: 'text', text: 'Within ' };
      throw new ProviderFailure('first', 'the connection broke', { retryable: true });
    });
    const heard: string[] = [];
    const listening = (async () => {
      for await (const event of new ModelChain([breaking, second]).stream(aModelRequest(), never))
        if (event.type === 'text') heard.push(event.text);
    })();
    await expect(listening).rejects.toThrow('the connection broke');
    expect(heard).toEqual(['Within ']);
    expect(second.requests).toEqual([]);
  });

  it('gives up a model that falls silent in the middle of an answer', async () => {
    const stalling = new ScriptedLanguageModel(async function* (_, signal) {
      yield { type: 'text', text: 'Within ' };
      await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));
    });
    const chain = new ModelChain([stalling], { gapMs: 20 });
    await expect(textOf(chain.stream(aModelRequest(), never))).rejects.toThrow('nothing came within 20 ms');
  });

  it('skips a model that keeps failing, and tries it again after its rest', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
    const first = failing();
    const chain = new ModelChain([first, speaking('Second.')], { failuresMax: 2, restMs: 1000 });
    for (let turn = 0; turn < 5; turn++) await textOf(chain.stream(aModelRequest(), never));
    expect(first.requests).toHaveLength(2);
    jest.advanceTimersByTime(1001);
    await textOf(chain.stream(aModelRequest(), never));
    expect(first.requests).toHaveLength(3);
  });

  const thoughtOf = (...thoughts: string[]) =>
    async function* ({ onThought }: ModelRequest): AsyncGenerator<ModelEvent> {
      for (const thought of thoughts) await onThought?.(thought);
      yield* spoken('', { promptTokens: 10, completionTokens: 7 });
    };

  it('takes a thought for a sign of life, before the first word and between two', async () => {
    jest.useFakeTimers();
    const pauses = [700, 900, 999, 1_900, 1_900, 1_900].map((ms) => ({ ms, ...Promise.withResolvers<void>() }));
    const thinking = new ScriptedLanguageModel(async function* ({ onThought }) {
      for (const { promise } of pauses.slice(0, 3)) await promise.then(() => onThought?.('hm'));
      yield { type: 'text', text: 'After ' };
      for (const { promise } of pauses.slice(3)) await promise.then(() => onThought?.('hm'));
      yield* spoken('some thought.');
    });
    const second = speaking('Contradiction.');
    const chain = new ModelChain([thinking, second], { firstEventMs: 1_000, gapMs: 2_000 });
    const answered = textOf(chain.stream(aModelRequest(), never));
    for (const { ms, resolve } of pauses) {
      await jest.advanceTimersByTimeAsync(ms);
      resolve();
    }
    await expect(answered).resolves.toBe('After some thought.');
    expect(second.requests).toEqual([]);
  });

  it('abandons a model that falls silent while it thinks', async () => {
    jest.useFakeTimers();
    const first = new ScriptedLanguageModel(async function* ({ onThought }, signal) {
      await onThought?.('hm');
      await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));
      yield* [];
    });
    const answered = textOf(
      new ModelChain([first, speaking('In time.')], { firstEventMs: 1_000 }).stream(aModelRequest(), never),
    );
    await jest.advanceTimersByTimeAsync(1_000);
    await expect(answered).resolves.toBe('In time.');
  });

  it('tells what each model spent that thought, or wrote something, and did not answer', async () => {
    const spent: SpentInVain[] = [];
    const request = { ...aModelRequest(), onSpent: (one: SpentInVain) => void spent.push(one) };
    const breaking = async function* ({ onThought }: ModelRequest): AsyncGenerator<ModelEvent> {
      await onThought?.('hm');
      throw new ProviderFailure('breaking', 'status 503', { retryable: true });
    };
    const silentlyWriting = () => spoken('', { promptTokens: 3, completionTokens: 2 });
    const models = [
      ['thinking', thoughtOf('hm')],
      ['breaking', breaking],
      ['writing', silentlyWriting],
      ['idle', () => spoken('', { promptTokens: 3, completionTokens: 0 })],
    ] as const;
    const [first, ...others] = models.map(([name, script]) => new ScriptedLanguageModel(script, { name }));
    if (!first) throw new TypeError('there are four');
    await textOf(new ModelChain([first, ...others, failing(), speaking('Answer.')]).stream(request, never));
    expect(spent).toEqual([
      { model: 'thinking', usage: { promptTokens: 10, completionTokens: 7 } },
      { model: 'breaking', usage: null },
      { model: 'writing', usage: { promptTokens: 3, completionTokens: 2 } },
    ]);
  });

  it('passes on why thoughts cannot be paid, and asks no other model', async () => {
    const second = speaking('For free.');
    const request = {
      ...aModelRequest(),
      onThought: () => Promise.reject(new Error('too few credits')),
    };
    const first = new ScriptedLanguageModel(thoughtOf('hm'));
    await expect(textOf(new ModelChain([first, second]).stream(request, never))).rejects.toThrow('too few credits');
    expect(second.requests).toEqual([]);
  });

  it('says when to retry if no model works', async () => {
    const limited = new ScriptedLanguageModel(() => {
      throw new ProviderFailure('first', 'status 429', { retryable: true, retryAfterMs: 7000 });
    });
    await expect(textOf(new ModelChain([limited]).stream(aModelRequest(), never))).rejects.toMatchObject({
      retryable: true,
      retryAfterMs: 7000,
    });
  });
});
