import { exportCreditUsage, hiddenUnknown, listAudit, revokeKey, verifyAudit } from '@parley/contracts';
import { connectionOptions, TenantScope } from '@parley/database';
import { eventually } from '@parley/testing';
import { Client } from 'pg';
import { DataSource } from 'typeorm';
import { z } from 'zod';
import { gatewaySchema } from '../../database/schema';
import { Harness, type TestOrganization } from '../../testing/harness';
import { testSecret } from '../../testing/running-gateway';
import { AuditEntryRow, unsealedHashOf } from './chain';

const path = '/api/v1/external';
const Body = z.looseObject({ data: z.unknown().optional() });

describe('the audit log', () => {
  let harness: Harness;
  let url: string;
  let mine: TestOrganization;
  let key: string;
  let admin: Client;

  beforeAll(async () => {
    harness = await Harness.open();
    ({ url } = await harness.startGateway());
    admin = new Client({ connectionString: harness.database.adminUrl });
    await admin.connect();
  });
  beforeEach(async () => {
    mine = harness.organization();
    ({ key } = await harness.key(mine, 'wsk'));
  });
  afterAll(async () => {
    await admin.end();
    await harness.close();
  });

  const call = async (method: string, suffix: string, body?: object, headers: Record<string, string> = {}) => {
    const init = {
      method,
      headers: { 'content-type': 'application/json', 'x-api-key': key, ...headers },
      ...(body && { body: JSON.stringify(body) }),
    };
    const response = await fetch(url + path + suffix, init);
    return { status: response.status, body: Body.parse(await response.json()) };
  };
  const makeKey = (name: string) => call('POST', '/integrations/keys', { name, kind: 'ext' });
  const entries = async () => (await harness.bus.ask(listAudit, { sortOrder: 'ASC' }, { principal: mine.owner })).rows;
  const verify = () => harness.bus.ask(verifyAudit, {}, { principal: mine.owner });
  /** The lines of an organization as the gateway reads them. */
  const chainOf = async (orgId: number): Promise<AuditEntryRow[]> => {
    const dataSource = await new DataSource(connectionOptions(gatewaySchema, { url: harness.database.url })).initialize();
    const tenants = new TenantScope(dataSource);
    const rows = await tenants.read(orgId, (manager) => manager.find(AuditEntryRow, { where: { orgId }, order: { id: 'ASC' } }));
    await dataSource.destroy();
    return rows;
  };
  /** What somebody with access to the database can do. */
  const tamper = (statement: string) =>
    admin.query(`SET session_replication_role = replica; ${statement}; SET session_replication_role = DEFAULT`);

  it('says who did what with which key and the result, and contains no secret', async () => {
    const made = await call('POST', '/integrations/keys', { name: 'Shop', kind: 'ext' }, { 'x-request-id': 'req-of-the-test' });
    const list = await call('POST', '/audit/list', { action: 'gateway.key.create' });
    expect(list).toMatchObject({ status: 200, body: { totalCount: 1 } });
    const rows = listAudit.reply.shape.rows.parse(list.body.data);
    const { IntegrationKeyID } = z.looseObject({ IntegrationKeyID: z.string() }).parse(made.body.data);
    expect(rows[0]).toMatchObject({
      action: 'gateway.key.create',
      memberAdminID: mine.owner.memberId,
      subject: `IntegrationKeyID ${IntegrationKeyID}`,
      outcome: 'OK',
      requestId: 'req-of-the-test',
      after: { request: { name: 'Shop' }, reply: { data: { key: '(hidden)', lastFour: expect.any(String) } } },
    });
    expect(rows[0]?.IntegrationID).toBeGreaterThan(0);
  });

  it('has a line of each export, without what was exported', async () => {
    const headers = { 'content-type': 'application/json', 'x-api-key': key };
    const body = JSON.stringify({ kind: 'TTT_API' });
    const exported = await fetch(`${url}${path}/credits/usage-export`, { method: 'POST', headers, body });
    expect([exported.status, exported.headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8']);
    await exported.text();
    const lines = async () => (await entries()).filter(({ action }) => action === exportCreditUsage.subject);
    await eventually('it is recorded', async () => (await lines()).length === 1);
    expect(await lines()).toMatchObject([
      { memberAdminID: mine.owner.memberId, outcome: 'OK', after: { request: { kind: 'TTT_API' }, reply: null } },
    ]);
  });

  it('shows members limited to some agents only their own actions', async () => {
    const principal = harness.member(mine.orgId, { roleTypeId: 2, agentIds: [mine.agent.AgentID] });
    const { key: theirs } = await harness.key(mine, 'wsk', { memberAdminID: principal.memberId });
    await makeKey('By the Owner');
    await call(
      'POST',
      '/integrations/keys',
      { name: 'By the member', kind: 'agt', AgentKeyID: mine.agent.AgentKeyID },
      { 'x-api-key': theirs },
    );
    const { rows } = await harness.bus.ask(listAudit, {}, { principal });
    expect(rows).toMatchObject([{ memberAdminID: principal.memberId, after: { request: { name: 'By the member' } } }]);
    const ofOwner = harness.bus.ask(listAudit, { memberAdminID: mine.owner.memberId }, { principal });
    await expect(ofOwner).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await entries()).toHaveLength(2);
  });

  it('contains what a service refused, and nothing that was no action', async () => {
    await call('DELETE', '/integrations/keys/5b0c7f0e-6d55-4a86-9f3c-1f8f6f0c2a11');
    await call('POST', '/integrations/keys', { kind: 'nonsense' });
    await call('GET', '/integrations/keys');
    expect(await entries()).toMatchObject([{ action: revokeKey.subject, outcome: 'NOT_FOUND' }]);
    const { rows } = await admin.query('SELECT * FROM gateway.audit_intents');
    expect(rows).toEqual([]);
  });

  it('stores a NUL and a lone surrogate in place of an id, which Postgres cannot', async () => {
    const name = 'Shop';
    expect((await call('POST', '/integrations/keys', { name, kind: 'ext', SomeKeyID: 'a\0b\ud800' })).status).toBe(200);
    const [entry] = await entries();
    expect(entry).toMatchObject({ outcome: 'OK', after: { request: { name, SomeKeyID: hiddenUnknown } } });
  });

  it('has a line for every repetition, which receives no secret again', async () => {
    const makeOnce = () => call('POST', '/integrations/keys', { name: 'Shop', kind: 'ext' }, { 'idempotency-key': 'shop-key' });
    expect(await makeOnce()).toMatchObject({ status: 200 });
    expect(await makeOnce()).toMatchObject({ status: 409, body: { code: 'SHOWN_ONCE' } });
    const action = 'gateway.key.create';
    expect(await entries()).toMatchObject([
      { action, outcome: 'OK' },
      { action, outcome: 'REPLAYED' },
    ]);
    expect(await verify()).toMatchObject({ isIntact: true, checkedCount: 2 });
  });

  it('accepts no line from somebody with the database but without the secret', async () => {
    for (const name of ['One', 'Two', 'Three']) await makeKey(name);
    const rows = await chainOf(mine.orgId);
    let previousHash = '0'.repeat(64);
    for (const row of rows) {
      const forged = { ...row, outcome: 'OK', subject: 'nothing happened' };
      const hash = unsealedHashOf(previousHash, forged);
      const values = `subject = 'nothing happened', previous_hash = '${previousHash}', hash = '${hash}'`;
      await tamper(`UPDATE gateway.audit_entries SET ${values} WHERE id = ${row.id}`);
      previousHash = hash;
    }
    await tamper(`UPDATE gateway.audit_heads SET hash = '${previousHash}' WHERE org_id = ${mine.orgId}`);
    expect(await verify()).toMatchObject({ isIntact: false, firstBroken: { AuditEntryID: rows[0]?.id } });
  });

  it('notices that its end was moved to hide removed lines, even after new ones', async () => {
    for (const name of ['One', 'Two', 'Three']) await makeKey(name);
    const [, two, three] = await chainOf(mine.orgId);
    await tamper(`DELETE FROM gateway.audit_entries WHERE id = ${three?.id}`);
    await tamper(`UPDATE gateway.audit_heads SET hash = '${two?.hash}', entries = 2 WHERE org_id = ${mine.orgId}`);
    const changed = { isIntact: false, firstBroken: { reason: 'the end of the chain was changed' } };
    expect(await verify()).toMatchObject(changed);
    await makeKey('Four');
    expect(await verify()).toMatchObject({ ...changed, checkedCount: 3 });
  });

  it('covers lines from before sealing, and notices changes to them', async () => {
    for (const name of ['One', 'Two']) await makeKey(name);
    let previousHash = '0'.repeat(64);
    const rows = await chainOf(mine.orgId);
    for (const row of rows) {
      const hash = unsealedHashOf(previousHash, row);
      await tamper(`UPDATE gateway.audit_entries SET previous_hash = '${previousHash}', hash = '${hash}' WHERE id = ${row.id}`);
      previousHash = hash;
    }
    await tamper(`UPDATE gateway.audit_heads SET hash = '${previousHash}', seal = NULL WHERE org_id = ${mine.orgId}`);
    const upgraded = await harness.startGateway();
    expect(harness.log.lines).toContainEqual(
      expect.objectContaining({ fields: { count: 1 }, message: expect.stringMatching('without a seal') }),
    );
    await makeKey('Three');
    expect(await verify()).toEqual({ isIntact: true, checkedCount: 3, firstBroken: null });
    const [first, second] = rows;
    if (!first || !second) throw new Error('the log has too few lines');
    const forged = { ...second, subject: 'nothing' };
    const hash = unsealedHashOf(unsealedHashOf('0'.repeat(64), first), forged);
    await tamper(`UPDATE gateway.audit_entries SET subject = 'nothing', hash = '${hash}' WHERE id = ${second.id}`);
    await tamper(`UPDATE gateway.audit_entries SET previous_hash = '${hash}' WHERE previous_hash = '${previousHash}'`);
    expect(await verify()).toMatchObject({ isIntact: false, checkedCount: 1 });
    await upgraded.service.stop();
  });

  it('stays valid under a new installation secret, after which the former one is not needed', async () => {
    await makeKey('One');
    const PARLEY_SECRET_KEY = 'another-secret-of-the-installation';
    const rotated = await harness.startGateway({ PARLEY_SECRET_KEY, PARLEY_SECRET_KEYS_OLD: testSecret });
    await rotated.service.stop();
    const later = await harness.startGateway({ PARLEY_SECRET_KEY });
    const headers = { 'x-api-key': key };
    expect(await (await fetch(`${later.url + path}/audit/verify`, { headers })).json()).toMatchObject({
      code: 'API_KEY_INVALID',
    });
    await later.service.stop();
    const back = await harness.startGateway({ PARLEY_SECRET_KEY: testSecret, PARLEY_SECRET_KEYS_OLD: PARLEY_SECRET_KEY });
    expect(await (await fetch(`${back.url + path}/audit/verify`, { headers })).json()).toMatchObject({
      data: { isIntact: true },
    });
    await back.service.stop();
  });

  it('is one chain per organization, with any number of concurrent writers', async () => {
    await Promise.all(Array.from({ length: 20 }, (_, n) => makeKey(`Key ${n}`)));
    const rows = await entries();
    expect(rows).toHaveLength(20);
    rows.forEach((row, index) => expect(row.previousHash).toBe(rows[index - 1]?.hash ?? '0'.repeat(64)));
    expect(await verify()).toEqual({ isIntact: true, checkedCount: 20, firstBroken: null });
    expect(await harness.bus.ask(verifyAudit, {}, { principal: harness.organization().owner })).toMatchObject({
      checkedCount: 0,
    });
  });

  it.each([
    "UPDATE gateway.audit_entries SET subject = 'x'",
    'DELETE FROM gateway.audit_entries',
    'TRUNCATE gateway.audit_entries',
  ])('refuses: %s', async (statement) => {
    await makeKey('One');
    await expect(admin.query(statement)).rejects.toThrow('takes new lines only');
    const service = new Client({ connectionString: harness.database.url });
    await service.connect();
    // A line of its own organization that is not archived.
    await service.query(`SELECT set_config('parley.org_id', '${mine.orgId}', false)`);
    await expect(service.query(statement)).rejects.toThrow(/permission denied|takes new lines only/);
    await service.end();
  });

  it.each([
    [
      'a changed word',
      1,
      (ids: number[]) => `UPDATE gateway.audit_entries SET after = '{}' WHERE id = ${ids[1]}`,
      'was changed after it was written',
    ],
    [
      'a missing line',
      2,
      (ids: number[]) => `DELETE FROM gateway.audit_entries WHERE id = ${ids[1]}`,
      'does not follow the line before',
    ],
    [
      'a link bent away',
      1,
      (ids: number[]) => `UPDATE gateway.audit_entries SET previous_hash = 'x' WHERE id = ${ids[1]}`,
      'does not follow the line before',
    ],
  ])('names the first broken link: %s', async (_what, at, statement, reason) => {
    for (const name of ['One', 'Two', 'Three']) await makeKey(name);
    const ids = (await entries()).map(({ AuditEntryID }) => AuditEntryID);
    await tamper(statement(ids));
    const broken = { isIntact: false, firstBroken: { AuditEntryID: ids[at], reason: expect.stringContaining(reason) } };
    expect(await verify()).toMatchObject(broken);
    expect((await call('GET', '/audit/verify')).body).toMatchObject({ data: broken });
  });

  it('notices lines cut off at the end', async () => {
    for (const name of ['One', 'Two']) await makeKey(name);
    const ids = (await entries()).map(({ AuditEntryID }) => AuditEntryID);
    await tamper(`DELETE FROM gateway.audit_entries WHERE id = ${ids[1]}`);
    expect(await verify()).toMatchObject({
      isIntact: false,
      checkedCount: 1,
      firstBroken: { reason: '1 lines are missing at the end' },
    });
  });

  it('finds lines by day, text and member', async () => {
    await makeKey('One');
    const today = new Date().toISOString().slice(0, 10);
    const count = async (filter: object) => (await call('POST', '/audit/list', filter)).body.totalCount;
    expect(await count({ startDate: `${today}T00:00:00Z` })).toBe(1);
    expect(await count({ endDate: '2020-01-01T00:00:00Z' })).toBe(0);
    expect(await count({ searchName: 'KEY.CREATE' })).toBe(1);
    expect(await count({ searchName: 'agent%' })).toBe(0);
    expect(await count({ memberAdminID: mine.owner.memberId })).toBe(1);
    const ofAnother = { memberAdminID: harness.organization().owner.memberId };
    expect(await call('POST', '/audit/list', ofAnother)).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
  });
});
