import { randomUUID } from 'node:crypto';
import { createKey, listKeys, memberChanged, memberRemoved, revokeKey, rotateKey } from '@parley/contracts';
import { eventually } from '@parley/testing';
import { Client } from 'pg';
import { z } from 'zod';
import { Harness, type TestOrganization } from '../../testing/harness';
import { testSecret } from '../../testing/running-gateway';
import { newKeyText } from './stored-keys';

const Body = z.looseObject({ data: z.unknown().optional() });
const path = '/api/v1/external/integrations/keys';

describe('API keys', () => {
  let harness: Harness;
  let url: string;
  let mine: TestOrganization;

  beforeAll(async () => {
    harness = await Harness.open();
    ({ url } = await harness.startGateway());
  });
  beforeEach(() => (mine = harness.organization()));
  afterAll(() => harness.close());

  const call = async (key: string | undefined, suffix = '', init: RequestInit = {}) => {
    const headers = { 'content-type': 'application/json', ...(key && { 'x-api-key': key }) };
    const response = await fetch(`${url}${path}${suffix}`, { ...init, headers });
    return { status: response.status, body: Body.parse(await response.json()) };
  };

  it('work once created over HTTP, which shows the secret only then', async () => {
    const { key } = await harness.key(mine, 'wsk');
    const made = await call(key, '', { method: 'POST', body: JSON.stringify({ name: 'Shop', kind: 'wsk' }) });
    expect(made).toMatchObject({
      status: 200,
      body: { data: { name: 'Shop', kind: 'wsk', status: 'ACTIVE', memberAdminID: mine.owner.memberId } },
    });
    const { key: secret } = createKey.reply.parse(made.body.data);
    const list = await call(secret);
    expect(list).toMatchObject({ status: 200, body: { totalCount: 2 } });
    expect(list.body).toMatchObject({ data: [{ prefix: 'wsk_', lastFour: secret.slice(-4) }, { name: 'A key for wsk' }] });
    expect(JSON.stringify(list.body)).not.toContain(secret);
  });

  it('keep no secret in Postgres', async () => {
    const { key } = await harness.key(mine, 'ext');
    const admin = new Client({ connectionString: harness.database.adminUrl });
    await admin.connect();
    const { rows } = await admin.query('SELECT row_to_json(k)::text AS text FROM gateway.integration_keys k');
    await admin.end();
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.filter(({ text }) => text.includes(key.slice(8, -4)))).toEqual([]);
  });

  it('know the agent of an agent key, and are refused for another organization’s agent', async () => {
    expect(await harness.key(mine, 'agt')).toMatchObject({ AgentID: mine.agent.AgentID, key: expect.stringMatching(/^agt_/) });
    const theirs = harness.organization();
    await expect(harness.key(mine, 'agt', { AgentKeyID: theirs.agent.AgentKeyID })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('are not created for a member of another organization, nor for one with more rights than the caller', async () => {
    const theirs = harness.organization();
    await expect(harness.key(mine, 'wsk', { memberAdminID: theirs.owner.memberId })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    const admin = harness.member(mine.orgId, { roleTypeId: 2 });
    const up = harness.key({ ...mine, owner: admin }, 'wsk', { memberAdminID: mine.owner.memberId });
    await expect(up).rejects.toMatchObject({ code: 'SCOPE_MISSING' });
  });

  it('of an Owner cannot be taken over by an admin through rotation', async () => {
    const { IntegrationKeyID } = await harness.key(mine, 'wsk');
    const principal = harness.member(mine.orgId, { roleTypeId: 2 });
    await expect(harness.bus.ask(rotateKey, { IntegrationKeyID }, { principal })).rejects.toMatchObject({
      code: 'SCOPE_MISSING',
    });
    await expect(harness.bus.ask(revokeKey, { IntegrationKeyID }, { principal })).rejects.toMatchObject({
      code: 'SCOPE_MISSING',
    });
  });

  it('name their creator, even after that member has left', async () => {
    const maker = harness.member(mine.orgId, { roleTypeId: 2 });
    const { IntegrationKeyID } = await harness.key({ ...mine, owner: maker }, 'ext');
    harness.scripted.members.delete(maker.memberId);
    const { rows } = await harness.keysOf(mine);
    const made = rows.find((row) => row.IntegrationKeyID === IntegrationKeyID);
    expect(made).toMatchObject({ status: 'ACTIVE', madeByAdminID: maker.memberId, memberAdminID: null });
    const replaced = await harness.bus.ask(rotateKey, { IntegrationKeyID }, { principal: mine.owner });
    expect(replaced.madeByAdminID).toBe(mine.owner.memberId);
  });

  describe('created for another member', () => {
    type Member = ReturnType<Harness['member']>;
    let maker: Member;
    let peer: Member;
    let lent: string;
    let shared: string;
    beforeEach(async () => {
      maker = harness.member(mine.orgId, { roleTypeId: 2 });
      peer = harness.member(mine.orgId, { roleTypeId: 2 });
      ({ key: lent } = await harness.key({ ...mine, owner: maker }, 'wsk', { memberAdminID: peer.memberId }));
      ({ key: shared } = await harness.key(mine, 'wsk', { memberAdminID: peer.memberId }));
      expect(await call(lent)).toMatchObject({ status: 200 });
    });
    const told = (contract: typeof memberChanged, { memberId, roleTypeId = 2 }: Member) =>
      harness.tell(contract, mine.orgId, { memberAdminID: memberId, userID: 1, roleTypeID: roleTypeId, userType: 'Web' });

    it.each<[string, () => Promise<void>]>([
      [
        'is gone',
        async () => {
          harness.scripted.members.delete(maker.memberId);
          await told(memberRemoved, maker);
        },
      ],
      [
        'may less',
        async () => {
          harness.scripted.members.set(maker.memberId, { ...maker, roleTypeId: 4 });
          await told(memberChanged, { ...maker, roleTypeId: 4 });
        },
      ],
      [
        'may less than the member, who rose',
        async () => {
          harness.scripted.members.set(peer.memberId, { ...peer, roleTypeId: 1 });
          await told(memberChanged, { ...peer, roleTypeId: 1 });
        },
      ],
    ])('end once their creator %s; no other key of the member does', async (_what, happens) => {
      await happens();
      await eventually('the key is ended', async () => (await call(lent)).status === 401);
      expect(await call(shared)).toMatchObject({ status: 200 });
    });
  });

  it('of the whole organization are neither created for nor shown to members limited to some agents', async () => {
    const theirs = randomUUID();
    harness.scripted.agents.set(theirs, { orgId: mine.orgId, agentId: 77_777 });
    const [speech, others, own] = [
      await harness.key(mine, 'ext'),
      await harness.key(mine, 'agt'),
      await harness.key(mine, 'agt', { AgentKeyID: theirs }),
    ];
    const principal = harness.member(mine.orgId, { roleTypeId: 2, agentIds: [77_777] });
    const refused = { code: 'SCOPE_MISSING' };
    for (const { IntegrationKeyID } of [speech, others]) {
      await expect(harness.bus.ask(rotateKey, { IntegrationKeyID }, { principal })).rejects.toMatchObject({ code: 'NOT_FOUND' });
      await expect(harness.bus.ask(revokeKey, { IntegrationKeyID }, { principal })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    }
    await expect(harness.key({ ...mine, owner: principal }, 'ext')).rejects.toMatchObject(refused);
    const { rows, totalCount } = await harness.bus.ask(listKeys, {}, { principal });
    expect(rows.map(({ IntegrationKeyID }) => IntegrationKeyID)).toEqual([own.IntegrationKeyID]);
    expect(totalCount).toBe(1);
  });

  it('of another organization are neither shown nor ended', async () => {
    const { IntegrationKeyID } = await harness.key(mine, 'ext');
    const principal = harness.organization().owner;
    expect(await harness.bus.ask(listKeys, {}, { principal })).toMatchObject({ totalCount: 0, rows: [] });
    await expect(harness.bus.ask(revokeKey, { IntegrationKeyID }, { principal })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(harness.bus.ask(rotateKey, { IntegrationKeyID }, { principal })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('accept the old secret during the grace period of a rotation, and no longer', async () => {
    const old = await harness.key(mine, 'wsk');
    const kept = await harness.bus.ask(
      rotateKey,
      { IntegrationKeyID: old.IntegrationKeyID, graceSeconds: 60 },
      { principal: mine.owner },
    );
    expect((await call(old.key)).status).toBe(200);
    expect((await call(kept.key)).status).toBe(200);
    const last = await harness.bus.ask(
      rotateKey,
      { IntegrationKeyID: kept.IntegrationKeyID, graceSeconds: 0 },
      { principal: mine.owner },
    );
    expect((await call(last.key)).status).toBe(200);
    const { rows } = await harness.bus.ask(listKeys, { sortOrder: 'ASC' }, { principal: mine.owner });
    expect(rows.map(({ status }) => status)).toEqual(['ROTATED', 'EXPIRED', 'ACTIVE']);
    const again = harness.bus.ask(rotateKey, { IntegrationKeyID: old.IntegrationKeyID }, { principal: mine.owner });
    await expect(again).rejects.toMatchObject({ code: 'CONFLICT' });
  });

  it('are accepted from their allowed addresses only', async () => {
    const near = await harness.key(mine, 'wsk', { allowedIps: ['127.0.0.0/8'] });
    const far = await harness.key(mine, 'wsk', { allowedIps: ['203.0.113.0/24', '2001:db8::/32'] });
    expect((await call(near.key)).status).toBe(200);
    const message = 'This API key may not be used from 127.0.0.1.';
    expect(await call(far.key)).toMatchObject({ status: 403, body: { code: 'ADDRESS_NOT_ALLOWED', message } });
  });

  it('never outlive the key that creates them, nor work from more addresses', async () => {
    const soon = new Date(Date.now() + 60_000).toISOString();
    const brief = await harness.key(mine, 'wsk', { expiresAt: soon });
    const near = await harness.key(mine, 'wsk', { allowedIps: ['127.0.0.0/8', '2001:db8::/32'] });
    const endless = await harness.key(mine, 'wsk');
    const make = async ({ key }: { key: string }, body: object) =>
      (await call(key, '', { method: 'POST', body: JSON.stringify({ name: 'Next', kind: 'wsk', ...body }) })).status;
    const rotate = async ({ key }: { key: string }, { IntegrationKeyID }: { IntegrationKeyID: string }) =>
      (await call(key, `/${IntegrationKeyID}/rotate`, { method: 'POST', body: '{}' })).status;
    expect(await make(brief, {})).toBe(403);
    expect(await make(brief, { expiresAt: new Date(Date.now() + 120_000).toISOString() })).toBe(403);
    expect(await make(brief, { expiresAt: soon })).toBe(200);
    expect(await make(near, {})).toBe(403);
    for (const allowedIps of [['127.0.0.0/7'], ['127.0.0.1', '128.0.0.1'], ['2001::/16'], ['0.0.0.0/0']])
      expect([allowedIps, await make(near, { allowedIps })]).toEqual([allowedIps, 403]);
    for (const allowedIps of [['127.0.0.1'], ['127.1.0.0/16', '2001:db8:1::/48']])
      expect([allowedIps, await make(near, { allowedIps })]).toEqual([allowedIps, 200]);
    expect([await rotate(brief, endless), await rotate(near, endless)]).toEqual([403, 403]);
    expect([await rotate(brief, brief), await rotate(endless, near)]).toEqual([200, 200]);
  });

  it('warn once about a proxy in front that was not configured', async () => {
    const { service, url: proxied } = await harness.startGateway();
    const said = () => harness.log.lines.filter(({ message }) => message.includes('TRUSTED_PROXIES')).length;
    const before = said();
    for (let n = 0; n < 3; n += 1) await fetch(`${proxied}/health`, { headers: { 'x-forwarded-for': '203.0.113.9' } });
    expect(said() - before).toBe(1);
    await service.stop();
  });

  it('refuse an end date in the past, and an unknown key', async () => {
    const past = harness.key(mine, 'ext', { expiresAt: '2020-01-01T00:00:00Z' });
    await expect(past).rejects.toMatchObject({ code: 'VALIDATION_FAILED', details: [{ field: 'expiresAt' }] });
    const unknown = harness.bus.ask(revokeKey, { IntegrationKeyID: randomUUID() }, { principal: mine.owner });
    await expect(unknown).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('with a valid format that were never issued are refused like those with a typo', async () => {
    const { key } = await harness.key(mine, 'wsk');
    const mistyped = key.slice(0, -1) + (key.endsWith('0') ? '1' : '0');
    const refused = { status: 401, body: { code: 'API_KEY_INVALID' } };
    const tries = [mistyped, ...Array.from({ length: 50 }, () => newKeyText('wsk'))];
    for (const answer of await Promise.all(tries.map((each) => call(each)))) expect(answer).toMatchObject(refused);
    expect(await call(undefined)).toMatchObject({ status: 401, body: { code: 'API_KEY_MISSING' } });
  });

  it('work under a former secret, and afterwards no longer need it', async () => {
    const { key } = await harness.key(mine, 'wsk');
    const PARLEY_SECRET_KEY = 'another-secret-of-the-installation';
    const rotated = await harness.startGateway({ PARLEY_SECRET_KEY, PARLEY_SECRET_KEYS_OLD: testSecret });
    const opened = await fetch(rotated.url + path, { headers: { 'x-api-key': key } });
    expect(opened.status).toBe(200);
    await rotated.service.stop();
    const later = await harness.startGateway({ PARLEY_SECRET_KEY });
    const openedLater = await fetch(later.url + path, { headers: { 'x-api-key': key } });
    expect(openedLater.status).toBe(200);
    await later.service.stop();
    const back = await harness.startGateway({ PARLEY_SECRET_KEY: testSecret, PARLEY_SECRET_KEYS_OLD: PARLEY_SECRET_KEY });
    await back.service.stop();
  });

  it('record when they were last used', async () => {
    const { key } = await harness.key(mine, 'wsk');
    const gateway = await harness.startGateway();
    await fetch(gateway.url + path, { headers: { 'x-api-key': key } });
    await gateway.service.stop();
    const { rows } = await harness.keysOf(mine);
    expect(Date.parse(rows[0]?.lastUsedOn ?? '')).toBeGreaterThan(Date.now() - 60_000);
  });

  it('of a removed member are answered like unknown ones', async () => {
    const { key } = await harness.key(mine, 'wsk');
    harness.scripted.members.delete(mine.owner.memberId);
    expect(await call(key)).toMatchObject({ status: 401, body: { code: 'API_KEY_INVALID' } });
  });
});
