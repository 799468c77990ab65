import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { Controller } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import {
  type BodyOf,
  extendCharge,
  Fault,
  listConversationLogs,
  readPaidTurns,
  readTurn,
  settleCharge,
  streamTurn,
  type TurnItem,
} from '@parley/contracts';
import { BusServer, Handles, runInCall } from '@parley/messaging';
import { type LanguageModel, ModelChain, type ModelUsage, ProviderFailure, ScriptedLanguageModel, spoken } from '@parley/ports';
import { eventually } from '@parley/testing';
import { Installation, type Shop } from '../installation.suite';
import { noKnowledge } from '../surroundings.suite';

type Extension = BodyOf<typeof extendCharge>;
type Settlement = BodyOf<typeof settleCharge>;

const extensions: Extension[] = [];
const settlements: Settlement[] = [];
let balance = 0;
let shortage: 'CREDITS_EXHAUSTED' | 'RATE_LIMITED' = 'CREDITS_EXHAUSTED';

@Controller()
class Gateway {
  @Handles(extendCharge)
  async extend(body: Extension) {
    const wanted = body.usage[0]?.units ?? 0;
    if (Math.min(wanted, body.tokensMin ?? wanted) > balance) throw new Fault(shortage);
    extensions.push(body);
    return { chargeId: body.chargeId, tokens: Math.min(wanted, balance) };
  }

  @Handles(settleCharge)
  async settle(body: Settlement) {
    settlements.push(body);
    return { chargeId: body.chargeId };
  }
}

