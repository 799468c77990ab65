import { listCalls, placeCall, watchCalls } from '@parley/contracts';
import { eventually } from '@parley/testing';
import type { z } from 'zod';
import { BridgeHarness, type Shop } from '../testing/bridge-harness.suite';

type Item = z.output<typeof watchCalls.item>;

describe('a viewer of live calls', () => {
  let harness: BridgeHarness;
  let shop: Shop;
  beforeAll(async () => {
    harness = await BridgeHarness.open();
    shop = await harness.shop();
  });
  afterAll(() => harness.close());

  const watch = (after?: number) => {
    const items: Item[] = [];
    const leaving = new AbortController();
    const read = async () => {
      const options = { principal: shop.principal, signal: leaving.signal };
      for await (const item of harness.bus.stream(watchCalls, after === undefined ? {} : { after }, options)) items.push(item);
    };
    const done = read().catch(() => undefined);
    return { items, leave: () => (leaving.abort(), done) };
  };
  const states = (items: readonly Item[]) => items.flatMap((item) => (item.type === 'call' ? [item.call.state] : []));
  const counts = (items: readonly Item[]) => items.flatMap((item) => (item.type === 'counts' ? [item.counts.activeCalls] : []));

  it('receives counts at once and on change, each call’s progress, and what was missed meanwhile', async () => {
    const first = watch();
    await eventually('the counts are told', () => counts(first.items).length === 1);
    await shop.ask(placeCall, { AgentID: 12, to: '+919820012345' });
    await eventually('the call is told', () => counts(first.items).at(-1) === 1 && states(first.items).includes('RINGING'));
    const last = Math.max(...first.items.map(({ change }) => change));
    await first.leave();
    const { rows } = await shop.ask(listCalls, {});
    const callId = rows[0]?.carrierCallID ?? '';
    await harness.network.tell(shop.webhooks.status, [{ kind: 'state', callId, state: 'busy' }]);
    await eventually('the call is over', async () => (await shop.ask(listCalls, {})).rows[0]?.endedAt !== null);
    const second = watch(last);
    await eventually('what was missed is told', () => states(second.items).includes('MISSED'));
    expect(counts(second.items)).toEqual([0]);
    await second.leave();
    const ends = [first, second].map(({ items }) =>
      items.flatMap((item) => (item.type === 'call' ? [JSON.stringify(item.call)] : [])),
    );
    for (const told of ends) expect(told).toEqual([...new Set(told)]);
    const stranger = await harness.shop();
    expect((await stranger.ask(listCalls, {})).totalCount).toBe(0);
  });

  it('receives changes even if its last position is ahead, as after a restore', async () => {
    const ahead = 1_000_000;
    const watching = watch(ahead);
    await eventually('the counts are told', () => counts(watching.items).length === 1);
    await shop.ask(placeCall, { AgentID: 12, to: '+919820012346' });
    await eventually('the call is told', () => states(watching.items).includes('RINGING'));
    const told = watching.items.map(({ change }) => change);
    expect(told).toEqual(told.toSorted((one, other) => one - other));
    expect(Math.max(...told)).toBeLessThan(ahead);
    await watching.leave();
  });
});
