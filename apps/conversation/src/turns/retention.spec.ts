import { randomUUID } from 'node:crypto';
import {
  conversationErased,
  endSession,
  eraseConversation,
  getConversationLog,
  listConversationLogs,
  openSession,
  readTurnFacts,
} from '@parley/contracts';
import { connectionOptions, TenantScope } from '@parley/database';
import { createLogger, Metrics, RegularTasks } from '@parley/service-kit';
import { BuiltinModel } from '@parley/providers/builtin-model';
import { ScriptedLanguageModel } from '@parley/ports';
import { eventually } from '@parley/testing';
import { DataSource } from 'typeorm';
import { conversationSchema } from '../service';
import { anAgent } from '../surroundings.suite';
import { Installation, type Shop } from '../installation.suite';
import { Retention } from './old-conversations';

const dayMs = 86_400_000;

describe('what was said in conversations', () => {
  let installation: Installation;
  let source: DataSource;
  beforeAll(async () => {
    installation = await Installation.start();
    source = await new DataSource(connectionOptions(conversationSchema, { url: installation.database.url })).initialize();
  });
  afterAll(async () => {
    await source.destroy();
    await installation.stop();
  });

  /** Runs the hourly sweep this many days from now. */
  const sweepIn = async (days: number, months = 25): Promise<void> => {
    const log = createLogger({ level: 'warn', isReadable: false, writesPii: false, destination: installation.logged });
    const lifetime = { draining: new AbortController().signal, overdue: new AbortController().signal };
    const tasks = new RegularTasks(lifetime, log, new Metrics().metricsOf('conversation'));
    const retention = new Retention({ months }, installation.bus, new TenantScope(source), { log, lifetime, tasks });
    await retention.sweep(new Date(Date.now() + days * dayMs));
  };

  /** Reads the tables directly, across organizations. */
  const everywhere = (sql: string, values: unknown[]): Promise<object[]> =>
    new TenantScope(source).acrossTenants('a test looks', (manager) => manager.query<object[]>(sql, values));

  const shopThatKeeps = (RetentionDays: number): Shop => {
    const { RuntimeConfiguration } = anAgent();
    return installation.shop({ RuntimeConfiguration: { ...RuntimeConfiguration, RetentionDays } });
  };

  const talk = async ({ caller }: Shop, question: string, isEnded = true): Promise<string> => {
    const variables = { name: 'Ravi' };
    const { sessionUUID } = await installation.bus.ask(openSession, { channel: 'PHONE', variables }, { principal: caller });
    await installation.ask(caller, question, { sessionUUID });
    if (isEnded) await installation.bus.ask(endSession, { sessionUUID, reason: 'CALL_ENDED' }, { principal: caller });
    return sessionUUID;
  };

  const logsOf = async ({ owner }: Shop) => (await installation.bus.ask(listConversationLogs, {}, { principal: owner })).rows;
  const textsOf = async ({ owner }: Shop, ConversationalLogKeyID: string) =>
    (await installation.bus.ask(getConversationLog, { ConversationalLogKeyID }, { principal: owner })).turns.map(
      ({ text }) => text,
    );

  /** All text of an organization that the tables still hold. */
  const keptOf = async ({ owner: { orgId } }: Shop): Promise<string> => {
    const rows = await everywhere(
      `SELECT sessions.variables, summary, preview, turns.question, turns.answer
       FROM sessions LEFT JOIN turns ON session_id = sessions.id WHERE sessions.org_id = $1`,
      [orgId],
    );
    return JSON.stringify(rows);
  };

  it('is deleted after the agent’s retention days, but the conversation stays listed', async () => {
    const [short, long] = [shopThatKeeps(30), shopThatKeeps(90)];
    const secret = `my number is ${randomUUID()}`;
    for (const shop of [short, long]) await talk(shop, secret);
    const before = await logsOf(short);
    await sweepIn(29);
    expect(await keptOf(short)).toContain(secret);
    await sweepIn(31);
    expect(await keptOf(short)).not.toContain(secret);
    expect(await keptOf(short)).not.toContain('Ravi');
    expect(await keptOf(long)).toContain(secret);
    const [row] = await logsOf(short);
    expect(row).toEqual({ ...before[0], preview: '' });
    expect((await textsOf(short, row?.ConversationalLogKeyID ?? '')).join('')).toBe('');
  });

  it('is deleted from many conversations, each once; a shorter period applies from the next sweep', async () => {
    const shop = shopThatKeeps(200);
    await talk(shop, 'the first of many');
    await everywhere(
      `INSERT INTO sessions (org_id, session_uuid, agent_id, agent_key_id, agent_name, channel, status, outcome, end_reason, ended_on, language, preview)
       SELECT org_id, gen_random_uuid(), agent_id, agent_key_id, agent_name, channel, status, outcome, end_reason, ended_on, language, 'said'
       FROM sessions, generate_series(1, 1200) WHERE org_id = $1`,
      [shop.owner.orgId],
    );
    await sweepIn(150);
    expect(await keptOf(shop)).toContain('the first of many');
    shop.agent.RuntimeConfiguration.RetentionDays = 100;
    await sweepIn(150);
    const kept = await keptOf(shop);
    expect(kept).not.toContain('the first of many');
    expect(kept).not.toContain('said');
  });

  it('stays while the conversation is open, and goes when it has ended', async () => {
    const shop = shopThatKeeps(1);
    const sessionUUID = await talk(shop, 'still talking', false);
    await sweepIn(2);
    expect(await keptOf(shop)).toContain('still talking');
    await installation.bus.ask(endSession, { sessionUUID, reason: 'CALL_ENDED' }, { principal: shop.caller });
    await sweepIn(2);
    expect(await keptOf(shop)).not.toContain('still talking');
  });

  it('is deleted with the conversation after the installation’s months, never before the agent’s days', async () => {
    const [short, long] = [shopThatKeeps(30), shopThatKeeps(3650)];
    for (const shop of [short, long]) await talk(shop, 'old');
    await sweepIn(400, 14);
    expect([(await logsOf(short)).length, (await logsOf(long)).length]).toEqual([1, 1]);
    await sweepIn(500, 14);
    expect([(await logsOf(short)).length, (await logsOf(long)).length]).toEqual([0, 1]);
  });

  it('is erased from one conversation on request, which stays listed; not by others, and not while it is open', async () => {
    const [shop, other] = [shopThatKeeps(365), shopThatKeeps(365)];
    await talk(shop, 'erase this');
    const sessionUUID = await talk(shop, 'keep this', false);
    const [open, ended] = await logsOf(shop);
    const erase = ({ owner }: Shop, ConversationalLogKeyID = ended?.ConversationalLogKeyID ?? '') =>
      installation.bus.ask(eraseConversation, { ConversationalLogKeyID }, { principal: owner });
    await expect(erase(other)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(erase(shop, open?.ConversationalLogKeyID)).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(await keptOf(shop)).toContain('erase this');
    await erase(shop);
    const kept = await keptOf(shop);
    expect(kept).not.toContain('erase this');
    expect(kept).toContain('keep this');
    expect(await logsOf(shop)).toEqual([open, { ...ended, preview: '' }]);
    await eventually('it is told', () => installation.eventsOf(conversationErased).length > 0);
    expect(installation.eventsOf(conversationErased)).toEqual([{ sessionUUID: ended?.sessionUUID }]);
    expect(ended?.sessionUUID).not.toBe(sessionUUID);
    // Erasing it again is no error, since a client may repeat its request.
    await erase(shop);
  });

  it('is erased from a chat by API at once, which ends with it', async () => {
    const shop = shopThatKeeps(365);
    const { sessionUUID } = await installation.ask(shop.caller, 'erase this now');
    const [chat] = await logsOf(shop);
    expect(chat).toMatchObject({ sessionUUID, status: 'OPEN' });
    const ConversationalLogKeyID = chat?.ConversationalLogKeyID ?? '';
    await installation.bus.ask(eraseConversation, { ConversationalLogKeyID }, { principal: shop.owner });
    expect(await logsOf(shop)).toMatchObject([{ status: 'ENDED', outcome: chat?.outcome ?? 'UNANSWERED', preview: '' }]);
    expect(await keptOf(shop)).not.toContain('erase this now');
  });

  it('is not erased while an answer is not yet stored, though the conversation has ended: its words would come back', async () => {
    const shop = shopThatKeeps(365);
    const { sessionUUID } = await installation.ask(shop.caller, 'erase the first');
    const asked = Promise.withResolvers<void>();
    const answers = Promise.withResolvers<void>();
    installation.model = new ScriptedLanguageModel(async function* () {
      asked.resolve();
      await answers.promise;
      yield { type: 'text', text: 'A late answer.' };
    });
    const late = installation.ask(shop.caller, 'erase the second', { sessionUUID });
    await asked.promise;
    const ConversationalLogKeyID = (await logsOf(shop))[0]?.ConversationalLogKeyID ?? '';
    const erase = () => installation.bus.ask(eraseConversation, { ConversationalLogKeyID }, { principal: shop.owner });
    await expect(erase()).rejects.toMatchObject({ code: 'CONFLICT' });
    await installation.bus.ask(endSession, { sessionUUID, reason: 'ENDED_BY_USER' }, { principal: shop.caller });
    await expect(erase()).rejects.toMatchObject({ code: 'CONFLICT' });
    answers.resolve();
    await late;
    installation.model = new BuiltinModel();
    await erase();
    expect(await keptOf(shop)).not.toMatch(/the first|the second|A late answer/);
  });

  it.each([
    ['after the agent’s days', 30, [31]],
    // Its row goes with the next sweep, after it was told.
    ['after the installation’s months', 500, [501, 501]],
  ])('is told to be gone %s: whoever counts turns reads once more those that nobody knew', async (_, days, sweeps) => {
    const shop = shopThatKeeps(days);
    for (const question of ['do you repair zeppelins', 'when do you deliver']) {
      installation.surroundings.retrieve = ({ query }) => ({
        ...{ faq: null, passages: [], isKnown: query.includes('deliver') },
        fact: query.includes('deliver') ? 'Within three days.' : null,
      });
      await talk(shop, question);
    }
    const read = async (after: string) => {
      const { turns, ...page } = await installation.bus.ask(readTurnFacts, { after });
      return { ...page, questions: turns.filter(({ orgId }) => orgId === shop.owner.orgId).map(({ question }) => question) };
    };
    let place = '';
    const reread = async (count: number) => {
      const found: (string | null)[] = [];
      await eventually('the turns are told', async () => {
        const { after, questions } = await read(place);
        place = after;
        found.push(...questions);
        return found.length >= count;
      });
      return found;
    };
    expect(await reread(2)).toEqual(expect.arrayContaining([null, 'do you repair zeppelins']));
    const [first = 0, second] = sweeps;
    await sweepIn(first, 1);
    expect(await reread(1)).toEqual([null]);
    if (second === undefined) return;
    expect(await logsOf(shop)).toHaveLength(2);
    await sweepIn(second, 1);
    expect(await logsOf(shop)).toHaveLength(0);
  });

  it('stays in statistics: turns without text can still be fetched', async () => {
    const shop = shopThatKeeps(1);
    await talk(shop, 'count me');
    await sweepIn(2);
    const told = async () =>
      (await installation.bus.ask(readTurnFacts, { after: '' })).turns.filter(({ orgId }) => orgId === shop.owner.orgId);
    // Any open transaction on the server holds back newer turns.
    await eventually('the turn is told', async () => (await told()).length > 0);
    const own = await told();
    expect(own).toHaveLength(1);
    expect(own[0]?.question ?? null).toBeNull();
  });
});