describe('a charged turn', () => {
  let installation: Installation;
  let shop: Shop;
  const stops: (() => Promise<unknown>)[] = [];
  const model = new ScriptedLanguageModel(() => []);
  let chargeId = '';

  beforeAll(async () => {
    installation = await Installation.start();
    installation.model = model;
    class Application {}
    const strategy = new BusServer(installation.broker.connect(), { service: 'gateway' });
    const module = { module: Application, controllers: [Gateway] };
    const app = await NestFactory.createMicroservice(module, { strategy, logger: false });
    await app.listen();
    stops.push(() => app.close());
  });
  beforeEach(() => {
    chargeId = randomUUID();
    model.requests.length = 0;
    extensions.length = 0;
    settlements.length = 0;
    [balance, shortage] = [1_000_000, 'CREDITS_EXHAUSTED'];
    model.script = () => spoken('We deliver within three working days.');
    shop = installation.shop();
  });
  afterAll(async () => {
    for (const stop of stops) await stop();
    await installation.stop();
  });

  const ask = (tokens: number, more: object = {}) => {
    const payment = { chargeId, tokens, isSettledByTurn: true };
    return installation.bus.stream(streamTurn, { question: 'When?', payment, ...more }, { principal: shop.caller });
  };
  const read = async (items: AsyncIterable<{ type: string }>) => {
    const types: string[] = [];
    for await (const { type } of items) types.push(type);
    return types;
  };
  const speaking = (after: 'nothing' | 'words') =>
    async function* () {
      if (after === 'words') yield { type: 'text' as const, text: 'We deliver ' };
      throw new ProviderFailure('spec', 'it broke', { retryable: false });
    };

  describe('of a live session', () => {
    const speak = (more: object = {}) =>
      ask(0, { channel: 'VOICE', payment: { chargeId, tokens: 0, isSettledByTurn: false, ofSession: {} }, ...more });

    it('opens its hold, has the id of its charge, and leaves its charge to the session', async () => {
      let last: TurnItem | undefined;
      for await (last of speak());
      expect(last).toMatchObject({ type: 'done', turnUUID: chargeId });
      expect(extensions[0]).toMatchObject({ chargeId, opens: {}, usage: [{ kind: 'TTT_API' }] });
      expect(settlements).toEqual([]);
    });

    it('asks once, ahead, for what the agent’s latest turn may have cost', async () => {
      await read(speak());
      [chargeId, extensions.length] = [randomUUID(), 0];
      expect(await read(speak())).toContain('done');
      expect(extensions).toHaveLength(1);
      expect(extensions[0]).not.toHaveProperty('tokensMin');
      expect(extensions[0]).toHaveProperty('opens', {});
    });

    it('is refused before its model is asked, if its prompt leaves no answer', async () => {
      balance = 20;
      await expect(read(speak())).rejects.toMatchObject({ code: 'CREDITS_EXHAUSTED' });
      expect([model.requests, extensions]).toEqual([[], []]);
    });
  });

  it('asks for no more while its prompt and longest answer are covered', async () => {
    expect(await read(ask(100_000))).toContain('done');
    expect([extensions, settlements]).toEqual([[], []]);
  });

  it('has more held before its model is asked for more', async () => {
    expect(await read(ask(10))).toContain('done');
    const { MaxTokens } = shop.agent.RuntimeConfiguration;
    expect(extensions).toMatchObject([{ chargeId, usage: [{ kind: 'TTT_API' }], used: [{ kind: 'TTT_API', units: 0 }] }]);
    expect(extensions[0]?.usage[0]?.units).toBeGreaterThan(MaxTokens);
  });

  const mostHeld = async () => {
    expect(await read(ask(10))).toContain('done');
    [chargeId, model.requests.length] = [randomUUID(), 0];
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
      shop.agent.RuntimeConfiguration.Tools = [tool];
    });

    it('has what its model reads of them held', async () => {
      const withTools = await mostHeld();
      shop = installation.shop();
      expect(withTools - (await mostHeld())).toBeGreaterThan(lettersOfTools / 2);
    });

    it('is charged for them where its provider counts nothing, and where its reader leaves', async () => {
      model.script = () => [
        { type: 'text', text: 'Within three working days.' },
        { type: 'finish', reason: 'stop', usage: null },
      ];
      let last: TurnItem | undefined;
      for await (last of ask(100_000));
      expect(last).toMatchObject({ type: 'done' });
      const counted = last?.type === 'done' ? last.tokenUsage.promptTokens : 0;
      expect(counted).toBeGreaterThan(lettersOfTools / 6);
      chargeId = randomUUID();
      model.script = async function* (_request, signal) {
        // The guard of the answer holds the last words back.
        for (let n = 0; n < 20; n += 1) yield { type: 'text' as const, text: 'Within three working days. ' };
        if (!signal.aborted) await once(signal, 'abort');
        signal.throwIfAborted();
      };
      for await (const { type } of ask(100_000)) if (type === 'delta') break;
      await eventually('the turn is settled', () => settlements.length > 0);
      expect(settlements[0]?.usage[0]?.units).toBeGreaterThanOrEqual(counted);
    });
  });

  it('asks its model for a shorter answer where the longest cannot be paid', async () => {
    const { MaxTokens } = shop.agent.RuntimeConfiguration;
    const most = await mostHeld();
    balance = most - MaxTokens + 100;
    expect(await read(ask(10))).toContain('done');
    expect(model.requests.map(({ tokensMax }) => tokensMax)).toEqual([100]);
    expect(extensions).toMatchObject([{ usage: [{ kind: 'TTT_API', units: most }] }]);
  });

  it.each(['CREDITS_EXHAUSTED', 'RATE_LIMITED'] as const)(
    'ends with %s where its prompt leaves no answer, before its model is asked',
    async (code) => {
      balance = (await mostHeld()) - shop.agent.RuntimeConfiguration.MaxTokens + 15;
      shortage = code;
      await expect(read(ask(10))).rejects.toMatchObject({ code });
      expect([model.requests, settlements]).toEqual([[], []]);
    },
  );

  it('has a stored answer held, or is refused before a word of it is said', async () => {
    const Answer = 'Within three working days. '.repeat(20);
    const faq = { KBFAQID: 21, KBFAQKeyID: randomUUID(), Question: 'When?', Answer, score: 0.97 };
    installation.surroundings.retrieve = () => ({ ...noKnowledge, faq, isKnown: true });
    try {
      expect(await read(ask(10))).toContain('done');
      expect(extensions).toMatchObject([{ chargeId, usage: [{ kind: 'TTT_API' }], used: [{ kind: 'TTT_API', units: 0 }] }]);
      [balance, chargeId] = [50, randomUUID()];
      await expect(read(ask(10))).rejects.toMatchObject({ code: 'CREDITS_EXHAUSTED' });
      expect([extensions.length, settlements]).toEqual([1, []]);
    } finally {
      installation.surroundings.retrieve = () => noKnowledge;
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
      balance = 2_000;
      model.script = async function* () {
        for (let n = 0; n < pieces; n += 1) yield { type: 'text' as const, text: words.repeat(times) };
        yield { type: 'finish' as const, reason: 'stop' as const, usage: { promptTokens: 10, completionTokens: 4_000 } };
      };
      const { answer, streamed, tokenUsage } = await finished(ask(10));
      expect(answer).toBe(streamed);
      expect(words.repeat(800)).toContain(answer.trim());
      expect(answer.length).toBeGreaterThan(2_000);
      expect(tokenUsage.totalTokens).toBeLessThanOrEqual(2_000);
      // Its gateway charges it, like every answer.
      expect(settlements).toEqual([]);
    });

    it('delivers what it said before a tool, if the rest cannot be paid', async () => {
      model.script = ({ messages }) => {
        if (messages.length === 1) balance = 0;
        return [
          { type: 'text', text: 'Let me look. ' },
          { type: 'tool-call', call: { id: 'a', name: 'unknown_tool', arguments: {} } },
          { type: 'finish', reason: 'tool-calls', usage: { promptTokens: 3_000, completionTokens: 20 } },
        ];
      };
      expect(await finished(ask(10))).toMatchObject({ answer: 'Let me look. ', tokenUsage: { totalTokens: 3_020 } });
      expect(model.requests.length).toBe(1);
    });
  });

  it('delivers the paid part of an endless answer, up to the limit, and completes', async () => {
    model.script = async function* () {
      for (let n = 0; n < 1_000; n += 1) yield { type: 'text' as const, text: 'more and more words '.repeat(3) };
    };
    let answer = '';
    for await (const item of ask(1_000_000)) if (item.type === 'done') ({ answer } = item);
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
      installation.model = new ModelChain(models);
      chargeId = randomUUID();
      let told = 0;
      for await (const item of ask(100_000)) if (item.type === 'done') told = item.tokenUsage.totalTokens;
      return told;
    };
    afterEach(() => void (installation.model = model));

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
      expect(settlements).toMatchObject([{ chargeId, usage: [{ kind: 'TTT_API', units: 490 }] }]);
    });

    it('ends them with the balance', async () => {
      let written = 0;
      const endless = new ScriptedLanguageModel(async function* ({ onThought }) {
        for (; written < 1_000; written += 1) await onThought?.(thoughts);
        yield* spoken('Soon.');
      });
      balance = 4_000;
      installation.model = new ModelChain([endless, model]);
      await expect(read(ask(10))).rejects.toMatchObject({ code: 'CREDITS_EXHAUSTED' });
      expect(written).toBeLessThan(20);
      await eventually('it is charged', () => settlements.length > 0);
      expect(model.requests).toEqual([]);
    });
  });

  it('charges what it said before its model failed, and nothing if it said nothing', async () => {
    model.script = speaking('nothing');
    await expect(read(ask(100_000))).rejects.toMatchObject({ code: 'MODEL_PROVIDER_UNAVAILABLE' });
    model.script = speaking('words');
    chargeId = randomUUID();
    await expect(read(ask(100_000))).rejects.toMatchObject({ code: 'MODEL_PROVIDER_UNAVAILABLE' });
    await eventually('it is charged', () => settlements.length > 0);
    expect(settlements).toMatchObject([{ chargeId, AgentID: shop.agent.AgentID, usage: [{ kind: 'TTT_API' }] }]);
  });

  it('leaves its charge to its gateway if we lose its whole answer, which nobody can have', async () => {
    const asked: string[] = [];
    const failing = async (more: object, left?: Fault) => {
      chargeId = randomUUID();
      asked.push(chargeId);
      const leaving = new AbortController();
      model.script = async function* (_request, signal) {
        yield { type: 'text' as const, text: 'We deliver ' };
        if (!left) throw new Error('what nobody foresaw');
        leaving.abort(left);
        if (!signal.aborted) await once(signal, 'abort');
        signal.throwIfAborted();
      };
      const call = {
        requestId: chargeId,
        deadlineAtMs: Date.now() + 20_000,
        signal: leaving.signal,
        principal: shop.caller,
      };
      const code = left?.code ?? 'INTERNAL';
      await expect(runInCall(call, () => read(ask(100_000, more)))).rejects.toMatchObject({ code });
    };
    await failing({ isWhole: true });
    await failing({ isWhole: true }, new Fault('SERVICE_UNAVAILABLE'));
    await failing({ isWhole: true }, new Fault('CANCELLED'));
    await failing({});
    await eventually('the others are charged', () => settlements.length > 1);
    expect(new Set(settlements.map((settlement) => settlement.chargeId))).toEqual(new Set(asked.slice(2)));
  });

  describe('that takes longer than its time', () => {
    const timedOut = async (said: string): Promise<number> => {
      model.script = async function* (_request, signal) {
        if (said !== '') yield { type: 'text' as const, text: said };
        if (!signal.aborted) await once(signal, 'abort');
        signal.throwIfAborted();
      };
      chargeId = randomUUID();
      const payment = { chargeId, tokens: 100_000, isSettledByTurn: true };
      const items = installation.bus.stream(
        streamTurn,
        { question: 'When?', payment },
        { principal: shop.caller, timeoutMs: 250 },
      );
      const first = await items[Symbol.asyncIterator]().next();
      if (first.done || first.value.type !== 'session') throw new Error('a turn begins with its session');
      await expect(read(items)).rejects.toMatchObject({ code: 'DEADLINE_EXCEEDED' });
      const { sessionUUID, turnUUID } = first.value;
      return (await installation.bus.ask(readTurn, { sessionUUID, turnUUID }, { principal: shop.caller })).tokenUsage.totalTokens;
    };

    it('costs nothing if it said nothing, which is our failure', async () => {
      for (let n = 0; n < 5; n += 1) expect(await timedOut('')).toBe(0);
      expect(settlements).toEqual([]);
    });

    it('has charged what it said', async () => {
      const tokens = await timedOut('We deliver within three working days, and sometimes within two. '.repeat(4));
      await eventually('it is charged', () => settlements.length > 0);
      expect(tokens).toBeGreaterThan(50);
      expect(settlements).toMatchObject([{ chargeId, usage: [{ kind: 'TTT_API', units: tokens }] }]);
    });
  });

  const paidOf = async () =>
    (await installation.bus.ask(readPaidTurns, { charges: [{ orgId: shop.caller.orgId, chargeId }] })).turns;

  it('tells services, and only them, what the turn of a charge used, once it has ended', async () => {
    const go = Promise.withResolvers<void>();
    model.script = async function* () {
      yield { type: 'text' as const, text: 'We deliver ' };
      await go.promise;
      yield* spoken('within three working days.');
    };
    const items = ask(100_000)[Symbol.asyncIterator]();
    await items.next();
    expect(await paidOf()).toEqual([]);
    go.resolve();
    let done = await items.next();
    while (!done.done && done.value.type !== 'done') done = await items.next();
    const { tokenUsage } = done.value;
    expect(tokenUsage.totalTokens).toBeGreaterThan(0);
    expect(await paidOf()).toEqual([
      { orgId: shop.caller.orgId, chargeId, AgentID: shop.agent.AgentID, tokenUsage, audioSeconds: 0 },
    ]);
    const [first, last] = ['0', 'f'].map((digit) => chargeId.slice(0, -12) + digit.repeat(12));
    const of = async (orgId: number, from = first, to = last) =>
      (await installation.bus.ask(readPaidTurns, { charges: [{ orgId, chargeId: from ?? '', lastChargeId: to }] })).turns;
    expect((await of(shop.caller.orgId)).map((turn) => turn.chargeId)).toEqual([chargeId]);
    expect(await of(shop.caller.orgId + 1)).toEqual([]);
    expect(await of(shop.caller.orgId, first, first)).toEqual([]);
    const asking = installation.bus.ask(readPaidTurns, { charges: [] }, { principal: shop.caller });
    await expect(asking).rejects.toMatchObject({ code: 'SCOPE_MISSING' });
  });

  it('is in the record only once it has ended, if nobody but its gateway needs it before', async () => {
    const logged = async () => (await installation.bus.ask(listConversationLogs, {}, { principal: shop.owner })).rows.length;
    const loggedAtFirst = async (more: object) => {
      const go = Promise.withResolvers<void>();
      model.script = async function* () {
        await go.promise;
        yield* spoken('We deliver within three working days.');
      };
      const items = ask(100_000, more)[Symbol.asyncIterator]();
      await items.next();
      const found = await logged();
      go.resolve();
      while (!(await items.next()).done);
      return found;
    };
    expect(await loggedAtFirst({ isWhole: true })).toBe(0);
    expect([await logged(), (await paidOf()).length]).toEqual([1, 1]);
    chargeId = randomUUID();
    expect(await loggedAtFirst({ isWhole: false })).toBe(2);
    chargeId = randomUUID();
    const payment = { chargeId, tokens: 100_000, isSettledByTurn: false, isOfAttempt: true };
    expect(await loggedAtFirst({ isWhole: true, payment })).toBe(3);
  });

  it('is found by the charge of its attempt under an Idempotency-Key, and has it charged where its gateway does not', async () => {
    const payment = { chargeId, tokens: 100_000, isSettledByTurn: false, isOfAttempt: true };
    model.script = speaking('words');
    await expect(read(ask(0, { payment }))).rejects.toMatchObject({ code: 'MODEL_PROVIDER_UNAVAILABLE' });
    await eventually('its gateways are told', () => extensions.length > 0);
    const [paid] = await paidOf();
    const usage = [{ kind: 'TTT_API', units: paid?.tokenUsage.totalTokens }];
    expect(extensions).toEqual([{ chargeId, usage, used: usage, isCutOff: true }]);
    expect(settlements).toEqual([]);
  });

  it('tells how much its models read with their first words, for a reader that outlives it', async () => {
    const told: unknown[] = [];
    for await (const item of ask(100_000)) if (item.type === 'delta') told.push(item.promptTokens);
    expect(told[0]).toBeGreaterThan(20);
    expect(told.slice(1)).toEqual(told.slice(1).map(() => undefined));
  });

  it('has another id than its charge where an earlier gateway gave all attempts under an Idempotency-Key the same', async () => {
    const payment = { chargeId, tokens: 100_000, isSettledByTurn: false };
    for (let times = 0; times < 2; times++) expect(await read(ask(0, { payment }))).toContain('done');
    expect(await paidOf()).toEqual([]);
  });
});
