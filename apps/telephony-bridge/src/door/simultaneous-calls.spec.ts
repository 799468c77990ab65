import { countActiveCalls, listCalls } from '@parley/contracts';
import { eventually } from '@parley/testing';
import { Client } from 'pg';
import { BridgeHarness } from '../testing/bridge-harness.suite';
import { FakePhone } from '../testing/fake-network';

const calls = 60;

describe('sixty simultaneous calls of one organization', () => {
  let harness: BridgeHarness;
  beforeAll(async () => {
    harness = await BridgeHarness.open({ CALLS_PER_ORGANIZATION: '100', DATABASE_POOL_MAX: '6' });
  });
  afterAll(() => harness.close());

  const ringAll = (shop: Awaited<ReturnType<BridgeHarness['shop']>>) =>
    Array.from({ length: calls }, async (_each, index) => {
      const { callId } = harness.network.newCall();
      const incoming = { kind: 'incoming', callId, from: `+9198200${10_000 + index}`, to: shop.number.number } as const;
      return { callId, ...(await harness.network.tell(shop.webhooks.answer, [incoming])) };
    });

  it('are all answered, each with a line to the agent', async () => {
    const shop = await harness.shop();
    const answers = await Promise.all(ringAll(shop));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    const phones = await Promise.all(
      answers.map(({ plan, callId }) => {
        if (plan?.kind !== 'connect') throw new Error(`the call was not taken: ${JSON.stringify(plan)}`);
        return FakePhone.answer(plan.mediaUrl, callId);
      }),
    );
    await eventually('every agent is on the line', () => harness.scripted.lines.length === calls);
    expect(await shop.ask(countActiveCalls, {})).toMatchObject({ activeCalls: calls });
    for (const phone of phones) phone.hangUp();
    await eventually('all are over', async () => {
      const { rows } = await shop.ask(listCalls, { pageSize: 100 });
      return rows.length === calls && rows.every(({ state }) => state === 'COMPLETED');
    });
  });

  it('leave connections for others while another replica blocks their changes', async () => {
    const shop = await harness.shop();
    const other = await harness.shop();
    await shop.ask(listCalls, {});
    const holder = new Client({ connectionString: harness.database.adminUrl });
    await holder.connect();
    await holder.query('BEGIN');
    await holder.query('INSERT INTO telephony.live_changes (org_id, change) VALUES ($1, 1)', [shop.principal.orgId]);
    const ringing = ringAll(shop);
    let over = 0;
    for (const each of ringing) void each.finally(() => (over += 1));
    try {
      for (let looks = 0; looks < 5; looks += 1) await shop.ask(listCalls, {});
      const { callId } = harness.network.newCall();
      const incoming = { kind: 'incoming', callId, from: '+919820012345', to: other.number.number } as const;
      expect((await harness.network.tell(other.webhooks.answer, [incoming])).plan).toMatchObject({ kind: 'connect' });
      // Nobody had to wait until one of them gave up its connection.
      expect(over).toBe(0);
    } finally {
      await holder.query('ROLLBACK');
      await holder.end();
    }
    const answers = await Promise.all(ringing);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  });
});
