import { type CallRecord, listCalls } from '@parley/contracts';
import type { z } from 'zod';
import { BridgeHarness, type Shop } from '../testing/bridge-harness.suite';

type Query = z.input<typeof listCalls.request>;

/** Marks the calls of this spec. */
interface Written {
  readonly state: CallRecord['state'];
  readonly direction: CallRecord['direction'];
  readonly agentId: number;
  readonly campaignId: number | null;
  readonly from: string;
  readonly to: string;
  readonly queuedAt: string;
}

const states = ['QUEUED', 'RINGING', 'IN_PROGRESS', 'COMPLETED', 'MISSED', 'FAILED', 'CANCELLED'] as const;
const agentKey = '3b9d5a0e-1c2f-4d3e-8a5b-6c7d8e9f0a1b';
const firstMs = Date.parse('2126-03-01T00:00:00.000Z');
const hourMs = 3_600_000;

/**
 * Seven states, two directions, two agents, two campaigns or none, three people, sixty days: no two filters give the same result.
 * All calls lie in the future, and the open ones hold slots that nobody takes away, so the bridge leaves them as written.
 */
const written = Array.from({ length: 240 }, (_, at): Written => {
  const direction = at % 2 === 0 ? 'INBOUND' : 'OUTBOUND';
  const [ours, theirs] = ['+912025510012', `+9198200${10_000 + (at % 3)}`];
  return {
    state: states[at % states.length] ?? 'QUEUED',
    direction,
    agentId: at % 5 === 0 ? 13 : 12,
    campaignId: direction === 'INBOUND' ? null : at % 11 < 3 ? 4 : at % 11 < 7 ? 5 : null,
    from: direction === 'INBOUND' ? theirs : ours,
    to: direction === 'INBOUND' ? ours : theirs,
    queuedAt: new Date(firstMs + at * 6 * hourMs).toISOString(),
  };
});

/** Each filter with its meaning, written without the query under test. */
const filters: readonly { readonly name: string; readonly query: Query; holds(call: Written): boolean }[] = [
  ...states.map((state) => ({ name: `state ${state}`, query: { state }, holds: (call: Written) => call.state === state })),
  { name: 'direction', query: { direction: 'OUTBOUND' }, holds: ({ direction }) => direction === 'OUTBOUND' },
  { name: 'agent', query: { AgentID: 13 }, holds: ({ agentId }) => agentId === 13 },
  { name: 'campaign', query: { CampaignID: 4 }, holds: ({ campaignId }) => campaignId === 4 },
  { name: 'number', query: { number: '+919820010001' }, holds: (call) => isOf(call, '+919820010001') },
  { name: 'part of a number', query: { number: ' 20010002 ' }, holds: (call) => isOf(call, '+919820010002') },
  { name: 'first day', query: { startDate: '2126-03-12' }, holds: ({ queuedAt }) => queuedAt >= '2126-03-12T00:00:00.000Z' },
  { name: 'last day', query: { endDate: '2126-03-20' }, holds: ({ queuedAt }) => queuedAt < '2126-03-21T00:00:00.000Z' },
  {
    name: 'instants, both of them in it',
    query: { startDate: '2126-03-10T06:00:00.000Z', endDate: '2126-03-12T12:00:00.000Z' },
    holds: ({ queuedAt }) => queuedAt >= '2126-03-10T06:00:00.000Z' && queuedAt <= '2126-03-12T12:00:00.000Z',
  },
];

function isOf({ from, to }: Written, number: string): boolean {
  return from === number || to === number;
}

