import { agentDeleted, keyChanged, memberChanged, memberRemoved, revokeKey } from '@parley/contracts';
import { NatsTransport } from '@parley/messaging';
import { eventually, TestNats } from '@parley/testing';
import { Harness } from '../../testing/harness';
import { knownKeys } from './stored-keys';

const trials = 100;
const path = '/api/v1/external/integrations/keys';

describe('ending a key while the outbox sends nothing', () => {
  let harness: Harness;
  let urls: string[];

  beforeAll(async () => {
    jest.replaceProperty(knownKeys, 'ttl', 3_600_000);
    const nats = await TestNats.start(`authorization { users: [{ user: "ada", password: "secret",
      permissions: { publish: { deny: "parley.event.${keyChanged.subject}" } } }] }`);
    const credentials = { user: 'ada', password: 'secret' };
    const log = { error: () => undefined, warn: () => undefined, info: () => undefined };
    harness = await Harness.open({
      connect: () => NatsTransport.connect({ servers: nats.url, name: 'spec', credentials, log }),
      stop: () => nats.stop(),
    });
    urls = [(await harness.startGateway()).url, (await harness.startGateway()).url];
  });
  afterAll(async () => {
    await harness.close();
    jest.restoreAllMocks();
  });

  it('every gateway refuses it once the request is answered, whichever of them was asked', async () => {
    const mine = harness.organization();
    const { key: admin } = await harness.key(mine, 'wsk');
    for (const [trial, asked] of [...urls, ...urls].entries()) {
      const { key, IntegrationKeyID } = await harness.key(mine, 'wsk', { name: `Key ${trial}` });
      const statuses = () =>
        Promise.all(urls.map(async (url) => (await fetch(url + path, { headers: { 'x-api-key': key } })).status));
      expect(await statuses()).toEqual([200, 200]);
      const ending = await fetch(`${asked}${path}/${IntegrationKeyID}`, { method: 'DELETE', headers: { 'x-api-key': admin } });
      expect(ending.status).toBe(200);
      expect((await fetch(asked + path, { headers: { 'x-api-key': key } })).status).toBe(401);
      await eventually('the other one, too', async () => (await statuses()).every((status) => status === 401));
    }
  });
});

describe('ending a key', () => {
  let harness: Harness;
  let urls: string[];

  beforeAll(async () => {
    // A gateway that misses the event accepts the key until its cache expires: here, for longer than any test.
    jest.replaceProperty(knownKeys, 'ttl', 3_600_000);
    const nats = await TestNats.start();
    harness = await Harness.open({
      connect: () => NatsTransport.connect({ servers: nats.url, name: 'spec' }),
      stop: () => nats.stop(),
    });
    urls = [(await harness.startGateway()).url, (await harness.startGateway()).url];
  });
  afterAll(async () => {
    await harness.close();
    jest.restoreAllMocks();
  });

  const statusAt = async (url: string, key: string) => (await fetch(url + path, { headers: { 'x-api-key': key } })).status;
  const statuses = (key: string) => Promise.all(urls.map((url) => statusAt(url, key)));
  const isShut = (key: string): Promise<void> =>
    eventually('every gateway refuses the key', async () => (await statuses(key)).every((status) => status === 401));

  it('reaches every gateway by the revocation event, and does not wait for caches to expire', async () => {
    const mine = harness.organization();
    for (let trial = 0; trial < trials; trial += 1) {
      const { key, IntegrationKeyID } = await harness.key(mine, 'wsk');
      expect(await statuses(key)).toEqual([200, 200]);
      await harness.bus.ask(revokeKey, { IntegrationKeyID }, { principal: mine.owner });
      await isShut(key);
    }
  });

  it('happens when its member is removed', async () => {
    const mine = harness.organization();
    const member = harness.member(mine.orgId, { roleTypeId: 2 });
    const { key } = await harness.key(mine, 'wsk', { memberAdminID: member.memberId });
    expect(await statuses(key)).toEqual([200, 200]);
    harness.scripted.members.delete(member.memberId);
    await harness.tell(memberRemoved, mine.orgId, { memberAdminID: member.memberId, userID: 1, roleTypeID: 2, userType: 'Web' });
    await isShut(key);
    await eventually('the key is revoked', async () => (await harness.keysOf(mine)).rows[0]?.status === 'REVOKED');
  });

  it('happens when its agent is deleted', async () => {
    const mine = harness.organization();
    const { AgentKeyID, AgentID } = mine.agent;
    await harness.key(mine, 'agt');
    await harness.tell(agentDeleted, mine.orgId, { AgentKeyID, AgentID, Version: 2 });
    await eventually('the key is revoked', async () => (await harness.keysOf(mine)).rows[0]?.status === 'REVOKED');
  });

  it('is not needed when a member loses a right: the next request uses the new role', async () => {
    const mine = harness.organization();
    const member = harness.member(mine.orgId, { roleTypeId: 2 });
    const { key } = await harness.key(mine, 'wsk', { memberAdminID: member.memberId });
    expect(await statuses(key)).toEqual([200, 200]);
    harness.scripted.members.set(member.memberId, { ...member, roleTypeId: 4 });
    await harness.tell(memberChanged, mine.orgId, { memberAdminID: member.memberId, userID: 1, roleTypeID: 4, userType: 'Web' });
    await eventually('every gateway knows the new role', async () => (await statuses(key)).every((status) => status === 403));
  });

  it('does not affect another organization’s key for the same member', async () => {
    const mine = harness.organization();
    const { key } = await harness.key(mine, 'wsk');
    const elsewhere = harness.organization();
    await harness.key(elsewhere, 'wsk');
    for (const { owner } of [mine, elsewhere]) {
      await harness.tell(memberRemoved, elsewhere.orgId, {
        memberAdminID: owner.memberId,
        userID: 1,
        roleTypeID: 1,
        userType: 'Web',
      });
    }
    await eventually('the other key is revoked', async () => (await harness.keysOf(elsewhere)).rows[0]?.status === 'REVOKED');
    expect((await harness.keysOf(mine)).rows[0]?.status).toBe('ACTIVE');
    expect(await statuses(key)).toEqual([200, 200]);
  });
});
