/** @waits a bridge at rest looks for work every five seconds */
import { TenantScope } from '@parley/database';
import { eventually } from '@parley/testing';
import { BridgeHarness } from '../testing/bridge-harness.suite';

const looks = ['FROM call_slots', 'FROM campaign_webhook_queues', "state = 'QUEUED'"];

it('a bridge at rest asks for calls and webhooks in one round trip each, and opens no transaction for them', async () => {
  const inOneTrip = jest.spyOn(TenantScope.prototype, 'acrossTenantsOnce');
  const inTransaction = jest.spyOn(TenantScope.prototype, 'acrossTenants');
  const harness = await BridgeHarness.open();
  const asked = () => inOneTrip.mock.calls.map(([, { text }]) => text);
  const eachAsked = (times: number) =>
    eventually('each look is made', () => looks.every((look) => asked().filter((text) => text.includes(look)).length >= times));
  // After the first looks, the bridge tidies up old rows, which it does once a minute.
  await eachAsked(2);
  inTransaction.mockClear();
  await eachAsked(3);
  const reasons = new Set(inOneTrip.mock.calls.map(([reason]) => reason));
  expect(inTransaction.mock.calls.filter(([reason]) => reasons.has(reason))).toEqual([]);
  await harness.close();
  jest.restoreAllMocks();
});
