import { randomUUID } from 'node:crypto';
import {
  agentDeleted,
  discardTurn,
  endSession,
  getConversationLog,
  getHistory,
  listConversationLogs,
  openSession,
  type Principal,
  readTurn,
  readTurnFacts,
  recordHeardText,
  recordLatency,
  streamTurn,
  telephoneCallOf,
  type TurnItem,
} from '@parley/contracts';
import { ScriptedLanguageModel, spoken } from '@parley/ports';
import { eventually } from '@parley/testing';
import { Client } from 'pg';
import { Installation, type Shop } from '../installation.suite';

/** A call starts with the agent's greeting. */
const greeted = [
  { role: 'user', text: '(The call begins.)' },
  { role: 'assistant', text: 'Hello, this is Maya of Demo Bazaar.' },
];

describe('a spoken turn', () => {
  let installation: Installation;
  let shop: Shop;
  let sessionUUID: string;
  const model = new ScriptedLanguageModel(() => []);
  beforeAll(async () => {
    installation = await Installation.start();
    installation.model = model;
  });
  beforeEach(async () => {
    model.requests.length = 0;
    model.script = () => spoken('We deliver within three working days.');
    shop = installation.shop();
    const opened = await installation.bus.ask(openSession, { channel: 'VOICE' }, { principal: shop.caller });
    ({ sessionUUID } = opened);
  });
  afterAll(() => installation.stop());

  const asCaller = () => ({ principal: shop.caller });
  const say = (question: string, { isSpeculative = false, reportsHeard = false } = {}) =>
    installation.bus.stream(streamTurn, { question, sessionUUID, channel: 'VOICE', isSpeculative, reportsHeard }, asCaller());
  const reports = (ids: { sessionUUID: string; turnUUID: string }, heardText: string, soFar?: object) =>
    installation.bus.ask(
      recordHeardText,
      { ...ids, heardText, playedMs: 900, ...(soFar && { soFar: { question: 'Do you deliver?', ...soFar } }) },
      asCaller(),
    );
  /** Reads a turn up to the first item of this type and stops there; returns its ids. */
  const leaveAt = async (type: TurnItem['type'], turn: AsyncIterable<TurnItem>) => {
    let turnUUID = '';
    for await (const item of turn) {
      if (item.type === 'session') turnUUID = item.turnUUID;
      if (item.type === type) break;
    }
    return { sessionUUID, turnUUID };
  };
  const heard = async () =>
    (await installation.bus.ask(getHistory, { sessionUUID }, asCaller())).chatHistory.map(
      ({ sender, text }) => `${sender}: ${text}`,
    );
  const log = async () => {
    const { rows } = await installation.bus.ask(listConversationLogs, {}, { principal: shop.owner });
    const choice = { ConversationalLogKeyID: rows[0]?.ConversationalLogKeyID ?? '' };
    return installation.bus.ask(getConversationLog, choice, { principal: shop.owner });
  };
  /** Fifteen seconds without a sign of life from the answering service, on a fake clock. */
  const lapse = async () => {
    const admin = new Client({ connectionString: installation.database.adminUrl });
    await admin.connect();
    await admin.query(`UPDATE conversation.sessions SET busy_until = now() - interval '1 second' WHERE session_uuid = $1`, [
      sessionUUID,
    ]);
    await admin.end();
  };
  const sayingSlowly = async function* (_: unknown, signal: AbortSignal) {
    yield { type: 'text' as const, text: 'We deliver ' };
    await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));
  };

  it('goes on in a telephone call whose agent was deleted meanwhile, and nowhere else', async () => {
    const { orgId } = shop.caller;
    const { AgentID, AgentKeyID } = shop.agent;
    const ofCall = { principal: telephoneCallOf(orgId) };
    const ofOwner = { principal: shop.owner };
    const [call, browser] = await Promise.all([
      installation.bus.ask(openSession, { AgentKeyID, channel: 'PHONE' }, ofCall),
      installation.bus.ask(openSession, { AgentKeyID, channel: 'VOICE' }, ofOwner),
    ]);
    const answer = async ({ sessionUUID }: { sessionUUID: string }, asker: { principal: Principal }) => {
      let text = '';
      for await (const item of installation.bus.stream(streamTurn, { question: 'Do you deliver?', sessionUUID }, asker))
        if (item.type === 'delta') text += item.text;
      return text;
    };
    const says = 'We deliver within three working days.';
    expect([await answer(call, ofCall), await answer(browser, ofOwner)]).toEqual([says, says]);
    installation.surroundings.deletedAgents.add(AgentID);
    const event = { id: randomUUID(), orgId, occurredAt: new Date().toISOString(), payload: { AgentID, AgentKeyID, Version: 4 } };
    await installation.bus.emit(agentDeleted, event);
    expect(await answer(call, ofCall)).toBe(says);
    // A deleted agent is forgotten within three seconds, even if the event was missed.
    await eventually('the browser is refused', () =>
      answer(browser, ofOwner).then(
        () => false,
        (fault: unknown) => (fault as { code: string }).code === 'NOT_FOUND',
      ),
    );
    const rings = installation.bus.ask(openSession, { AgentKeyID, channel: 'PHONE' }, ofCall);
    await expect(rings).resolves.toMatchObject({ AgentID, isNew: true });
  });

  it.each([
    ['its prompt', { isExtractive: false }, 100],
    ['its prompt, if another model in turn reads it', { isExtractive: true, areAllExtractive: false }, 100],
    ['the question alone', { isExtractive: true }, 0],
  ])('costs, cut off in its first words, what its model reads: %s', async (_reads, kind, tokensMin) => {
    const capabilities = { contextTokens: 8192, hasTools: true, ...kind };
    installation.model = { name: 'spec/model', capabilities, stream: sayingSlowly };
    const ids = await leaveAt('delta', say('I need a table.'));
    installation.model = model;
    const { promptTokens } = (await installation.bus.ask(readTurn, ids, asCaller())).tokenUsage;
    expect(promptTokens).toBeGreaterThan(tokensMin);
    expect(promptTokens < 10).toBe(tokensMin === 0);
  });

  it.each(['VOICE', 'WIDGET'] as const)(
    'counts as heard only as far as its reader reports, once it does: %s',
    async (channel) => {
      ({ sessionUUID } = await installation.bus.ask(openSession, { channel }, asCaller()));
      const ids = await leaveAt('done', say('Do you deliver?', { reportsHeard: true }));
      await expect(heard()).resolves.toEqual(['user: Do you deliver?']);
      await reports(ids, 'We deliver', { isDone: true });
      await expect(heard()).resolves.toEqual(['user: Do you deliver?', 'assistant: We deliver']);
      await leaveAt('done', say('And to Pune?', { reportsHeard: true }));
      expect(JSON.stringify(model.requests.at(-1)?.messages)).not.toContain('within three');
      const whole = 'We deliver within three working days.';
      // Any open transaction on the server holds back newer turns.
      const isTold = (status: string, after: string): Promise<void> =>
        eventually(`it is told as ${status}`, async () => {
          const { turns } = await installation.bus.ask(readTurnFacts, { after });
          return turns.some((each) => each.turnUUID === ids.turnUUID && each.status === status);
        });
      await isTold('INTERRUPTED', '');
      const { after } = await installation.bus.ask(readTurnFacts, { after: '' });
      await reports(ids, whole, { isDone: true, isAll: true });
      await expect(heard()).resolves.toEqual(['user: Do you deliver?', `assistant: ${whole}`, 'user: And to Pune?']);
      await isTold('COMPLETED', after);
    },
  );

  it('is in history with what was heard while it was written, and nothing of what was written after that', async () => {
    const going = Promise.withResolvers<void>();
    model.script = async function* () {
      yield { type: 'text' as const, text: 'We deliver ' };
      await going.promise;
      yield* spoken('within three working days.');
    };
    let ids = { sessionUUID, turnUUID: '' };
    for await (const item of say('Do you deliver?', { reportsHeard: true })) {
      if (item.type === 'session') ids = { sessionUUID, turnUUID: item.turnUUID };
      if (item.type !== 'delta') continue;
      await reports(ids, 'We', {});
      going.resolve();
    }
    await expect(heard()).resolves.toEqual(['user: Do you deliver?', 'assistant: We']);
  });

  it('stays with its question when its reader dies after the question was finished, though it was begun before', async () => {
    model.script = sayingSlowly;
    let ids = { sessionUUID, turnUUID: '' };
    for await (const item of say('Do you deliver?', { isSpeculative: true, reportsHeard: true })) {
      if (item.type === 'session') ids = { sessionUUID, turnUUID: item.turnUUID };
      if (item.type !== 'delta') continue;
      await reports(ids, '', {});
      break;
    }
    const turn = await installation.bus.ask(readTurn, ids, asCaller());
    expect(turn).toMatchObject({ status: 'INTERRUPTED', answer: '' });
    await expect(heard()).resolves.toEqual(['user: Do you deliver?']);
    expect(await log()).toMatchObject({ turnCount: 1 });
    await installation.bus.ask(discardTurn, ids, asCaller());
    await expect(heard()).resolves.toEqual([]);
  });

  it('counts as unheard when interrupted, and the next question tells the model what was said before', async () => {
    model.script = sayingSlowly;
    const ids = await leaveAt('delta', say('I need a table.'));
    const turn = await installation.bus.ask(readTurn, ids, asCaller());
    expect(turn).toMatchObject({ status: 'INTERRUPTED', answer: '' });
    expect(turn.tokenUsage.completionTokens).toBeGreaterThan(0);
    await expect(heard()).resolves.toEqual(['user: I need a table.']);
    model.script = () => spoken('For how many?');
    await leaveAt('done', say('For tomorrow.'));
    expect(model.requests.at(-1)?.messages).toEqual([...greeted, { role: 'user', text: 'I need a table.\nFor tomorrow.' }]);
    await expect(heard()).resolves.toEqual(['user: I need a table.', 'user: For tomorrow.', 'assistant: For how many?']);
  });

  it('keeps the words that were heard, even if the model had long finished', async () => {
    model.script = sayingSlowly;
    const interrupted = await leaveAt('delta', say('When do you deliver?'));
    await installation.bus.ask(recordHeardText, { ...interrupted, heardText: 'We', playedMs: 180 }, asCaller());
    model.script = () => spoken('We deliver within three working days.');
    const finished = await leaveAt('done', say('Sorry, when?'));
    expect(model.requests.at(-1)?.messages).toEqual([
      ...greeted,
      { role: 'user', text: 'When do you deliver?' },
      { role: 'assistant', text: 'We' },
      { role: 'user', text: '(You were interrupted after these words.)\nSorry, when?' },
    ]);
    await installation.bus.ask(recordHeardText, { ...finished, heardText: 'We deliver within', playedMs: 700 }, asCaller());
    await expect(heard()).resolves.toEqual([
      'user: When do you deliver?',
      'assistant: We',
      'user: Sorry, when?',
      'assistant: We deliver within',
    ]);
  });

  it('says when the agent wants to end, and leaves that to the call', async () => {
    model.script = function* () {
      yield { type: 'text', text: 'Goodbye!' };
      yield { type: 'tool-call', call: { id: '1', name: 'end_conversation', arguments: {} } };
    };
    const items: TurnItem[] = [];
    for await (const item of say('That was all.')) items.push(item);
    expect(items.at(-1)).toMatchObject({ type: 'done', answer: 'Goodbye!', wantsToEnd: true });
    await expect(log()).resolves.toMatchObject({ status: 'OPEN' });
    await installation.bus.ask(endSession, { sessionUUID, reason: 'ENDED_BY_AGENT' }, asCaller());
    await expect(log()).resolves.toMatchObject({ status: 'ENDED', turnCount: 1 });
  });

  it.each(['session', 'delta'] as const)('if speculative, leaves no trace when abandoned at its %s', async (type) => {
    model.script = sayingSlowly;
    const ids = await leaveAt(type, say('I need a', { isSpeculative: true }));
    await expect(installation.bus.ask(readTurn, ids, asCaller())).resolves.toMatchObject({ status: 'DISCARDED' });
    model.script = () => spoken('For how many?');
    await leaveAt('done', say('I need a table.', { isSpeculative: true }));
    expect(model.requests.at(-1)?.messages).toEqual([...greeted, { role: 'user', text: 'I need a table.' }]);
    await expect(heard()).resolves.toEqual(['user: I need a table.', 'assistant: For how many?']);
    const { turnCount, preview, tokenUsage, turns } = await log();
    expect({ turnCount, preview, tokenUsage }).toEqual({
      turnCount: 1,
      preview: 'I need a table.',
      tokenUsage: { promptTokens: 10, completionTokens: 5, totalTokens: 15 },
    });
    expect(turns.map(({ text }) => text)).toEqual(['I need a table.', 'For how many?']);
  });

  it('if speculative, joins the conversation as soon as some of it was heard', async () => {
    model.script = sayingSlowly;
    const ids = await leaveAt('delta', say('When do you deliver?', { isSpeculative: true }));
    await installation.bus.ask(recordHeardText, { ...ids, heardText: 'We', playedMs: 180 }, asCaller());
    await expect(heard()).resolves.toEqual(['user: When do you deliver?', 'assistant: We']);
    await expect(log()).resolves.toMatchObject({ turnCount: 1, preview: 'When do you deliver?' });
  });

  it('is in history with what was heard when its service dies, even if speculative', async () => {
    model.script = sayingSlowly;
    const stop = new AbortController();
    const turn = installation.bus.stream(
      streamTurn,
      { question: 'When do you deliver?', sessionUUID, channel: 'VOICE', isSpeculative: true },
      { ...asCaller(), signal: stop.signal },
    );
    let turnUUID = '';
    for await (const item of turn) {
      if (item.type === 'session') turnUUID = item.turnUUID;
      if (item.type !== 'delta') continue;
      const soFar = { question: 'When do you deliver?' };
      const heardSoFar = { sessionUUID, turnUUID, heardText: 'We', playedMs: 180, soFar };
      await expect(heard()).resolves.toEqual([]);
      await installation.bus.ask(recordHeardText, heardSoFar, asCaller());
      await lapse();
      await expect(heard()).resolves.toEqual(['user: When do you deliver?', 'assistant: We']);
      break;
    }
  });

  it('has what was heard if its line dies after the text was done, and all of it once all was heard', async () => {
    const ids = await leaveAt('done', say('When do you deliver?'));
    const [question, whole] = await heard();
    const answer = whole?.replace('assistant: ', '') ?? '';
    const record = (heardText: string, more: { isDone: boolean; isAll?: boolean }, caller = asCaller()) =>
      installation.bus.ask(
        recordHeardText,
        { ...ids, heardText, playedMs: 180, soFar: { question: 'When do you deliver?', ...more } },
        caller,
      );
    // One from before the end arrives late.
    await record('We', { isDone: false });
    await record('We', { isDone: true }, { principal: { ...shop.caller, agentId: 4711 } });
    await record('We', { isDone: true }, { principal: installation.shop().caller });
    await expect(heard()).resolves.toEqual([question, whole]);
    await record('We deliver', { isDone: true });
    await expect(heard()).resolves.toEqual([question, 'assistant: We deliver']);
    await record(answer, { isDone: true, isAll: true });
    await expect(heard()).resolves.toEqual([question, whole]);
    await installation.bus.ask(discardTurn, ids, asCaller());
    await record(answer, { isDone: true, isAll: true });
    await expect(heard()).resolves.toEqual([]);
  });

  it('can be withdrawn after its answer, once or twice, and leaves no trace in sums or search', async () => {
    const ids = await leaveAt('done', say('I would like to'));
    await leaveAt('done', say('When do you deliver?'));
    const tokenUsage = { promptTokens: 10, completionTokens: 5, totalTokens: 15 };
    for (let times = 0; times < 2; times++)
      await expect(installation.bus.ask(discardTurn, ids, asCaller())).resolves.toEqual({
        sessionUUID: ids.sessionUUID,
        tokenUsage,
      });
    await expect(heard()).resolves.toEqual(['user: When do you deliver?', 'assistant: We deliver within three working days.']);
    await expect(log()).resolves.toMatchObject({
      turnCount: 1,
      preview: 'When do you deliver?',
      tokenUsage: { promptTokens: 10, completionTokens: 5, totalTokens: 15 },
    });
    const sought = await installation.bus.ask(listConversationLogs, { search: 'would like' }, { principal: shop.owner });
    expect(sought.totalCount).toBe(0);
  });

  it('cannot be withdrawn by another agent or organization', async () => {
    const ids = await leaveAt('done', say('When do you deliver?'));
    for (const principal of [installation.shop().caller, { ...shop.caller, agentId: 4711 }]) {
      await expect(installation.bus.ask(discardTurn, ids, { principal })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    }
    await expect(heard()).resolves.toHaveLength(2);
  });

  it('cannot be measured by another agent or organization', async () => {
    const ids = await leaveAt('done', say('When do you deliver?'));
    const failed = { role: 'TEXT_TO_SPEECH' as const, provider: 'first', kind: 'TIMEOUT' as const };
    for (const principal of [installation.shop().caller, { ...shop.caller, agentId: 4711 }]) {
      const measuring = installation.bus.ask(recordLatency, { ...ids, providerErrors: [failed] }, { principal });
      await expect(measuring).rejects.toMatchObject({ code: 'NOT_FOUND' });
    }
    const { turns } = await installation.bus.ask(readTurnFacts, { after: '' });
    expect(turns.find(({ turnUUID }) => turnUUID === ids.turnUUID)?.providerErrors ?? []).toEqual([]);
  });

  const parts = { endOfTurnMs: 420, transcriptionMs: 35, retrievalMs: 9, firstTokenMs: 180, firstAudioMs: 90, pacingMs: 20 };

  it.each([
    ['an answer that was heard', { question: 'When do you deliver?', isDone: true, isAll: true }],
    ['an answer that goes on', { question: 'When do you deliver?', isDone: true, isAll: false }],
    ['an answer that was cut off', undefined],
  ])('records where the time of %s went, and which engines failed, with what was heard of it', async (_which, soFar) => {
    const ids = await leaveAt('done', say('When do you deliver?', { reportsHeard: true }));
    const after = (await installation.bus.ask(readTurnFacts, { after: '' })).after;
    const providerErrors = [{ role: 'TEXT_TO_SPEECH' as const, provider: 'first', kind: 'TIMEOUT' as const }];
    const latency = { ...parts, totalMs: 754 };
    const body = { ...ids, heardText: 'We deliver', playedMs: 900, measured: { latency, providerErrors } };
    await installation.bus.ask(recordHeardText, soFar ? { ...body, soFar } : body, asCaller());
    expect((await log()).turns).toMatchObject([{}, { text: 'We deliver', latency }]);
    const told = async () => (await installation.bus.ask(readTurnFacts, { after })).turns;
    await eventually('it is told', async () => (await told()).length > 0);
    expect(await told()).toMatchObject([{ turnUUID: ids.turnUUID, latency, providerErrors }]);
    await installation.bus.ask(recordHeardText, { ...ids, heardText: 'We', playedMs: 300 }, asCaller());
    expect((await log()).turns).toMatchObject([{}, { text: 'We', latency }]);
  });

  it('records where its time went once that is reported', async () => {
    const ids = await leaveAt('done', say('When do you deliver?'));
    const latency = { ...parts, totalMs: 754 };
    await installation.bus.ask(recordLatency, { ...ids, latency }, asCaller());
    expect((await log()).turns).toMatchObject([{ latency: null }, { latency }]);
    const failed = { role: 'TEXT_TO_SPEECH' as const, provider: 'first', kind: 'TIMEOUT' as const };
    for (const count of [1, 7, 7])
      await installation.bus.ask(
        recordLatency,
        { ...ids, providerErrors: Array.from({ length: count }, () => failed) },
        asCaller(),
      );
    expect((await log()).turns).toMatchObject([{ latency: null }, { latency }]);
    const told = async () =>
      (await installation.bus.ask(readTurnFacts, { after: '' })).turns.find(({ turnUUID }) => turnUUID === ids.turnUUID);
    await eventually('failures are told, but not more than matter', async () => (await told())?.providerErrors.length === 10);
  });
});
