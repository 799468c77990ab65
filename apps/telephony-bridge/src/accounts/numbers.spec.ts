import {
  carrierNames,
  deleteCarrierAccount,
  deleteNumber,
  getNumber,
  listCarrierAccounts,
  listCarriers,
  listNumbers,
  placeCall,
  saveCarrierAccount,
  saveNumber,
  testCarrierAccount,
} from '@parley/contracts';
import { carriers } from '@parley/providers/carrier-catalogue';
import { carrierPeers } from '@parley/providers/carrier-peers';
import { secretFieldsOf } from '@parley/ports';
import { Client } from 'pg';
import { BridgeHarness } from '../testing/bridge-harness.suite';
import { isSameNumber } from './numbers.service';

/** Every carrier that talks to a server of the customer's, with credentials naming one. */
const withServers = [
  ...carrierPeers.map(({ carrier, credentials }) => ({ carrier, credentials, scheme: 'https:' })),
  {
    carrier: 'sip',
    credentials: (trunk: string): Record<string, string> => ({ trunk, username: 'parley', password: 'of-the-trunk' }),
    scheme: 'sip:',
  },
].filter(({ credentials }) => serverAt(credentials) !== undefined);

/** The credential field that holds the server's address. */
function serverAt(credentials: (address: string) => Record<string, string>): string | undefined {
  const address = 'https://a.example';
  return Object.entries(credentials(address)).find(([, value]) => value.startsWith(address))?.[0];
}

function descriptorOf(carrier: string): (typeof carriers)[number] {
  const found = carriers.find(({ id }) => id === carrier);
  if (!found) throw new Error(`no carrier ${carrier}`);
  return found;
}

