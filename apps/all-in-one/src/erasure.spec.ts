import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import {
  conversationChannels,
  createKey,
  endSession,
  eraseConversation,
  examplesOf,
  getUnansweredQuestions,
  listConversationLogs,
  listUnanswered,
  openSession,
  type Principal,
  saveAgent,
  saveKnowledgeBase,
} from '@parley/contracts';
import { eventually, wholeAnswer } from '@parley/testing';
import { Client } from 'pg';
import { newAgent } from './demo/demo-file';
import { createTenant, type Tenant } from './testing/tenants';
import { startWholePlatform, type WholePlatform } from './testing/whole-platform';

const question =
  'I am Quillonia Brackwater of 12 Tamarisk Lane, phone 98220 12345, card 4111 1111 1111 1111, PAN ABCDE1234F, ' +
  'mail quill@brack.example: do you repair zeppelins?';
/** What no one may find afterwards. */
const said = ['quillonia', 'tamarisk', '98220 12345', '4111 1111', 'abcde1234f', 'brack.example', 'zeppelin'];
const hours = 24 * 3_600_000;

describe('what was said in a conversation', () => {
  let platform: WholePlatform;
  let tenant: Tenant;
  let admin: Client;
  let caller: Principal;
  let KBID: number;

  beforeAll(async () => {
    platform = await startWholePlatform({ environment: { DASHBOARDS_TURNS_EVERY: '20ms' } });
    admin = new Client({ connectionString: platform.adminUrl });
    await admin.connect();
    tenant = await createTenant(platform, 'Lantern Lab');
    const { bus } = platform;
    const principal = tenant.owner;
    const [base] = examplesOf(saveKnowledgeBase.request);
    ({ KBID } = await bus.ask(saveKnowledgeBase, saveKnowledgeBase.request.parse(base), { principal }));
    const about = { ...newAgent, AgentKeyID: null, TemplateID: 0, AgentName: 'Maya', KBID };
    const { AgentID: agentId, AgentKeyID } = await bus.ask(saveAgent, about, { principal });
    const { IntegrationKeyID } = await bus.ask(createKey, { name: 'test', kind: 'agt', AgentKeyID }, { principal });
    caller = { kind: 'agt', keyId: IntegrationKeyID, orgId: principal.orgId, agentId };
  });
  afterAll(async () => {
    await admin.end();
    await platform.stop();
  });

  const groups = async () => {
    const day = (ms: number) => new Date(Date.now() + ms).toISOString().slice(0, 10);
    const span = { startDate: day(-hours), endDate: day(hours) };
    const told = await platform.bus.ask(getUnansweredQuestions, span, { principal: tenant.owner });
    const { rows } = await platform.bus.ask(listUnanswered, { KBID }, { principal: tenant.owner });
    return { ofDashboards: told.groups, ofKnowledge: rows };
  };

  it('is kept, in every channel, and shown among the questions that nobody knew without numbers and addresses', async () => {
    for (const channel of conversationChannels) {
      const variables = { name: 'Quillonia' };
      const { sessionUUID } = await platform.bus.ask(openSession, { channel, variables }, { principal: caller });
      await wholeAnswer(platform.bus, { question, sessionUUID }, { principal: caller });
      await platform.bus.ask(endSession, { sessionUUID, reason: 'ENDED_BY_USER' }, { principal: caller });
    }
    await eventually('the dashboards know', async () => (await groups()).ofDashboards[0]?.count === conversationChannels.length);
    const { ofDashboards, ofKnowledge } = await groups();
    const masked = 'I am Quillonia Brackwater of 12 Tamarisk Lane, phone …, card …, PAN …, mail …@… do you repair zeppelins?';
    expect(ofKnowledge).toMatchObject([{ question: masked, count: conversationChannels.length, examples: [masked] }]);
    expect(ofDashboards).toMatchObject([{ question: masked, examples: [masked] }]);
    expect(await placesOf(said)).toEqual(expect.arrayContaining(['conversation.turns', 'conversation.sessions']));
    expect((await placesOf(said)).join()).toContain('dashboards.turn_facts');
    expect((await admin.query('SELECT 1 FROM dashboards.question_vectors')).rowCount).toBe(1);
  });

  it('is nowhere once the conversations are erased: in no table and in no file', async () => {
    const { rows } = await platform.bus.ask(listConversationLogs, {}, { principal: tenant.owner });
    expect(rows.map(({ channel }) => channel).toSorted()).toEqual(conversationChannels.toSorted());
    for (const { ConversationalLogKeyID } of rows)
      await platform.bus.ask(eraseConversation, { ConversationalLogKeyID }, { principal: tenant.owner });
    const known = 'SELECT 1 FROM dashboards.turn_facts WHERE question IS NOT NULL';
    await eventually('the dashboards have forgotten', async () => (await admin.query(known)).rowCount === 0);
    expect(await groups()).toEqual({ ofDashboards: [], ofKnowledge: [] });
    expect(await placesOf(said)).toEqual([]);
    expect((await admin.query('SELECT 1 FROM dashboards.question_vectors')).rowCount).toBe(0);
  });

  /** The tables and files that contain any of these words, in any case. */
  const placesOf = async (words: readonly string[]): Promise<string[]> => {
    const { rows } = await admin.query<{ name: string }>(
      `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`,
    );
    const places: string[] = [];
    const look = (place: string, text: string): void => {
      if (words.some((word) => text.toLowerCase().includes(word))) places.push(place);
    };
    for (const { name } of rows) {
      const kept = await admin.query<{ row: string }>(`SELECT t::text AS row FROM ${name} t`);
      look(name, kept.rows.map(({ row }) => decoded(row)).join('\n'));
    }
    for (const file of readdirSync(platform.home, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())) {
      const whole = path.join(file.parentPath, file.name);
      look(path.relative(platform.home, whole), readFileSync(whole, 'latin1'));
    }
    return places;
  };
});

/** Bytes appear in a row as hexadecimal digits. */
function decoded(row: string): string {
  return row.replace(/\\\\x([0-9a-f]+)/g, (_all, hex: string) => Buffer.from(hex, 'hex').toString());
}
