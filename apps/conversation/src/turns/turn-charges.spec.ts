import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { Fault, listConversationLogs, readPaidTurns, readTurn, streamTurn } from '@parley/contracts';
import { runInCall } from '@parley/messaging';
import { spoken } from '@parley/ports';
import { eventually } from '@parley/testing';
import { breaking, ChargedTurns, read } from './charged-turns.suite';

describe('the charge of a turn', () => {
  const turns = new ChargedTurns();
  const { extensions, settlements, model } = turns;

  beforeAll(() => turns.start());
  beforeEach(() => turns.begin());
  afterAll(() => turns.stop());

  it('charges what it said before its model failed, and nothing if it said nothing', async () => {
    model.script = breaking('nothing');
    await expect(read(turns.ask(100_000))).rejects.toMatchObject({ code: 'MODEL_PROVIDER_UNAVAILABLE' });
    model.script = breaking('words');
    turns.chargeId = randomUUID();
    await expect(read(turns.ask(100_000))).rejects.toMatchObject({ code: 'MODEL_PROVIDER_UNAVAILABLE' });
    await eventually('it is charged', () => settlements.length > 0);
    expect(settlements).toMatchObject([
      { chargeId: turns.chargeId, AgentID: turns.shop.agent.AgentID, usage: [{ kind: 'TTT_API' }] },
    ]);
  });

  it('leaves its charge to its gateway if we lose its whole answer, which nobody can have', async () => {
    const asked: string[] = [];
    const failing = async (more: object, left?: Fault) => {
      turns.chargeId = randomUUID();
      asked.push(turns.chargeId);
      const leaving = new AbortController();
      model.script = async function* (_request, signal) {
        yield { type: 'text' as const, text: 'We deliver ' };
        if (!left) throw new Error('what nobody foresaw');
        leaving.abort(left);
        if (!signal.aborted) await once(signal, 'abort');
        signal.throwIfAborted();
      };
      const call = {
        requestId: turns.chargeId,
        deadlineAtMs: Date.now() + 20_000,
        signal: leaving.signal,
        principal: turns.shop.caller,
      };
      const code = left?.code ?? 'INTERNAL';
      await expect(runInCall(call, () => read(turns.ask(100_000, more)))).rejects.toMatchObject({ code });
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
      turns.chargeId = randomUUID();
      const payment = { chargeId: turns.chargeId, tokens: 100_000, isSettledByTurn: true };
      const items = turns.installation.bus.stream(
        streamTurn,
        { question: 'When?', payment },
        { principal: turns.shop.caller, timeoutMs: 250 },
      );
      const first = await items[Symbol.asyncIterator]().next();
      if (first.done || first.value.type !== 'session') throw new Error('a turn begins with its session');
      await expect(read(items)).rejects.toMatchObject({ code: 'DEADLINE_EXCEEDED' });
      const { sessionUUID, turnUUID } = first.value;
      return (await turns.installation.bus.ask(readTurn, { sessionUUID, turnUUID }, { principal: turns.shop.caller })).tokenUsage
        .totalTokens;
    };

    it('costs nothing if it said nothing, which is our failure', async () => {
      for (let n = 0; n < 5; n += 1) expect(await timedOut('')).toBe(0);
      expect(settlements).toEqual([]);
    });

    it('has charged what it said', async () => {
      const tokens = await timedOut('We deliver within three working days, and sometimes within two. '.repeat(4));
      await eventually('it is charged', () => settlements.length > 0);
      expect(tokens).toBeGreaterThan(50);
      expect(settlements).toMatchObject([{ chargeId: turns.chargeId, usage: [{ kind: 'TTT_API', units: tokens }] }]);
    });
  });

  const paidOf = async () =>
    (await turns.installation.bus.ask(readPaidTurns, { charges: [{ orgId: turns.shop.caller.orgId, chargeId: turns.chargeId }] }))
      .turns;

  it('tells services, and only them, what the turn of a charge used, once it has ended', async () => {
    const go = Promise.withResolvers<void>();
    model.script = async function* () {
      yield { type: 'text' as const, text: 'We deliver ' };
      await go.promise;
      yield* spoken('within three working days.');
    };
    const items = turns.ask(100_000)[Symbol.asyncIterator]();
    await items.next();
    expect(await paidOf()).toEqual([]);
    go.resolve();
    let done = await items.next();
    while (!done.done && done.value.type !== 'done') done = await items.next();
    const { tokenUsage } = done.value;
    expect(tokenUsage.totalTokens).toBeGreaterThan(0);
    expect(await paidOf()).toEqual([
      {
        orgId: turns.shop.caller.orgId,
        chargeId: turns.chargeId,
        AgentID: turns.shop.agent.AgentID,
        tokenUsage,
        audioSeconds: 0,
      },
    ]);
    const [first, last] = ['0', 'f'].map((digit) => turns.chargeId.slice(0, -12) + digit.repeat(12));
    const of = async (orgId: number, from = first, to = last) =>
      (await turns.installation.bus.ask(readPaidTurns, { charges: [{ orgId, chargeId: from ?? '', lastChargeId: to }] })).turns;
    expect((await of(turns.shop.caller.orgId)).map((turn) => turn.chargeId)).toEqual([turns.chargeId]);
    expect(await of(turns.shop.caller.orgId + 1)).toEqual([]);
    expect(await of(turns.shop.caller.orgId, first, first)).toEqual([]);
    const asking = turns.installation.bus.ask(readPaidTurns, { charges: [] }, { principal: turns.shop.caller });
    await expect(asking).rejects.toMatchObject({ code: 'SCOPE_MISSING' });
  });

  it('is in the record only once it has ended, if nobody but its gateway needs it before', async () => {
    const logged = async () =>
      (await turns.installation.bus.ask(listConversationLogs, {}, { principal: turns.shop.owner })).rows.length;
    const loggedAtFirst = async (more: object) => {
      const go = Promise.withResolvers<void>();
      model.script = async function* () {
        await go.promise;
        yield* spoken('We deliver within three working days.');
      };
      const items = turns.ask(100_000, more)[Symbol.asyncIterator]();
      await items.next();
      const found = await logged();
      go.resolve();
      while (!(await items.next()).done);
      return found;
    };
    expect(await loggedAtFirst({ isWhole: true })).toBe(0);
    expect([await logged(), (await paidOf()).length]).toEqual([1, 1]);
    turns.chargeId = randomUUID();
    expect(await loggedAtFirst({ isWhole: false })).toBe(2);
    turns.chargeId = randomUUID();
    const payment = { chargeId: turns.chargeId, tokens: 100_000, isSettledByTurn: false, isOfAttempt: true };
    expect(await loggedAtFirst({ isWhole: true, payment })).toBe(3);
  });

  it('is found by the charge of its attempt under an Idempotency-Key, and has it charged where its gateway does not', async () => {
    const payment = { chargeId: turns.chargeId, tokens: 100_000, isSettledByTurn: false, isOfAttempt: true };
    model.script = breaking('words');
    await expect(read(turns.ask(0, { payment }))).rejects.toMatchObject({ code: 'MODEL_PROVIDER_UNAVAILABLE' });
    await eventually('its gateways are told', () => extensions.length > 0);
    const [paid] = await paidOf();
    const usage = [{ kind: 'TTT_API', units: paid?.tokenUsage.totalTokens }];
    expect(extensions).toEqual([{ chargeId: turns.chargeId, usage, used: usage, isCutOff: true }]);
    expect(settlements).toEqual([]);
  });

  it('tells how much its models read with their first words, for a reader that outlives it', async () => {
    const told: unknown[] = [];
    for await (const item of turns.ask(100_000)) if (item.type === 'delta') told.push(item.promptTokens);
    expect(told[0]).toBeGreaterThan(20);
    expect(told.slice(1)).toEqual(told.slice(1).map(() => undefined));
  });

  it('has another id than its charge where an earlier gateway gave all attempts under an Idempotency-Key the same', async () => {
    const payment = { chargeId: turns.chargeId, tokens: 100_000, isSettledByTurn: false };
    for (let times = 0; times < 2; times++) expect(await read(turns.ask(0, { payment }))).toContain('done');
    expect(await paidOf()).toEqual([]);
  });
});
