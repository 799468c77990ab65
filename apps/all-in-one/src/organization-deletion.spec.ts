import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { randomUUID } from 'node:crypto';
import {
  conversationEnded,
  createOrganization,
  createSessionToken,
  deleteOrganization,
  endSession,
  examplesOf,
  listAudit,
  listEveryOrganization,
  openSession,
  organizationDeleted,
  type Principal,
  removalInAgentConfig,
  removalInConversation,
  removalInDashboards,
  removalInGateway,
  removalInKnowledgeIngest,
  removalInTeamSales,
  removalInTelephonyBridge,
  saveFaqs,
  saveKnowledgeBase,
  topUpCredits,
  verifyAudit,
} from '@parley/contracts';
import { eventualAnswer, eventually, wholeAnswer } from '@parley/testing';
import { Client } from 'pg';
import { createTenant, keyOf, type Tenant } from './testing/tenants';
import { startWholePlatform, type WholePlatform } from './testing/whole-platform';

/** Tables of the installation, in which no row belongs to an organization. A table with rows of organizations has `org_id`. */
const ofTheInstallation = [
  /\.(migrations|processed_events)$/,
  /^team\.users$/,
  /^agents\.lookups$/,
  /^dashboards\.(checkpoints|sealed_facts)$/,
  /^gateway\.(audit_chain_key|operator_plans)$/,
];
/** What says that an organization was deleted. */
const kept = ['gateway.audit_entries', 'gateway.audit_heads', 'gateway.operator_actions'];
/** Rows that others delete or change by themselves, so that their number says nothing. */
const passing = [
  'gateway.credit_holds',
  'gateway.audit_intents',
  'gateway.idempotent_requests',
  'gateway.entry_tokens',
  'knowledge.index_jobs',
  'telephony.call_slots',
  'telephony.account_ports',
  'telephony.media_tokens',
  'telephony.seen_requests',
  'telephony.call_legs',
];

const operator: Principal = { kind: 'system', keyId: 'admin', orgId: 0, roleTypeId: 1 };
const removals = {
  gateway: removalInGateway,
  team: removalInTeamSales,
  agents: removalInAgentConfig,
  knowledge: removalInKnowledgeIngest,
  conversation: removalInConversation,
  telephony: removalInTelephonyBridge,
  dashboards: removalInDashboards,
};
type Service = keyof typeof removals;
const services = Object.keys(removals) as Service[];

const mark = 'quokkamark';

