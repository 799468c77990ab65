import { deleteCarrierAccount, saveCarrierAccount } from '@parley/contracts';
import { sip } from '@parley/providers/sip';
import { freeSipPort } from '@parley/testing';
import { BridgeHarness, type Member } from '../testing/bridge-harness.suite';

describe('the ports of SIP accounts', () => {
  let harness: BridgeHarness;
  let port: number;
  beforeAll(async () => {
    port = await freeSipPort();
    const ports = { SIP_PORTS: `${port}-${port + 2}`, SIP_PORTS_PER_ORGANIZATION: '2' };
    harness = await BridgeHarness.open({ ...ports, CARRIERS_IN_PRIVATE_NETWORKS: 'true' }, undefined, [sip]);
  });
  afterAll(() => harness.close());

  const save = (who: Member, credentials: Record<string, string>, CarrierAccountKeyID: string | null = null) =>
    who.ask(saveCarrierAccount, {
      CarrierAccountKeyID,
      carrier: 'sip',
      AccountName: 'Phones',
      credentials: { trusted: '127.0.0.1', ...credentials },
    });

  it('leaves ports to other organizations: one may have only so many, also if it asks for them at once', async () => {
    const [stranger, other] = [harness.member(), harness.member()];
    const at = (offset: number) => ({ port: String(port + offset) });
    const tried = await Promise.allSettled([0, 1, 2].map((offset) => save(stranger, at(offset))));
    const made = tried.flatMap((each) => (each.status === 'fulfilled' ? [each.value.CarrierAccountKeyID] : []));
    const refused = tried.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
    expect(made).toHaveLength(2);
    expect(refused).toMatchObject([{ code: 'CONFLICT', message: expect.stringContaining('SIP_PORTS_PER_ORGANIZATION') }]);
    const left = tried.findIndex(({ status }) => status === 'rejected');
    // An account that has a port may change it, and another organization may have what is left.
    await save(stranger, at(left), made[0]);
    await save(stranger, at((left + 1) % 3), made[0]).catch(() => save(stranger, at((left + 2) % 3), made[0]));
    const { CarrierAccountKeyID: theirs } = await save(other, at(left));
    for (const CarrierAccountKeyID of made) await stranger.ask(deleteCarrierAccount, { CarrierAccountKeyID });
    await other.ask(deleteCarrierAccount, { CarrierAccountKeyID: theirs });
  });
});
