import { type CallNotice, ProviderFailure } from '@parley/ports';
import { TelephonyBridgeVariables } from '../config';
import { telephonyBridge } from '../service';
import { BridgeHarness, type Shop } from '../testing/bridge-harness.suite';
import { CallNotices } from './call-notices';

describe('what a carrier says once', () => {
  let harness: BridgeHarness;
  let shop: Shop;
  beforeAll(async () => {
    harness = await BridgeHarness.open();
    shop = await harness.shop();
  });
  afterAll(() => harness.close());

  const said = () => {
    const { callId } = harness.network.newCall();
    const notices: CallNotice[] = [{ kind: 'incoming', callId, from: '+919820012345', to: shop.number.number }];
    const tell = async () => (await harness.network.tell(shop.webhooks.answer, notices, { 'x-fake-nonce': callId })).status;
    return { callId, tell };
  };

  it('is handled once if it arrives several times at once, and again after a failure', async () => {
    const { tell } = said();
    const begun = Promise.withResolvers<void>();
    const end = Promise.withResolvers<void>();
    const handle = jest.spyOn(CallNotices.prototype, 'handle').mockImplementationOnce(async () => {
      begun.resolve();
      await end.promise;
      throw new ProviderFailure('fake', 'is away', { retryable: true });
    });
    const first = tell();
    await begun.promise;
    expect(await tell()).toBe(503);
    expect(handle).toHaveBeenCalledTimes(1);
    end.resolve();
    expect(await first).toBe(503);
    expect([await tell(), await tell()]).toEqual([200, 409]);
  });

  it('is handled again if the process that claimed it died', async () => {
    const { callId, tell } = said();
    const sql = await harness.sql();
    const leave = `
      INSERT INTO seen_requests (org_id, account_id, once_key, heeded, seen_at)
      SELECT org_id, id, $2, false, now() - interval '2 minutes' FROM carrier_accounts WHERE key_id = $1`;
    await sql.query(leave, [shop.account.CarrierAccountKeyID, callId]);
    expect(await tell()).toBe(200);
  });

  it('does not share its door for long with connections that say nothing', () => {
    const options = telephonyBridge.http?.server?.(TelephonyBridgeVariables.parse({ PARLEY_SECRET_KEY: 'x'.repeat(32) }));
    expect(options).toMatchObject({
      requestTimeout: 10_000,
      http: { headersTimeout: 5_000, connectionsCheckingInterval: 5_000 },
    });
  });
});