describe('an organization that is deleted', () => {
  let platform: WholePlatform;
  let admin: Client;
  let leaving: Tenant;
  let staying: Tenant;
  let before: ReadonlyMap<string, number>;
  const organization = (tenant: Tenant): number => tenant.owner.orgId;

  beforeAll(async () => {
    platform = await startWholePlatform({ environment: { DASHBOARDS_TURNS_EVERY: '20ms' } });
    admin = new Client({ connectionString: platform.adminUrl });
    await admin.connect();
    [leaving, staying] = [await createTenant(platform, 'Quokka Traders'), await createTenant(platform, 'Stranger Stores')];
    for (const tenant of [leaving, staying]) await useEverything(tenant);
    await admin.query('SET session_replication_role = replica');
    for (const table of await tablesOfOrganizations()) await loosen(table);
    for (const tenant of [leaving, staying]) {
      // Others refer to it.
      await insertInto('telephony.campaigns', organization(tenant));
      for (const table of await tablesOfOrganizations()) await insertInto(table, organization(tenant));
    }
    before = await rowsOf(organization(staying));
  });
  afterAll(async () => {
    await admin.end();
    await platform.stop();
  });

  const ask = (service: Service, OrgID: number) => platform.bus.ask(removals[service], { OrgID }, { principal: operator });
  const states = async (orgId: number) =>
    Object.fromEntries(await Promise.all(services.map(async (service) => [service, (await ask(service, orgId)).state] as const)));
  const reach = async (orgId: number, wished: Readonly<Record<string, string>>): Promise<void> => {
    await eventualAnswer(
      async () =>
        Object.fromEntries(await Promise.all(services.map(async (name) => [name, removalOf(await ask(name, orgId))] as const))),
      (found) => services.every((name) => found[name]?.startsWith(wished[name] ?? '')),
      1_000,
    );
  };
  const everywhere = (state: string) => Object.fromEntries(services.map((service) => [service, state]));
  const status = async (tenant: Tenant) =>
    (await fetch(`${platform.url}/api/v1/external/team-management/my-access`, { headers: { 'x-api-key': keyOf(tenant, 'wsk') } }))
      .status;

  /** Words, vectors, files, credits and figures. */
  const useEverything = async (tenant: Tenant): Promise<void> => {
    const { bus } = platform;
    const principal = tenant.owner;
    const { KBID } = await bus.ask(saveKnowledgeBase, saveKnowledgeBase.request.parse(examplesOf(saveKnowledgeBase.request)[0]), {
      principal,
    });
    const faqs = [{ KBFAQID: 0, Question: 'Do you deliver?', Answer: `Yes, says ${mark}.` }];
    await bus.ask(saveFaqs, saveFaqs.request.parse({ KBID, faqs }), { principal });
    await bus.ask(topUpCredits, { kind: 'TTT_API', units: 5_000, note: mark }, { principal });
    const { sessionUUID } = await bus.ask(openSession, { channel: 'API' }, { principal: await agentOf(tenant) });
    await wholeAnswer(bus, { question: 'Do you deliver?', sessionUUID }, { principal: await agentOf(tenant) });
    await bus.ask(endSession, { sessionUUID, reason: 'ENDED_BY_USER' }, { principal: await agentOf(tenant) });
    const { orgId } = principal;
    await eventually('its passages are stored', () => filesWith(`kb_embeddings_${orgId}_`).length > 0);
    for (const folder of ['answers', 'archive/ledger', 'archive/audit', 'recordings', 'uploads', 'contacts']) {
      const place = path.join(platform.home, 'files', folder, String(orgId));
      mkdirSync(place, { recursive: true });
      writeFileSync(path.join(place, randomUUID()), mark);
    }
  };
  const agentOf = async ({ owner: { orgId } }: Tenant): Promise<Principal> => {
    const { rows } = await admin.query<{ keyId: string; agentId: number }>(
      `SELECT key_id AS "keyId", agent_id AS "agentId" FROM gateway.integration_keys WHERE org_id = $1 AND kind = 'agt'`,
      [orgId],
    );
    if (!rows[0]) throw new Error('the organization has no key of an agent');
    return { kind: 'agt', orgId, ...rows[0] };
  };

  const tables = async (): Promise<{ name: string; isOwned: boolean }[]> => {
    const { rows } = await admin.query<{ name: string; isOwned: boolean }>(
      `SELECT format('%I.%I', nspname, relname) AS name, EXISTS (
         SELECT FROM pg_attribute WHERE attrelid = class.oid AND attname = 'org_id' AND NOT attisdropped) AS "isOwned"
       FROM pg_class class JOIN pg_namespace space ON space.oid = relnamespace
       WHERE relkind IN ('r', 'p') AND NOT relispartition AND nspname !~ '^(pg_|information_schema)' ORDER BY 1`,
    );
    return rows;
  };
  const tablesOfOrganizations = async (): Promise<string[]> =>
    (await tables()).flatMap(({ name, isOwned }) => (isOwned && !name.endsWith('.deleted_organizations') ? [name] : []));
  const rowsOf = async (orgId: number): Promise<Map<string, number>> => {
    const found = new Map<string, number>();
    for (const name of await tablesOfOrganizations()) {
      const { rows } = await admin.query<{ count: number }>(`SELECT count(*)::int AS count FROM ${name} WHERE org_id = $1`, [
        orgId,
      ]);
      if (rows[0]?.count) found.set(name, rows[0].count);
    }
    return found;
  };

  /** Lets a table take any row, whatever its columns mean. */
  const loosen = async (table: string): Promise<void> => {
    const { rows } = await admin.query<{ name: string }>(
      `SELECT conname AS name FROM pg_constraint WHERE contype = 'c' AND conrelid = $1::regclass`,
      [table],
    );
    for (const { name } of rows) await admin.query(`ALTER TABLE ${table} DROP CONSTRAINT IF EXISTS "${name}"`);
    const parent = await admin.query('SELECT FROM pg_partitioned_table WHERE partrelid = $1::regclass', [table]);
    if (parent.rowCount) await admin.query(`CREATE TABLE ${table}_any PARTITION OF ${table} DEFAULT`);
  };
  const insertInto = async (table: string, orgId: number): Promise<void> => {
    if (kept.includes(table) || table === 'team.organizations') return;
    const { rows } = await admin.query<{ name: string; type: string }>(
      `SELECT attname AS name, format_type(atttypid, NULL) AS type FROM pg_attribute
       WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped AND attnotnull AND attidentity = '' AND NOT atthasdef`,
      [table],
    );
    const given = { ...plainOf[table] };
    for (const { name, type } of rows) given[name] ??= valueOf(type);
    given['org_id'] = String(orgId);
    const names = Object.keys(given);
    await admin.query(
      `INSERT INTO ${table} (${names.map((name) => `"${name}"`).join()}) VALUES (${Object.values(given).join()}) ON CONFLICT DO NOTHING`,
    );
  };

  const filesWith = (name: string): string[] =>
    readdirSync(platform.home, { recursive: true, encoding: 'utf8' }).filter((file) => file.includes(name));

  it('has rows in every table that keeps anything of organizations', async () => {
    const others = (await tables()).filter(
      ({ name, isOwned }) => !isOwned && !ofTheInstallation.some((known) => known.test(name)),
    );
    expect(others).toEqual([]);
    const [all, mine] = [await tablesOfOrganizations(), await rowsOf(organization(leaving))];
    expect(all.filter((name) => !mine.has(name) && !kept.includes(name) && !passing.includes(name))).toEqual([]);
    expect(all.length).toBeGreaterThan(60);
    expect(await status(leaving)).toBe(200);
  });

  it('is not deleted by its number alone, nor by anyone but the operator', async () => {
    const wrong = { OrgID: organization(leaving), OrganizationName: 'Quokka', operator: 'asha' };
    await expect(platform.bus.ask(deleteOrganization, wrong, { principal: operator })).rejects.toMatchObject({
      code: 'CONFLICT',
    });
    const right = { ...wrong, OrganizationName: 'Quokka Traders' };
    await expect(platform.bus.ask(deleteOrganization, right, { principal: leaving.owner })).rejects.toMatchObject({
      code: 'SCOPE_MISSING',
    });
    await expect(platform.bus.ask(deleteOrganization, { ...right, OrgID: 999 }, { principal: operator })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    expect(await states(organization(leaving))).toEqual(everywhere('NOT_ASKED'));
  });

  it('leaves nothing, in no table, file or vector; and says which service is not ready as long as one is not', async () => {
    const orgId = organization(leaving);
    const { token, wsUrls } = await platform.bus.ask(createSessionToken, createSessionToken.request.parse({}), {
      principal: await agentOf(leaving),
    });
    const socket = new WebSocket(`${platform.url.replace('http', 'ws')}${new URL(wsUrls.sts).pathname}?token=${token}`);
    const closed = new Promise<number>((resolve) => socket.addEventListener('close', ({ code }) => resolve(code)));
    await new Promise((resolve) => socket.addEventListener('open', resolve));
    // Rows that cannot go for now: the other services finish, and this one says so.
    await admin.query('CREATE TABLE conversation.holding (session_id bigint REFERENCES conversation.sessions (id))');
    await admin.query('INSERT INTO conversation.holding SELECT id FROM conversation.sessions WHERE org_id = $1', [orgId]);
    const wish = { OrgID: orgId, OrganizationName: 'Quokka Traders', operator: 'asha' };
    await platform.bus.ask(deleteOrganization, wish, { principal: operator });
    const partly = { ...everywhere('DONE'), conversation: 'ERASING' };
    await reach(orgId, partly);
    expect((await ask('conversation', orgId)).rows).toMatchObject({ sessions: expect.any(Number) });
    await admin.query('DROP TABLE conversation.holding');
    await platform.bus.ask(deleteOrganization, wish, { principal: operator });
    await reach(orgId, everywhere('DONE'));
    expect(await closed).toBe(4401);
    expect([...(await rowsOf(orgId))].filter(([name]) => name !== 'gateway.operator_actions')).toEqual([
      ['gateway.audit_entries', 1],
      ['gateway.audit_heads', 1],
    ]);
    expect(
      readdirSync(path.join(platform.home, 'files'), { recursive: true, withFileTypes: true }).filter(
        (entry) => entry.isFile() && path.basename(entry.parentPath) === String(orgId),
      ),
    ).toEqual([]);
    expect(filesWith(`kb_embeddings_${orgId}_`)).toEqual([]);
    expect(await placesOf([`tenant.example`, String(leaving.ids.get('memberAdminID'))], orgId)).toEqual([]);
  });

  /** The rows that have one of these words, unless they belong to the organization that stays. */
  const placesOf = async (words: readonly string[], orgId: number): Promise<string[]> => {
    const places: string[] = [];
    for (const { name } of await tables()) {
      const { rows } = await admin.query<{ row: string }>(`SELECT t::text AS row FROM ${name} t`);
      const others = staying.owner;
      for (const { row } of rows)
        if (
          words.some((word) => row.includes(word)) &&
          !row.includes('Stranger') &&
          !row.includes(String(others.memberId)) &&
          !new RegExp(`(^\\(|,)${others.orgId},`).test(row)
        )
          places.push(`${name} ${orgId} ${row.slice(0, 200)}`);
    }
    return places;
  };

  it('takes nothing with it of another organization', async () => {
    const after = await rowsOf(organization(staying));
    for (const [name, count] of before) if (!passing.includes(name)) expect([name, after.get(name)]).toEqual([name, count]);
    expect(await status(staying)).toBe(200);
    expect(filesWith(`kb_embeddings_${organization(staying)}_`)).not.toEqual([]);
    for (const folder of ['answers', 'archive/ledger', 'recordings', 'uploads', 'contacts'])
      expect(readdirSync(path.join(platform.home, 'files', folder, String(organization(staying))))).toHaveLength(1);
    const listed = await platform.bus.ask(listEveryOrganization, {}, { principal: operator });
    expect(listed.map(({ OrgID }) => OrgID)).toEqual([organization(staying)]);
    expect((await admin.query(`SELECT FROM team.users WHERE email LIKE '%@tenant.example'`)).rowCount).toBe(1);
  });

  it('leaves one line in a chain that verifies: by whom, when, and with which balances', async () => {
    const principal = leaving.owner;
    const { rows } = await platform.bus.ask(listAudit, {}, { principal });
    expect(rows).toMatchObject([
      {
        action: organizationDeleted.subject,
        outcome: 'OK',
        after: {
          request: { operator: 'asha' },
          reply: {
            balances: expect.arrayContaining([{ kind: 'TTT_API', available: expect.any(Number), held: expect.any(Number) }]),
          },
        },
      },
    ]);
    expect(await platform.bus.ask(verifyAudit, {}, { principal })).toEqual({
      isIntact: true,
      checkedCount: 1,
      firstBroken: null,
    });
    await expect(
      admin.query(`SET session_replication_role = origin; DELETE FROM gateway.audit_entries WHERE org_id = ${principal.orgId}`),
    ).rejects.toThrow('new lines only');
    expect((await ask('gateway', principal.orgId)).kept).toMatchObject({
      closing: { months: expect.arrayContaining([expect.objectContaining({ kind: 'TTT_API', granted: expect.any(Number) })]) },
    });
  });

  it('stays deleted: its keys are refused, and what comes late writes nothing and is not tried again', async () => {
    const { orgId } = leaving.owner;
    expect(await status(leaving)).toBe(401);
    const late = saveKnowledgeBase.request.parse(examplesOf(saveKnowledgeBase.request)[0]);
    await expect(platform.bus.ask(saveKnowledgeBase, late, { principal: leaving.owner })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    const payload = conversationEnded.payload.parse(examplesOf(conversationEnded.payload)[0]);
    for (const each of [orgId, organization(staying)])
      await platform.bus.emit(conversationEnded, {
        ...{ id: randomUUID(), orgId: each, occurredAt: new Date().toISOString() },
        payload: { ...payload, startedAt: new Date().toISOString(), sessionUUID: randomUUID() },
      });
    const facts = 'SELECT count(*)::int AS count FROM dashboards.session_facts WHERE org_id = $1';
    await eventually('the other’s is stored', async () => {
      const { rows } = await admin.query<{ count: number }>(facts, [organization(staying)]);
      return (rows[0]?.count ?? 0) > (before.get('dashboards.session_facts') ?? 0);
    });
    expect((await rowsOf(orgId)).has('dashboards.session_facts')).toBe(false);
  });

  it('keeps a person who belongs to another one, and continues where a process died', async () => {
    const person = { email: 'both@tenant.example', name: 'Both' };
    const owned = { timezone: 'Asia/Kolkata', defaultRegion: 'IN', owner: person };
    const first = await platform.bus.ask(createOrganization, {
      ...owned,
      OrgKeyID: randomUUID(),
      OrganizationName: 'First of Both',
    });
    await platform.bus.ask(createOrganization, { ...owned, OrgKeyID: randomUUID(), OrganizationName: 'Second of Both' });
    // A process of each service died: after it had learned, while it erased, and before it said that it was done.
    await admin.query(
      `INSERT INTO team.deleted_organizations (org_id, record) VALUES ($1, '{"OrganizationName": "First of Both"}')`,
      [first.OrgID],
    );
    await admin.query(
      `INSERT INTO gateway.deleted_organizations (org_id, erasing_since, erasing_xact, record)
      VALUES ($1, now(), pg_current_xact_id(), '{"OrganizationName": "First of Both", "operator": "asha"}')`,
      [first.OrgID],
    );
    await platform.bus.ask(
      deleteOrganization,
      { OrgID: first.OrgID, OrganizationName: 'First of Both', operator: 'asha' },
      { principal: operator },
    );
    await reach(first.OrgID, everywhere('DONE'));
    expect((await rowsOf(first.OrgID)).get('team.memberships')).toBeUndefined();
    expect((await admin.query(`SELECT FROM team.users WHERE email = 'both@tenant.example'`)).rowCount).toBe(1);
    expect(await platform.bus.ask(verifyAudit, {}, { principal: { ...leaving.owner, orgId: first.OrgID } })).toMatchObject({
      isIntact: true,
      checkedCount: 1,
    });
  });
});

function removalOf({ state, waitsFor, rows }: { state: string; waitsFor: string | null; rows: Record<string, number> }): string {
  return [state, waitsFor, ...Object.keys(rows)].join(' ');
}

/** Values with which no service goes to work on a row. */
const plainOf: Readonly<Record<string, Record<string, string>>> = Object.fromEntries(
  ['agents', 'conversation', 'dashboards', 'gateway', 'knowledge', 'team', 'telephony'].flatMap((schema) => [
    [`${schema}.outbox`, { subject: `'conversation.session.erased'`, retry_at: `now() + interval '1 day'` }],
  ]),
);
Object.assign(plainOf, {
  'gateway.integration_keys': { revoked_on: 'now()' },
  'telephony.campaign_contacts': { campaign_id: '(SELECT max(id) FROM telephony.campaigns)' },
  'telephony.calls': { ended_at: 'now()', state: `'COMPLETED'` },
  'telephony.campaigns': { status: `'CANCELLED'` },
  'gateway.credit_holds': { kind: `'TTT_API'`, expires_at: `now() + interval '3 seconds'` },
});

function valueOf(type: string): string {
  if (type.endsWith('[]')) return `'{}'`;
  if (type === 'uuid') return 'gen_random_uuid()';
  if (/^json/.test(type)) return `'{}'`;
  if (/^(timestamp|date)/.test(type)) return 'now()';
  if (type === 'boolean') return 'false';
  if (type === 'bytea') return `decode('${randomUUID().replaceAll('-', '')}', 'hex')`;
  if (/int|numeric|real|double|xid/.test(type)) return String(Math.floor(Math.random() * 30_000));
  return `'${mark}-${randomUUID().slice(0, 8)}'`;
}
