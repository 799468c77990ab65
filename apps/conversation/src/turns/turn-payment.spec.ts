import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { TurnItem } from '@parley/contracts';
import { type LanguageModel, ModelChain, type ModelUsage, ScriptedLanguageModel, spoken } from '@parley/ports';
import { eventually } from '@parley/testing';
import { noKnowledge } from '../surroundings.suite';
import { ChargedTurns, read } from './charged-turns.suite';

describe('a charged turn', () => {
  const turns = new ChargedTurns();
  const { extensions, settlements, model } = turns;

  beforeAll(() => turns.start());
  beforeEach(() => turns.begin());
  afterAll(() => turns.stop());

  describe('of a live session', () => {
    const speak = (more: object = {}) =>
      turns.ask(0, {
        channel: 'VOICE',
        payment: { chargeId: turns.chargeId, tokens: 0, isSettledByTurn: false, ofSession: {} },
        ...more,
      });

    it('opens its hold, has the id of its charge, and leaves its charge to the session', async () => {
      let last: TurnItem | undefined;
      for await (last of speak());
      expect(last).toMatchObject({ type: 'done', turnUUID: turns.chargeId });
      expect(extensions[0]).toMatchObject({ chargeId: turns.chargeId, opens: {}, usage: [{ kind: 'TTT_API' }] });
      expect(settlements).toEqual([]);
    });

    it('asks once, ahead, for what the agent’s latest turn may have cost', async () => {
      await read(speak());
      [turns.chargeId, extensions.length] = [randomUUID(), 0];
      expect(await read(speak())).toContain('done');
      expect(extensions).toHaveLength(1);
      expect(extensions[0]).not.toHaveProperty('tokensMin');
      expect(extensions[0]).toHaveProperty('opens', {});
    });

    it('is refused before its model is asked, if its prompt leaves no answer', async () => {
      turns.balance = 20;
      await expect(read(speak())).rejects.toMatchObject({ code: 'CREDITS_EXHAUSTED' });
      expect([model.requests, extensions]).toEqual([[], []]);
    });
  });

  it('asks for no more while its prompt and longest answer are covered', async () => {
    expect(await read(turns.ask(100_000))).toContain('done');
    expect([extensions, settlements]).toEqual([[], []]);
  });

  it('has more held before its model is asked for more', async () => {
    expect(await read(turns.ask(10))).toContain('done');
    const { MaxTokens } = turns.shop.agent.RuntimeConfiguration;
    expect(extensions).toMatchObject([
      { chargeId: turns.chargeId, usage: [{ kind: 'TTT_API' }], used: [{ kind: 'TTT_API', units: 0 }] },
    ]);
    expect(extensions[0]?.usage[0]?.units).toBeGreaterThan(MaxTokens);
  });

  const mostHeld = async () => {
    expect(await read(turns.ask(10))).toContain('done');
    [turns.chargeId, model.requests.length] = [randomUUID(), 0];
    return extensions.splice(0)[0]?.usage[0]?.units ?? 0;
  };

  describe('of an agent with tools', () => {
    // Each described field is read by the model, in every step.
    const described = 'What the caller said of the order, word by word. '.repeat(20);
    const fields = Object.fromEntries(
      ['order', 'name', 'reason'].map((name) => [name, { type: 'string', description: described }]),
    );
    const tool = {
      ...{ name: 'note_order', description: described, method: 'POST' as const, url: 'https://shop.example/note', headers: [] },
      ...{ parameters: { type: 'object', properties: fields }, timeoutMs: 5_000 },
    };
    const lettersOfTools = 4 * described.length;

    beforeEach(() => {
      turns.shop.agent.RuntimeConfiguration.Tools = [tool];
    });

    it('has what its model reads of them held', async () => {
      const withTools = await mostHeld();
      turns.shop = turns.installation.shop();
      expect(withTools - (await mostHeld())).toBeGreaterThan(lettersOfTools / 4);
    });

    it('has the next step held by what the one before was counted to read, which is less than its letters may be', async () => {
      const { MaxTokens } = turns.shop.agent.RuntimeConfiguration;
      const most = await mostHeld();
      turns.balance = most;
      model.script = ({ messages }) =>
        messages.length > 1
          ? spoken('Noted.')
          : [
              { type: 'tool-call', call: { id: 'a', name: 'unknown_tool', arguments: {} } },
              { type: 'finish', reason: 'tool-calls', usage: { promptTokens: MaxTokens + 100, completionTokens: 20 } },
            ];
      expect(2 * MaxTokens + 300).toBeLessThan(most);
      expect(await read(turns.ask(10))).toContain('done');
      expect(model.requests).toHaveLength(2);
    });

    it('answers without them, if credits do not cover another step that reads them', async () => {
      const { MaxTokens } = turns.shop.agent.RuntimeConfiguration;
      const most = await mostHeld();
      const calls = [
        { type: 'tool-call' as const, call: { id: 'a', name: 'unknown_tool', arguments: {} } },
        { type: 'finish' as const, reason: 'tool-calls' as const, usage: { promptTokens: most - 20, completionTokens: 20 } },
      ];
      model.script = ({ tools }) => (tools.length > 0 ? calls : spoken('Noted.'));
      // The next prompt is covered, but not one word of an answer to it.
      turns.balance = most + (most - MaxTokens);
      expect(await read(turns.ask(10))).toContain('done');
      expect(model.requests.map(({ tools }) => tools.length > 0)).toEqual([true, false]);
      [turns.chargeId, turns.balance] = [randomUUID(), most];
      await expect(read(turns.ask(10))).rejects.toMatchObject({ code: 'CREDITS_EXHAUSTED' });
    });

    it('is charged for them where its provider counts nothing, and where its reader leaves', async () => {
      model.script = () => [
        { type: 'text', text: 'Within three working days.' },
        { type: 'finish', reason: 'stop', usage: null },
      ];
      let last: TurnItem | undefined;
      for await (last of turns.ask(100_000));
      expect(last).toMatchObject({ type: 'done' });
      const counted = last?.type === 'done' ? last.tokenUsage.promptTokens : 0;
      expect(counted).toBeGreaterThan(lettersOfTools / 6);
      turns.chargeId = randomUUID();
      model.script = async function* (_request, signal) {
        // The guard of the answer holds the last words back.
        for (let n = 0; n < 20; n += 1) yield { type: 'text' as const, text: 'Within three working days. ' };
        if (!signal.aborted) await once(signal, 'abort');
        signal.throwIfAborted();
      };
      for await (const { type } of turns.ask(100_000)) if (type === 'delta') break;
      await eventually('the turn is settled', () => settlements.length > 0);
      expect(settlements[0]?.usage[0]?.units).toBeGreaterThanOrEqual(counted);
    });
  });

  it('asks its model for a shorter answer where the longest cannot be paid', async () => {
    const { MaxTokens } = turns.shop.agent.RuntimeConfiguration;
    const most = await mostHeld();
    turns.balance = most - MaxTokens + 100;
    expect(await read(turns.ask(10))).toContain('done');
    expect(model.requests.map(({ tokensMax }) => tokensMax)).toEqual([100]);
    expect(extensions).toMatchObject([{ usage: [{ kind: 'TTT_API', units: most }] }]);
  });

  it.each(['CREDITS_EXHAUSTED', 'RATE_LIMITED'] as const)(
    'ends with %s where its prompt leaves no answer, before its model is asked',
    async (code) => {
      turns.balance = (await mostHeld()) - turns.shop.agent.RuntimeConfiguration.MaxTokens + 15;
      turns.shortage = code;
      await expect(read(turns.ask(10))).rejects.toMatchObject({ code });
      expect([model.requests, settlements]).toEqual([[], []]);
    },
  );

  it('has a stored answer held, or is refused before a word of it is said', async () => {
    const Answer = 'Within three working days. '.repeat(20);
    const faq = { KBFAQID: 21, KBFAQKeyID: randomUUID(), Question: 'When?', Answer, score: 0.97 };
    turns.installation.surroundings.retrieve = () => ({ ...noKnowledge, faq, isKnown: true });
    try {
      expect(await read(turns.ask(10))).toContain('done');
      expect(extensions).toMatchObject([
        { chargeId: turns.chargeId, usage: [{ kind: 'TTT_API' }], used: [{ kind: 'TTT_API', units: 0 }] },
      ]);
      [turns.balance, turns.chargeId] = [50, randomUUID()];
      await expect(read(turns.ask(10))).rejects.toMatchObject({ code: 'CREDITS_EXHAUSTED' });
      expect([extensions.length, settlements]).toEqual([1, []]);
    } finally {
      turns.installation.surroundings.retrieve = () => noKnowledge;
    }
  });

  describe('whose balance ends within its answer', () => {
    const words = 'more and more words ';
    const finished = async (items: AsyncIterable<TurnItem>) => {
      let streamed = '';
      for await (const item of items) {
        if (item.type === 'delta') streamed += item.text;
        if (item.type === 'done') return { ...item, streamed };
      }
      throw new Error('the turn did not end');
    };

    it.each([
      ['many pieces', 400, 2],
      ['a single piece', 1, 800],
    ])('delivers what was held for, of %s, and is charged no more', async (_, pieces, times) => {
      turns.balance = 2_000;
      model.script = async function* () {
        for (let n = 0; n < pieces; n += 1) yield { type: 'text' as const, text: words.repeat(times) };
        yield { type: 'finish' as const, reason: 'stop' as const, usage: { promptTokens: 10, completionTokens: 4_000 } };
      };
      const { answer, streamed, tokenUsage } = await finished(turns.ask(10));
      expect(answer).toBe(streamed);
      expect(words.repeat(800)).toContain(answer.trim());
      expect(answer.length).toBeGreaterThan(2_000);
      expect(tokenUsage.totalTokens).toBeLessThanOrEqual(2_000);
      // Its gateway charges it, like every answer.
      expect(settlements).toEqual([]);
    });

    it('delivers what it said before a tool, if the rest cannot be paid', async () => {
      model.script = ({ messages }) => {
        if (messages.length === 1) turns.balance = 0;
        return [
          { type: 'text', text: 'Let me look. ' },
          { type: 'tool-call', call: { id: 'a', name: 'unknown_tool', arguments: {} } },
          { type: 'finish', reason: 'tool-calls', usage: { promptTokens: 3_000, completionTokens: 20 } },
        ];
      };
      expect(await finished(turns.ask(10))).toMatchObject({ answer: 'Let me look. ', tokenUsage: { totalTokens: 3_020 } });
      expect(model.requests.length).toBe(1);
    });
  });

  it('delivers the paid part of an endless answer, up to the limit, and completes', async () => {
    model.script = async function* () {
      for (let n = 0; n < 1_000; n += 1) yield { type: 'text' as const, text: 'more and more words '.repeat(3) };
    };
    let answer = '';
    for await (const item of turns.ask(1_000_000)) if (item.type === 'done') ({ answer } = item);
    expect(answer.length).toBeGreaterThan(20_000);
    expect(answer.length).toBeLessThan(22_000);
  });

  describe('of models that think', () => {
    const thoughts = 'The caller asks when we deliver, so I look that up. '.repeat(40);
    /** Thinks, and then says this; usage is told or not. */
    const thinking = (said: string, usage?: ModelUsage) =>
      new ScriptedLanguageModel(async function* ({ onThought }) {
        await onThought?.(thoughts);
        for (const event of spoken(said, usage)) yield event.type === 'finish' && !usage ? { ...event, usage: null } : event;
      });
    const tokensOf = async (...models: [LanguageModel, ...LanguageModel[]]) => {
      turns.installation.model = new ModelChain(models);
      turns.chargeId = randomUUID();
      let told = 0;
      for await (const item of turns.ask(100_000)) if (item.type === 'done') told = item.tokenUsage.totalTokens;
      return told;
    };
    afterEach(() => void (turns.installation.model = model));

    it('pays the thoughts with the answer, by the count of the provider or by ours', async () => {
      const plain = await tokensOf(new ScriptedLanguageModel(() => spoken('Soon.', { promptTokens: 0, completionTokens: 0 })));
      const counted = await tokensOf(thinking('Soon.'));
      expect(counted - plain).toBeGreaterThan(thoughts.length / 8);
      expect(await tokensOf(thinking('Soon.', { promptTokens: 100, completionTokens: 500 }))).toBe(600);
    });

    it('pays what a model did in vain, beside the answer of the next', async () => {
      const answering = new ScriptedLanguageModel(() => spoken('Soon.', { promptTokens: 100, completionTokens: 2 }));
      expect(await tokensOf(thinking('', { promptTokens: 90, completionTokens: 400 }), answering)).toBe(592);
      expect(await tokensOf(thinking(''), answering)).toBeGreaterThan(102 + thoughts.length / 8);
    });

    it('pays what was thought where nobody answers', async () => {
      const failure = expect(tokensOf(thinking('', { promptTokens: 90, completionTokens: 400 }))).rejects;
      await failure.toMatchObject({ code: 'MODEL_PROVIDER_UNAVAILABLE' });
      await eventually('it is charged', () => settlements.length > 0);
      expect(settlements).toMatchObject([{ chargeId: turns.chargeId, usage: [{ kind: 'TTT_API', units: 490 }] }]);
    });

    it('ends them with the balance', async () => {
      let written = 0;
      const endless = new ScriptedLanguageModel(async function* ({ onThought }) {
        for (; written < 1_000; written += 1) await onThought?.(thoughts);
        yield* spoken('Soon.');
      });
      turns.balance = 4_000;
      turns.installation.model = new ModelChain([endless, model]);
      await expect(read(turns.ask(10))).rejects.toMatchObject({ code: 'CREDITS_EXHAUSTED' });
      expect(written).toBeLessThan(20);
      await eventually('it is charged', () => settlements.length > 0);
      expect(model.requests).toEqual([]);
    });
  });
});