describe('the list of calls', () => {
  let harness: BridgeHarness;
  let shop: Shop;

  beforeAll(async () => {
    harness = await BridgeHarness.open();
    shop = await harness.shop();
    const stranger = await harness.shop();
    const client = await harness.sql();
    await client.query('BEGIN');
    for (const { principal, account } of [shop, stranger]) {
      await client.query(
        `INSERT INTO calls (org_id, account_id, carrier, state, direction, agent_id, agent_key, agent_name, campaign_id, from_address,
           to_address, wishes, reference, queued_at, ended_at, change, updated_on)
         SELECT $1, $2, 'fake', c.state, c.direction, c."agentId", $3, 'Agent', c."campaignId", c."from", c."to", '{}',
           gen_random_uuid(), c."queuedAt", CASE WHEN c.state IN ('QUEUED', 'RINGING', 'IN_PROGRESS') THEN NULL ELSE c."queuedAt" END,
           1, now()
         FROM jsonb_to_recordset($4) AS c (state text, direction text, "agentId" int, "campaignId" int, "from" text, "to" text,
           "queuedAt" timestamptz)`,
        [principal.orgId, account.CarrierAccountID, agentKey, JSON.stringify(written)],
      );
      await client.query(
        `INSERT INTO call_slots (call_id, org_id, agent_id, owner, expires_at)
         SELECT id, org_id, agent_id, gen_random_uuid(), 'infinity' FROM calls WHERE org_id = $1 AND state IN ('RINGING', 'IN_PROGRESS')`,
        [principal.orgId],
      );
    }
    await client.query('COMMIT');
  });
  afterAll(() => harness.close());

  /** Reads every page, checking count and order on the way. */
  const everyPage = async (query: Query, pageSize: number): Promise<string[]> => {
    const found: string[] = [];
    for (let pageNo = 1; ; pageNo += 1) {
      const page = await shop.ask(listCalls, { sortColumn: 'queuedAt', sortOrder: 'ASC', ...query, pageNo, pageSize });
      found.push(...page.rows.map(({ queuedAt }) => queuedAt));
      expect(page.rows.length).toBeLessThanOrEqual(pageSize);
      if (page.rows.length < pageSize) {
        expect(page.totalCount).toBe(found.length);
        return found;
      }
    }
  };
  const meant = (...held: readonly (typeof filters)[number][]) =>
    written.filter((call) => held.every(({ holds }) => holds(call))).map(({ queuedAt }) => queuedAt);

  it.each(filters.map((filter) => [filter.name, filter] as const))('filters by %s over all pages', async (_name, filter) => {
    const expected = meant(filter);
    expect(expected.length).toBeGreaterThan(0);
    expect(expected.length).toBeLessThan(written.length);
    expect(await everyPage(filter.query, 7)).toEqual(expected);
  });

  it('combines every two filters', async () => {
    const pairs = filters.flatMap((one, at) => filters.slice(at + 1).map((other) => [one, other] as const));
    const apart = pairs.filter(([one, other]) => Object.keys(one.query).every((key) => !(key in other.query)));
    expect(apart.length).toBeGreaterThan(40);
    for (const pair of apart) {
      const query = { ...pair[0].query, ...pair[1].query };
      expect([query, await everyPage(query, 200)]).toEqual([query, meant(...pair)]);
    }
  });

  it('combines all filters', async () => {
    const call = written.find(({ agentId, campaignId, state }) => agentId === 12 && campaignId === 5 && state === 'COMPLETED');
    if (!call) throw new Error('no such call was written');
    const day = call.queuedAt.slice(0, 10);
    const query: Query = {
      state: 'COMPLETED',
      direction: 'OUTBOUND',
      AgentID: 12,
      CampaignID: 5,
      number: call.to,
      startDate: day,
      endDate: day,
    };
    expect(await everyPage(query, 20)).toEqual([call.queuedAt]);
    for (const other of [{ state: 'FAILED' }, { direction: 'INBOUND' }, { AgentID: 13 }, { CampaignID: 4 }] as const)
      expect((await shop.ask(listCalls, { ...query, ...other })).totalCount).toBe(0);
    expect((await shop.ask(listCalls, { ...query, number: '+10' })).totalCount).toBe(0);
  });

  it('is empty after its last page, and takes no character of a number as a wildcard', async () => {
    expect(await shop.ask(listCalls, { pageNo: 13, pageSize: 20 })).toMatchObject({ rows: [], totalCount: written.length });
    for (const number of ['%', '_', '\\']) expect((await shop.ask(listCalls, { number })).totalCount).toBe(0);
  });

  it('shows a member limited to one agent only that agent’s calls', async () => {
    const held = harness.memberOf({ orgId: shop.principal.orgId, agentIds: [13] });
    expect((await held.ask(listCalls, {})).totalCount).toBe(written.filter(({ agentId }) => agentId === 13).length);
    await expect(held.ask(listCalls, { AgentID: 12 })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(shop.ask(listCalls, { CampaignID: 999 })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});