describe('numbers and carrier accounts', () => {
  let harness: BridgeHarness;
  beforeAll(async () => {
    harness = await BridgeHarness.open();
  });
  afterAll(() => harness.close());

  it('are saved, listed, found, changed and deleted by their organization only', async () => {
    const shop = await harness.shop();
    const { NumberKeyID } = shop.number;
    expect(await shop.ask(getNumber, { NumberKeyID })).toEqual(shop.number);
    expect(await shop.ask(listNumbers, { searchName: '20255' })).toMatchObject({
      totalCount: 1,
      rows: [{ NumberKeyID, isDefault: 1, carrier: 'fake' }],
    });
    const { CarrierAccountKeyID, number } = shop.number;
    const changed = await shop.ask(saveNumber, { NumberKeyID, AgentID: 13, label: 'Night' });
    expect(changed).toMatchObject({ NumberKeyID, CarrierAccountKeyID, number, AgentID: 13, label: 'Night', isDefault: 1 });
    const emptied = await shop.ask(saveNumber, { NumberKeyID, label: null, isDefault: null });
    expect(emptied).toMatchObject({ number, AgentID: 13, label: '', isDefault: 0 });
    const renamed = await shop.ask(saveCarrierAccount, { CarrierAccountKeyID, AccountName: 'Second line' });
    expect(renamed).toMatchObject({ carrier: 'fake', AccountName: 'Second line' });
    const other = await harness.shop();
    for (const contract of [getNumber, deleteNumber])
      await expect(other.ask(contract, { NumberKeyID })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(other.ask(saveNumber, { CarrierAccountKeyID, number: '+15550001', AgentID: 1 })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    await expect(shop.ask(saveNumber, { CarrierAccountKeyID, number, AgentID: 1 })).rejects.toMatchObject({ code: 'CONFLICT' });
    await expect(shop.ask(deleteCarrierAccount, { CarrierAccountKeyID })).rejects.toMatchObject({ code: 'CONFLICT' });
    await shop.ask(deleteNumber, { NumberKeyID });
    await shop.ask(deleteCarrierAccount, { CarrierAccountKeyID });
    expect(await shop.ask(listCarrierAccounts, {})).toEqual([]);
  });

  it('have a country for accounts that own extensions, where only emergency numbers are refused', async () => {
    const shop = await harness.shop();
    const { CarrierAccountKeyID } = shop.account;
    expect(shop.account.country).toBeNull();
    const { NumberKeyID } = await shop.ask(saveNumber, { CarrierAccountKeyID, number: '1000', AgentID: 12 });
    const call = (extension: string) => shop.ask(placeCall, { AgentID: 12, to: `sip:${extension}@pbx.example`, NumberKeyID });
    for (const to of ['100', '110']) await expect(call(to)).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
    await expect(shop.ask(saveCarrierAccount, { CarrierAccountKeyID, country: 'XX' })).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
    });
    expect(await shop.ask(saveCarrierAccount, { CarrierAccountKeyID, country: 'DE' })).toMatchObject({ country: 'DE' });
    expect(await call('100')).toMatchObject({ to: 'sip:100@pbx.example' });
    await expect(call('110')).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
    expect(await shop.ask(saveCarrierAccount, { CarrierAccountKeyID, AccountName: 'PBX' })).toMatchObject({ country: 'DE' });
    expect(await shop.ask(saveCarrierAccount, { CarrierAccountKeyID, country: null })).toMatchObject({ country: null });
  });

  it('are changed only by members who see all agents', async () => {
    const shop = await harness.shop();
    const { CarrierAccountKeyID } = shop.account;
    const restricted = harness.memberOf({ orgId: shop.principal.orgId, agentIds: [13] });
    const refused = { code: 'SCOPE_MISSING' };
    await expect(restricted.ask(saveCarrierAccount, { CarrierAccountKeyID, AccountName: 'Mine' })).rejects.toMatchObject(refused);
    await expect(restricted.ask(deleteCarrierAccount, { CarrierAccountKeyID })).rejects.toMatchObject(refused);
    await expect(restricted.ask(testCarrierAccount, { CarrierAccountKeyID })).rejects.toMatchObject(refused);
    const accounts = await restricted.ask(listCarrierAccounts, {});
    expect(accounts).toMatchObject([{ CarrierAccountKeyID, lastTestedOn: null, isWorking: null }]);
    const number = { CarrierAccountKeyID, number: '+912025501266', AgentID: 13 };
    await expect(restricted.ask(saveNumber, { ...number, isDefault: 1 })).rejects.toMatchObject(refused);
    expect(await restricted.ask(saveNumber, number)).toMatchObject({ AgentID: 13, isDefault: 0 });
    expect(await shop.ask(getNumber, shop.number)).toMatchObject({ isDefault: 1 });
  });

  it('lose nothing when two saves run at the same time', async () => {
    const shop = await harness.shop();
    const { NumberKeyID } = shop.number;
    for (let round = 1; round <= 6; round += 1) {
      const sent = [{ label: `Round ${round}` }, { AgentID: 12 + round }];
      await Promise.all(sent.map((change) => shop.ask(saveNumber, { NumberKeyID, ...change })));
      expect(await shop.ask(getNumber, { NumberKeyID })).toMatchObject(Object.assign({}, ...sent));
    }
  });

  it('have one default per account: the last one saved as default', async () => {
    const shop = await harness.shop();
    const { CarrierAccountKeyID } = shop.account;
    const second = await shop.ask(saveNumber, { CarrierAccountKeyID, number: 'reception', AgentID: 14, isDefault: 1 });
    const { rows } = await shop.ask(listNumbers, {});
    expect(rows.filter(({ isDefault }) => isDefault === 1)).toEqual([second]);
  });

  it('seal credentials, never return secrets, and are tested on request', async () => {
    const shop = await harness.shop();
    expect(JSON.stringify(shop.account)).not.toContain(harness.network.secret);
    const client = new Client({ connectionString: harness.database.adminUrl });
    await client.connect();
    const { rows } = await client.query('SELECT sealed FROM telephony.carrier_accounts');
    await client.end();
    for (const { sealed } of rows) expect(sealed).not.toContain(harness.network.secret);
    const { CarrierAccountKeyID } = shop.account;
    expect(await shop.ask(testCarrierAccount, { CarrierAccountKeyID })).toMatchObject({ isWorking: true, reason: null });
    harness.network.failures = 1;
    expect(await shop.ask(testCarrierAccount, { CarrierAccountKeyID })).toMatchObject({
      isWorking: false,
      reason: 'fake: answered 503',
    });
    const [listed] = await shop.ask(listCarrierAccounts, {});
    expect(listed).toMatchObject({ isWorking: false, credentialFields: ['api', 'secret'] });
  });

  it('keep credentials that a change omits, and cannot lose required ones', async () => {
    const shop = await harness.shop();
    const { CarrierAccountKeyID } = shop.account;
    const change = (credentials: Record<string, string | null>) =>
      shop.ask(saveCarrierAccount, { CarrierAccountKeyID, credentials });
    expect(await change({ secret: harness.network.secret })).toMatchObject({
      credentialFields: ['api', 'secret'],
      isWorking: null,
    });
    expect(await shop.ask(testCarrierAccount, { CarrierAccountKeyID })).toMatchObject({ isWorking: true });
    await expect(change({ api: null })).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
      details: [{ field: 'credentials.api' }],
    });
    expect(await shop.ask(testCarrierAccount, { CarrierAccountKeyID })).toMatchObject({ isWorking: true });
    expect(await change({ note: 'kept by nobody' })).toMatchObject({ credentialFields: ['api', 'secret', 'note'] });
    expect(await change({ note: null })).toMatchObject({ credentialFields: ['api', 'secret'] });
  });

  it('list each carrier’s credential fields, and refuse unknown carriers and missing fields', async () => {
    const { ask } = harness.member();
    expect(await ask(listCarriers, {})).toMatchObject([
      {
        carrier: 'fake',
        credentials: [
          { name: 'api', isSecret: false, isRequired: true },
          { name: 'secret', isSecret: true },
        ],
      },
    ]);
    const account = { AccountName: 'Main', credentials: { api: 'x' } };
    await expect(ask(saveCarrierAccount, { carrier: 'fake', ...account })).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
      details: [{ field: 'credentials.secret' }],
    });
    const strange = { carrier: 'fake', AccountName: 'Main', credentials: { apu: 'x' } };
    await expect(ask(saveCarrierAccount, strange)).rejects.toMatchObject({
      message: 'credentials.api is required',
      details: [
        { field: 'credentials.api', message: 'credentials.api is required' },
        { field: 'credentials.secret', message: 'credentials.secret is required' },
        { field: 'credentials.apu', message: 'credentials.apu is none of the credentials of fake: api, secret' },
      ],
    });
    await expect(ask(saveCarrierAccount, { carrier: 'pigeon', ...account })).rejects.toMatchObject({
      message: 'carrier must be one of fake',
    });
  });

  it('have the carriers of this build, which the contract lists', () => {
    expect(carriers.map(({ id }) => id)).toEqual([...carrierNames]);
    const { error } = saveCarrierAccount.request.safeParse({ carrier: 'A pigeon' });
    const message = `must be one of ${carriers.map(({ id }) => id).join(', ')}`;
    expect(error?.issues).toContainEqual(expect.objectContaining({ path: ['carrier'], message }));
  });

  describe('if customers may not reach private networks', () => {
    let guarded: BridgeHarness;
    beforeAll(async () => {
      guarded = await BridgeHarness.open({ CARRIERS_IN_PRIVATE_NETWORKS: 'false' }, undefined, carriers);
    });
    afterAll(() => guarded.close());

    it('has a peer for every carrier that the customer configures', () => {
      const known = new Set(withServers.map(({ carrier }) => carrier));
      expect(carriers.map(({ id }) => id).filter((id) => !known.has(id))).toEqual(['loopback']);
    });

    it.each(withServers)('refuses to save a server in a private network: $carrier', async ({ carrier, scheme, credentials }) => {
      const { ask } = guarded.member();
      const addressOf = (host: string) => `${scheme}${scheme === 'sip:' ? '' : '//'}${host}`;
      const save = (host: string) =>
        ask(saveCarrierAccount, { carrier, AccountName: 'Main', credentials: credentials(addressOf(host)) });
      const refused = {
        code: 'VALIDATION_FAILED',
        details: [{ field: `credentials.${serverAt(credentials)}`, message: expect.stringContaining('not public') }],
      };
      for (const host of ['10.0.0.8', '169.254.169.254', 'localhost', '[::1]'])
        await expect(save(host)).rejects.toMatchObject(refused);
      if (scheme !== 'sip:') {
        const details = [{ field: refused.details[0]?.field, message: expect.stringContaining('no user name and no password') }];
        await expect(save('user:pw@8.8.8.8')).rejects.toMatchObject({ code: 'VALIDATION_FAILED', details });
      }
      const { CarrierAccountKeyID } = await save('8.8.8.8');
      const moved = { CarrierAccountKeyID, credentials: credentials(addressOf('192.168.1.1')) };
      await expect(ask(saveCarrierAccount, moved)).rejects.toMatchObject(refused);
    });

    it.each(withServers)('never sends the secrets to another server: $carrier', async ({ carrier, scheme, credentials }) => {
      const { ask } = guarded.member();
      const addressOf = (host: string) => `${scheme}${scheme === 'sip:' ? '' : '//'}${host}`;
      const [field, whole] = [serverAt(credentials) ?? '', credentials(addressOf('8.8.8.8'))];
      const { CarrierAccountKeyID } = await ask(saveCarrierAccount, { carrier, AccountName: 'Main', credentials: whole });
      const change = (changes: Record<string, string | null>) =>
        ask(saveCarrierAccount, { CarrierAccountKeyID, credentials: changes });
      const secrets = secretFieldsOf(descriptorOf(carrier)).filter((name) => name in whole);
      expect(secrets).not.toEqual([]);
      const details = secrets.map((name) => ({ field: `credentials.${name}`, message: expect.stringContaining('8.8.8.8') }));
      const refused = { code: 'VALIDATION_FAILED', details };
      for (const host of ['8.8.4.4', '8.8.8.8:8443'])
        await expect(change({ [field]: addressOf(host) })).rejects.toMatchObject(refused);
      // Back to the carrier's own address. An Asterisk has none, and a deleted trunk needs no secrets.
      if (carrier !== 'sip') await expect(change({ [field]: null })).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
      await expect(change({ [field]: whole[field] ?? '' })).resolves.toMatchObject({ CarrierAccountKeyID });
      await expect(change(credentials(addressOf('8.8.4.4')))).resolves.toMatchObject({ CarrierAccountKeyID });
    });
  });

  it.each([
    ['+912025501234', '+912025501234', true],
    ['+912025501234', '912025501234', true],
    ['+912025501234', '02025501234', true],
    ['+912025501234', '+912025501235', false],
    ['+912025501234', '1234', false],
    ['reception', 'reception', true],
    ['reception', 'Reception', false],
  ])('recognize %s in what was called as %s: %s', (stored, called, isSame) => {
    expect(isSameNumber(stored, called)).toBe(isSame);
  });
});
