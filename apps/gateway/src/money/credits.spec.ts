import { randomUUID } from 'node:crypto';
import { Controller } from '@nestjs/common';
import { creditsLow, Fault, getCreditBalance, listCreditUsage, topUpCredits } from '@parley/contracts';
import { Hears } from '@parley/messaging';
import { eventually } from '@parley/testing';
import { Client } from 'pg';
import { z } from 'zod';
import { Harness, type TestOrganization } from '../testing/harness';
import { differenceOf, readEquation } from './index';

const Body = z.looseObject({ code: z.string().optional(), message: z.string().optional(), data: z.unknown().optional() });
/** Events about low credits, as any subscriber receives them. */
const alarms: { orgId: number | null }[] = [];

@Controller()
class Listener {
  @Hears(creditsLow)
  hear(payload: object, { orgId }: { orgId: number | null }): void {
    alarms.push({ orgId, ...payload });
  }
}

const tokens = 10;
const affordable = 100;

describe('credits', () => {
  let harness: Harness;
  let urls: string[];
  let mine: TestOrganization;
  let agentKey: string;
  let ownerKey: string;
  let admin: Client;

  beforeAll(async () => {
    harness = await Harness.open();
    await harness.play('dashboards', Listener);
    const environment = {
      PARLEY_INITIAL_CREDITS: `TTT_API=${tokens * affordable},STT_API=60`,
      CREDIT_TOKENS_PER_TURN: String(tokens),
      CREDITS_LOW_AT: '',
    };
    urls = [(await harness.startGateway(environment)).url, (await harness.startGateway(environment)).url];
    admin = new Client({ connectionString: harness.database.adminUrl });
    await admin.connect();
    await admin.query('SET search_path = gateway');
  });
  beforeEach(async () => {
    mine = harness.organization();
    [agentKey, ownerKey] = [(await harness.key(mine, 'agt')).key, (await harness.key(mine, 'wsk')).key];
    harness.scripted.answer = async () => tokens;
  });
  afterEach(async () => {
    const equation = await readEquation({ query: async (sql: string) => (await admin.query(sql)).rows });
    expect(differenceOf(equation)).toBe(0);
    expect(equation).toMatchObject({ held: 0, breaks: 0, staleHolds: 0 });
  });
  afterAll(async () => {
    await admin.end();
    await harness.close();
  });

  const send = async (path: string, key: string, body?: unknown, headers: Record<string, string> = {}, url = urls[0]) => {
    const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
    const reply = await fetch(`${url}/api/v1/${path}`, {
      ...init,
      headers: { 'x-api-key': key, 'content-type': 'application/json', ...headers },
    });
    return { status: reply.status, body: Body.parse(await reply.json()) };
  };
  const ask = (headers = {}, url = urls[0]) => send('ttt', agentKey, { question: 'Well?' }, headers, url);
  const left = async () =>
    (await harness.bus.ask(getCreditBalance, {}, { principal: mine.owner })).balances.find(({ kind }) => kind === 'TTT_API');
  const charges = async () => {
    const body = { kind: 'TTT_API', pageSize: 200, sortOrder: 'ASC' } as const;
    return (await harness.bus.ask(listCreditUsage, body, { principal: mine.owner })).rows.filter(
      ({ entry }) => entry === 'CHARGE',
    );
  };

  it('admit exactly as many of 256 callers as there is credit for, over HTTP and two gateways', async () => {
    const replies = await Promise.all(Array.from({ length: 256 }, (_, n) => ask({}, urls[n % 2])));
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(affordable);
    const refused = replies.filter(({ status }) => status !== 200);
    expect(refused.map(({ status, body: { code } }) => `${status} ${code}`)).toEqual(refused.map(() => '403 CREDITS_EXHAUSTED'));
    expect(await left()).toMatchObject({ balance: 0, held: 0 });
    expect(await charges()).toHaveLength(affordable);
  });

  it('are charged for what was used, on one line that names request, key and agent', async () => {
    harness.scripted.answer = async () => 7;
    await ask({ 'x-request-id': 'req-of-the-spec' });
    const { rows } = await harness.bus.ask(listCreditUsage, { AgentKeyID: mine.agent.AgentKeyID }, { principal: mine.owner });
    const { AgentID, AgentKeyID } = mine.agent;
    expect(rows).toMatchObject([
      { entry: 'CHARGE', units: -7, unpaidUnits: 0, balanceAfter: 993, AgentID, AgentKeyID, requestId: 'req-of-the-spec' },
    ]);
  });

  it('are held during the answer, and returned when it fails', async () => {
    const begun = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<number>();
    harness.scripted.answer = () => {
      begun.resolve();
      return answer.promise;
    };
    const asking = ask();
    await begun.promise;
    expect(await left()).toMatchObject({ held: tokens, available: tokens * (affordable - 1) });
    answer.reject(new Fault('MODEL_PROVIDER_UNAVAILABLE'));
    expect((await asking).status).toBe(503);
    expect(await left()).toMatchObject({ held: 0, available: tokens * affordable });
    expect(await charges()).toEqual([]);
  });

  it('are charged once for a repeated request', async () => {
    const replies = await Promise.all(Array.from({ length: 20 }, (_, n) => ask({ 'idempotency-key': 'turn-1' }, urls[n % 2])));
    expect(replies.filter(({ status }) => status === 200).length).toBeGreaterThan(0);
    expect((await ask({ 'idempotency-key': 'turn-1' })).status).toBe(200);
    expect(await charges()).toHaveLength(1);
  });

  it('are charged once if the gateway dies between settlement and answer and the client retries', async () => {
    await ask({ 'idempotency-key': 'turn-2' });
    await admin.query(
      `UPDATE idempotent_requests SET status = NULL, lease_until = now() - interval '1 second' WHERE org_id = $1`,
      [mine.orgId],
    );
    expect((await ask({ 'idempotency-key': 'turn-2' })).status).toBe(200);
    expect(await charges()).toHaveLength(1);
  });

  it('are topped up once per Idempotency-Key, even if a gateway dies, and by the Owner only', async () => {
    const topUp = (key: string) =>
      send('external/credits/top-up', key, { kind: 'TTT_API', units: 50 }, { 'idempotency-key': 'march' });
    const first = await topUp(ownerKey);
    expect(first).toMatchObject({ status: 200, body: { data: { kind: 'TTT_API', balance: 1050 } } });
    await admin.query(
      `UPDATE idempotent_requests SET status = NULL, lease_until = now() - interval '1 second' WHERE org_id = $1`,
      [mine.orgId],
    );
    expect(await topUp(ownerKey)).toEqual(first);
    const adminMember = harness.member(mine.orgId, { roleTypeId: 2 });
    const { key } = await harness.key({ ...mine, owner: adminMember }, 'wsk');
    expect((await topUp(key)).body.code).toBe('SCOPE_MISSING');
  });

  it('are topped up once per reference, which is refused for another top-up', async () => {
    const reference = randomUUID();
    const topUp = (body: object) => send('external/credits/top-up', ownerKey, { reference, ...body });
    const first = await topUp({ kind: 'TTT_API', units: 50 });
    expect(first).toMatchObject({ status: 200, body: { data: { kind: 'TTT_API', balance: 1050 } } });
    expect(await topUp({ kind: 'TTT_API', units: 50, note: 'again' })).toEqual(first);
    expect(await topUp({ kind: 'TTT_API', units: 50, reference: reference.toUpperCase() })).toEqual(first);
    for (const other of [
      { kind: 'TTT_API', units: 51 },
      { kind: 'STT_API', units: 50 },
    ])
      expect(await topUp(other)).toMatchObject({ status: 409, body: { code: 'CONFLICT' } });
    expect(await topUp({ kind: 'TTT_API', units: 50 })).toEqual(first);
  });

  it('are shown for every kind, even if nothing was used yet', async () => {
    const { body } = await send('external/credits/balance', ownerKey);
    expect(getCreditBalance.reply.parse(body.data).balances.map(({ kind, balance }) => [kind, balance])).toEqual([
      ['TTT_API', 1000],
      ['TTS_API', 0],
      ['STT_API', 60],
    ]);
  });

  it('refuse prices set by the Owner: those are the operator’s, and apply from a gateway’s start', async () => {
    const refused = await send('external/credits/price', ownerKey, { kind: 'TTT_API', unitsPerThousand: 0 });
    expect(refused).toMatchObject({ status: 403, body: { code: 'SCOPE_MISSING', message: expect.stringContaining('operator') } });
    harness.scripted.answer = async () => 3;
    await ask();
    const others = harness.organization();
    await harness.bus.ask(getCreditBalance, {}, { principal: others.owner });
    const prices = { CREDIT_PRICES: 'TTS_API=7', ORGANIZATION_CREDIT_PRICES: `${mine.orgId}:TTT_API=1500,999:STT_API=0` };
    const { service } = await harness.startGateway(prices);
    await service.stop();
    await ask();
    expect((await charges()).map(({ units }) => units)).toEqual([-3, -5]);
    expect(await left()).toMatchObject({ unitsPerThousand: 1500 });
    const { balances } = await harness.bus.ask(getCreditBalance, {}, { principal: others.owner });
    expect(balances.map(({ kind, unitsPerThousand }) => [kind, unitsPerThousand])).toEqual([
      ['TTT_API', 1000],
      ['TTS_API', 7],
      ['STT_API', 1000],
    ]);
  });

  it('report once that they run low, at the balance the Owner chose', async () => {
    const alerts = (key: string) => send('external/credits/alerts', key, { kind: 'TTT_API', lowAt: [995] });
    const adminMember = harness.member(mine.orgId, { roleTypeId: 2 });
    const { key: adminKey } = await harness.key({ ...mine, owner: adminMember }, 'wsk');
    harness.scripted.answer = async () => 3;
    expect((await alerts(adminKey)).body.code).toBe('SCOPE_MISSING');
    expect(await alerts(ownerKey)).toMatchObject({ status: 200, body: { data: { lowAt: [995] } } });
    expect(await left()).toMatchObject({ available: 1000, lowAt: [995] });
    for (let n = 0; n < 3; n += 1) await ask();
    const mineAlone = () => alarms.filter(({ orgId }) => orgId === mine.orgId);
    await eventually('it is told', () => mineAlone().length > 0);
    expect(mineAlone()).toEqual([{ orgId: mine.orgId, kind: 'TTT_API', available: 994, threshold: 995 }]);
  });

  it('page through the ledger without repeating or skipping a line, and add up to the balance', async () => {
    for (let n = 0; n < 7; n += 1) await ask();
    const pages = await Promise.all(
      [1, 2, 3, 4].map((pageNo) =>
        harness.bus.ask(listCreditUsage, { kind: 'TTT_API', pageNo, pageSize: 3 }, { principal: mine.owner }),
      ),
    );
    const rows = pages.flatMap((page) => page.rows);
    expect([pages[0]?.totalCount, rows.length, new Set(rows.map(({ CreditEntryID }) => CreditEntryID)).size]).toEqual([8, 8, 8]);
    expect(rows.reduce((sum, { units }) => sum + units, 0)).toBe((await left())?.balance);
    const later = await harness.bus.ask(listCreditUsage, { startDate: '2126-01-01T00:00:00Z' }, { principal: mine.owner });
    expect(later.totalCount).toBe(0);
  });

  it('are exported as CSV without formulas', async () => {
    await harness.bus.ask(
      topUpCredits,
      { kind: 'STT_API', units: 5, note: '=HYPERLINK("http://evil")' },
      { principal: mine.owner },
    );
    const headers = { 'x-api-key': ownerKey, 'content-type': 'application/json' };
    const reply = await fetch(`${urls[0]}/api/v1/external/credits/usage-export`, {
      method: 'POST',
      headers,
      body: '{"kind":"STT_API"}',
    });
    const csv = await reply.text();
    expect(reply.headers.get('content-disposition')).toContain('credits.csv');
    const lines = csv.trimEnd().split('\r\n');
    expect(lines).toHaveLength(3);
    expect(lines[2]).toMatch(/,STT_API,TOP_UP,5,0,65,.*,"'=HYPERLINK\(""http:\/\/evil""\)"$/);
  });

  it('refuse an export of days that end before they begin, with a status', async () => {
    const body = JSON.stringify({ startDate: '2026-06-06', endDate: '2026-05-26' });
    const headers = { 'x-api-key': ownerKey, 'content-type': 'application/json' };
    const reply = await fetch(`${urls[0]}/api/v1/external/credits/usage-export`, { method: 'POST', headers, body });
    expect([reply.status, await reply.json()]).toEqual([400, expect.objectContaining({ code: 'VALIDATION_FAILED' })]);
  });

  it('show members limited to some agents only those agents’ lines', async () => {
    await ask();
    const AgentKeyID = randomUUID();
    harness.scripted.agents.set(AgentKeyID, { orgId: mine.orgId, agentId: 77_777 });
    const held = { roleTypeId: 2, permissions: { billing: ['CanView' as const] } };
    const ofMine = harness.member(mine.orgId, { ...held, agentIds: [mine.agent.AgentID] });
    const ofAnother = harness.member(mine.orgId, { ...held, agentIds: [77_777] });
    const usage = (principal: typeof ofMine, body = {}) => harness.bus.ask(listCreditUsage, body, { principal });
    expect((await usage(mine.owner)).rows.map(({ entry }) => entry)).toContain('GRANT');
    expect((await usage(ofMine)).rows).toMatchObject([{ entry: 'CHARGE', AgentID: mine.agent.AgentID }]);
    expect((await usage(ofAnother)).rows).toEqual([]);
    const [{ IntegrationKeyID } = { IntegrationKeyID: null }] = (await usage(ofMine)).rows;
    for (const body of [{ IntegrationKeyID }, { IntegrationKeyID: randomUUID() }])
      await expect(usage(ofAnother, body)).rejects.toMatchObject({ code: 'NOT_FOUND', message: 'There is no such key.' });
    expect((await usage(ofMine, { IntegrationKeyID })).totalCount).toBe(1);
    await expect(usage(mine.owner, { AgentKeyID: randomUUID() })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('are hidden from other organizations', async () => {
    await ask();
    const theirs = harness.organization();
    const { rows } = await harness.bus.ask(listCreditUsage, {}, { principal: theirs.owner });
    expect(rows).toEqual([]);
  });
});
