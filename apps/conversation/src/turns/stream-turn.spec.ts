import { randomUUID } from 'node:crypto';
import {
  getConversationLog,
  getHistory,
  listConversationLogs,
  readTurn,
  recordHeardText,
  streamTurn,
  type TurnItem,
} from '@parley/contracts';
import { TenantScope } from '@parley/database';
import { ProviderFailure, ScriptedLanguageModel, spoken } from '@parley/ports';
import { Client } from 'pg';
import { Installation, type Shop } from '../installation.suite';

describe('a streamed turn', () => {
  let installation: Installation;
  const model = new ScriptedLanguageModel(() => []);
  beforeAll(async () => {
    installation = await Installation.start();
    installation.model = model;
  });
  beforeEach(() => {
    model.requests.length = 0;
    model.script = () => spoken('We deliver within three working days.');
  });
  afterAll(() => installation.stop());

  const stream = ({ caller }: Shop, question: string, sessionUUID?: string, signal?: AbortSignal) =>
    installation.bus.stream(streamTurn, { question, sessionUUID }, { principal: caller, ...(signal && { signal }) });
  const history = async ({ caller }: Shop, sessionUUID: string) =>
    (await installation.bus.ask(getHistory, { sessionUUID }, { principal: caller })).chatHistory.map(({ text }) => text);

  it('sends its session first, then words as they arrive, then the whole answer', async () => {
    const shop = installation.shop();
    const items: TurnItem[] = [];
    for await (const item of stream(shop, 'When do you deliver?')) items.push(item);
    // The full stop comes separately: until the end it might have continued into a web address.
    expect(items.map(({ type }) => type)).toEqual(['session', ...Array<string>(7).fill('delta'), 'done']);
    expect(items.at(-1)).toMatchObject({
      answer: 'We deliver within three working days.',
      detectedLanguage: 'english',
      isFromFaq: false,
      wantsToEnd: false,
      tokenUsage: { promptTokens: 10, completionTokens: 5, totalTokens: 15 },
    });
  });

  it('passes on the first word before the model has the second', async () => {
    const second = Promise.withResolvers<void>();
    model.script = async function* () {
      yield { type: 'text', text: 'We ' };
      await second.promise;
      yield* spoken('deliver.');
    };
    const words: string[] = [];
    for await (const item of stream(installation.shop(), 'When do you deliver?')) {
      if (item.type !== 'delta') continue;
      words.push(item.text);
      second.resolve();
    }
    expect(words).toEqual(['We ', 'deliver', '.']);
  });

  it('asks the model while a new session is being stored, and sends nothing before it is', async () => {
    const asked = Promise.withResolvers<void>();
    model.script = () => {
      asked.resolve();
      return spoken('We deliver.');
    };
    await asSuperuser(async (client) => {
      await client.query('BEGIN; LOCK TABLE conversation.sessions IN EXCLUSIVE MODE');
      const items: TurnItem[] = [];
      const reading = (async () => {
        for await (const item of stream(installation.shop(), 'When do you deliver?')) items.push(item);
      })();
      await asked.promise;
      // A word that was sent would have arrived by now.
      await client.query('SELECT 1');
      expect(items).toEqual([]);
      await client.query('COMMIT');
      await reading;
      expect(items.map(({ type }) => type)).toEqual(['session', 'delta', 'delta', 'delta', 'done']);
    });
  });

  it('sends nothing of an answer whose session cannot be stored, and stops the model', async () => {
    const stopped = Promise.withResolvers<void>();
    model.script = async function* () {
      try {
        yield* spoken('We deliver.');
      } finally {
        stopped.resolve();
      }
    };
    await asSuperuser(async (client) => {
      await client.query(`ALTER TABLE conversation.turns ADD CONSTRAINT refusing CHECK (question <> 'not storable')`);
      const items: TurnItem[] = [];
      const reading = (async () => {
        for await (const item of stream(installation.shop(), 'not storable')) items.push(item);
      })();
      await expect(reading).rejects.toMatchObject({ code: 'INTERNAL' });
      expect(items).toEqual([]);
      await stopped.promise;
      await client.query('ALTER TABLE conversation.turns DROP CONSTRAINT refusing');
    });
  });

  it('stops the model when its reader leaves, and stores and counts what was produced', async () => {
    const shop = installation.shop();
    const stopped = Promise.withResolvers<void>();
    model.script = async function* (_, signal) {
      yield { type: 'text', text: 'We deliver ' };
      await new Promise<never>((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          stopped.resolve();
          reject(signal.reason);
        });
      });
    };
    const ids = { sessionUUID: '', turnUUID: '' };
    for await (const item of stream(shop, 'When do you deliver?')) {
      if (item.type === 'session') Object.assign(ids, { sessionUUID: item.sessionUUID, turnUUID: item.turnUUID });
      if (item.type === 'delta') break;
    }
    await stopped.promise;
    const turn = await installation.bus.ask(readTurn, ids, { principal: shop.caller });
    expect(turn).toMatchObject({ status: 'INTERRUPTED', answer: 'We deliver ' });
    expect(turn.tokenUsage.promptTokens).toBeGreaterThan(50);
    expect(turn.tokenUsage.completionTokens).toBeGreaterThan(0);
    await expect(history(shop, ids.sessionUUID)).resolves.toEqual(['When do you deliver?', 'We deliver ']);
  });

  it('notifies whoever asks about a running turn as soon as it has ended, without polling', async () => {
    const shop = installation.shop();
    const done = Promise.withResolvers<void>();
    model.script = async function* () {
      await done.promise;
      yield* spoken('At last.');
    };
    const items = stream(shop, 'When do you deliver?')[Symbol.asyncIterator]();
    const { value: ids } = await items.next();
    const reads = jest.spyOn(TenantScope.prototype, 'read');
    const asked = installation.bus.ask(
      readTurn,
      { sessionUUID: ids.sessionUUID, turnUUID: ids.turnUUID },
      { principal: shop.caller },
    );
    // Asked and answered later: by now the turn would have been looked up, as the history was.
    await history(shop, ids.sessionUUID);
    expect(reads).toHaveBeenCalledTimes(1);
    done.resolve();
    for (let next = await items.next(); !next.done;) next = await items.next();
    await expect(asked).resolves.toMatchObject({ status: 'COMPLETED', answer: 'At last.' });
    expect(reads).toHaveBeenCalledTimes(2);
    reads.mockRestore();
  });

  it('keeps only what was heard of an answer', async () => {
    const shop = installation.shop();
    const ids = { sessionUUID: '', turnUUID: '' };
    for await (const item of stream(shop, 'When do you deliver?')) if (item.type === 'session') Object.assign(ids, item);
    const { sessionUUID, turnUUID } = ids;
    await installation.bus.ask(
      recordHeardText,
      { sessionUUID, turnUUID, heardText: 'We deliver', playedMs: 400 },
      { principal: shop.caller },
    );
    await expect(history(shop, sessionUUID)).resolves.toEqual(['When do you deliver?', 'We deliver']);
  });

  it('waits for the previous turn of its session, on another replica too', async () => {
    const other = await installation.startReplica();
    const shop = installation.shop();
    const { sessionUUID } = await installation.ask(shop.caller, 'hello');
    let running = 0;
    let most = 0;
    model.script = async function* () {
      most = Math.max(most, ++running);
      yield* spoken('One after the other.');
      running -= 1;
    };
    await Promise.all(
      Array.from({ length: 6 }, (_, place) => installation.ask(shop.caller, `question ${place}`, { sessionUUID })),
    );
    expect(most).toBe(1);
    const said = await history(shop, sessionUUID);
    expect(said).toHaveLength(14);
    expect(said.filter((_, place) => place % 2 === 1).slice(1)).toEqual(Array<string>(6).fill('One after the other.'));
    await other.stop();
  });

  it('gives up after its patience if the previous turn does not end', async () => {
    const impatient = await Installation.start({ CONVERSATION_BUSY: '150ms' });
    const { caller } = impatient.shop();
    const { sessionUUID } = await impatient.ask(caller, 'hello');
    const begun = Promise.withResolvers<void>();
    const done = Promise.withResolvers<void>();
    impatient.model = new ScriptedLanguageModel(async function* () {
      begun.resolve();
      await done.promise;
      yield* spoken('At last.');
    });
    const first = impatient.ask(caller, 'a long one', { sessionUUID });
    await begun.promise;
    await expect(impatient.ask(caller, 'an impatient one', { sessionUUID })).rejects.toMatchObject({ code: 'SESSION_BUSY' });
    done.resolve();
    await expect(first).resolves.toMatchObject({ answer: 'At last.' });
    await impatient.stop();
  });

  it('takes over a session from a dead replica, whose turn is marked and not in history', async () => {
    const shop = installation.shop();
    const { sessionUUID } = await installation.ask(shop.caller, 'hello');
    await asSuperuser(async (client) => {
      const lost = randomUUID();
      await client.query(
        `UPDATE conversation.sessions SET busy_turn = $2, busy_until = now() - interval '1 second' WHERE session_uuid = $1`,
        [sessionUUID, lost],
      );
      await client.query(
        `INSERT INTO conversation.turns (org_id, session_id, turn_uuid, status, question)
         SELECT org_id, id, $2, 'RUNNING', 'a question that died' FROM conversation.sessions WHERE session_uuid = $1`,
        [sessionUUID, lost],
      );
    });
    await installation.ask(shop.caller, 'another one', { sessionUUID });
    await expect(history(shop, sessionUUID)).resolves.not.toContain('a question that died');
    const { rows } = await installation.bus.ask(listConversationLogs, { search: 'that died' }, { principal: shop.owner });
    const choice = { ConversationalLogKeyID: rows[0]?.ConversationalLogKeyID ?? '' };
    const { turns } = await installation.bus.ask(getConversationLog, choice, { principal: shop.owner });
    expect(turns.find(({ text }) => text === 'a question that died')).toMatchObject({ sender: 'user', isInterrupted: true });
  });

  it('is MODEL_PROVIDER_UNAVAILABLE if no model answers, frees the session and is not in history', async () => {
    const shop = installation.shop();
    const { sessionUUID } = await installation.ask(shop.caller, 'hello');
    model.script = function* () {
      yield { type: 'text', text: 'Half an ' };
      throw new ProviderFailure('scripted', 'status 429', { retryable: true, retryAfterMs: 6500 });
    };
    await expect(installation.ask(shop.caller, 'a hard one', { sessionUUID })).rejects.toMatchObject({
      code: 'MODEL_PROVIDER_UNAVAILABLE',
      retryAfterSeconds: 7,
    });
    await expect(history(shop, sessionUUID)).resolves.toHaveLength(2);
    model.script = () => spoken('Fine again.');
    await expect(installation.ask(shop.caller, 'and now?', { sessionUUID })).resolves.toMatchObject({ answer: 'Fine again.' });
  });

  it('counts the tokens itself if a model reports an impossible number', async () => {
    const { caller } = installation.shop();
    const usages = [
      { promptTokens: 5e12, completionTokens: 5 },
      { promptTokens: 10, completionTokens: 0.5 },
    ];
    for (const usage of usages) {
      model.script = () => spoken('We deliver.', usage);
      const { tokenUsage } = await installation.ask(caller, 'When do you deliver?');
      expect(tokenUsage.promptTokens).toBeGreaterThan(20);
      expect(tokenUsage.promptTokens).toBeLessThan(2000);
      expect(tokenUsage.completionTokens).toBe(3);
    }
  });

  it('gives the model the persona, the variables and the previous turns', async () => {
    const shop = installation.shop({ SystemPrompt: 'You are Maya. You speak with {{name}}.' });
    const { sessionUUID } = await installation.ask(shop.caller, 'hello', { variables: { name: 'Asha', direction: 'inbound' } });
    await installation.ask(shop.caller, 'and on Sundays?', { sessionUUID });
    const [, second] = model.requests;
    expect(second?.system).toContain('You speak with Asha.');
    expect(second?.turn).toContain('<variable name="direction">inbound</variable>');
    expect(second?.messages).toEqual([
      { role: 'user', text: 'hello' },
      { role: 'assistant', text: 'We deliver within three working days.' },
      { role: 'user', text: 'and on Sundays?' },
    ]);
  });

  it('remembers a long conversation by a summary within the budget', async () => {
    const shop = installation.shop();
    model.script = () => spoken('word '.repeat(700));
    const { sessionUUID } = await installation.ask(shop.caller, 'My order number is 4711.');
    for (let turn = 0; turn < 4; turn++) await installation.ask(shop.caller, `question ${turn}`, { sessionUUID });
    const last = model.requests.at(-1);
    expect(last?.messages.length).toBeLessThan(8);
    expect(last?.turn).toContain('The user said: My order number is 4711.');
  });

  async function asSuperuser(work: (client: Client) => Promise<unknown>): Promise<void> {
    const client = new Client({ connectionString: installation.database.adminUrl });
    await client.connect();
    await work(client).finally(() => client.end());
  }
});
