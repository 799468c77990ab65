import { createHmac, randomUUID } from 'node:crypto';
import { connectionOptions, migrateSchema, TenantScope } from '@parley/database';
import { ScriptedFileStore } from '@parley/ports';
import { testDatabase, type TestDatabase } from '@parley/testing';
import { DataSource } from 'typeorm';
import { SealedSecrets } from '@parley/service-kit';
import { RecordedLog } from '../../testing/recorded-log';
import { testSecret } from '../../testing/running-gateway';
import { gatewaySchema } from '../../database/schema';
import { AuditEntryRow, beginning, canonical, ChainKey, ChainSeal } from './chain';
import { AuditTrail } from './audit-trail';
import { bounded } from './recorded-actions';
import { ChainNotes } from './chain-notes';

const attempt = {
  orgId: 7,
  action: 'agent-config.agent.save',
  memberId: randomUUID(),
  integrationKeyId: randomUUID(),
  subject: 'AgentID 12',
  request: { AgentName: 'Maya' },
  before: { AgentName: 'Mia' },
  requestId: 'req-1',
};

it('a line is hashed as deployment.md says', () => {
  const key = Buffer.alloc(32, 7);
  const statement = {
    ...{ orgId: 7, keyId: 'k', action: 'a.b', memberId: null, integrationKeyId: null, integrationId: 3, subject: 'AgentID 12' },
    ...{ before: null, after: { request: { b: 1, a: 'ü' }, reply: null }, requestId: 'r', outcome: 'OK' },
    createdOn: new Date('2026-11-27T18:00:00.000Z'),
  };
  const said =
    '{"action":"a.b","after":{"reply":null,"request":{"a":"ü","b":1}},"before":null,"createdOn":"2026-11-27T18:00:00.000Z",' +
    '"integrationId":3,"integrationKeyId":null,"keyId":"k","memberId":null,"orgId":7,"outcome":"OK","requestId":"r",' +
    '"subject":"AgentID 12"}';
  const hash = createHmac('sha256', key)
    .update(`${'0'.repeat(64)}\n${said}`)
    .digest('hex');
  expect(new ChainSeal(key).line(beginning, statement)).toBe(hash);
});

describe('AuditTrail', () => {
  let database: TestDatabase;
  let dataSource: DataSource;
  let tenants: TenantScope;
  let trail: AuditTrail;

  beforeAll(async () => {
    database = await testDatabase();
    await migrateSchema(gatewaySchema, database.url);
    dataSource = await new DataSource(connectionOptions(gatewaySchema, { url: database.url })).initialize();
    tenants = new TenantScope(dataSource);
    const chainKey = new ChainKey(tenants, new SealedSecrets({ secretKey: testSecret }), new RecordedLog());
    trail = new AuditTrail(tenants, chainKey, new ChainNotes(tenants, new ScriptedFileStore(), chainKey, new RecordedLog()));
  });
  afterAll(async () => {
    await dataSource.destroy();
    await database.close();
  });

  const age = (intent: string) =>
    tenants.acrossTenants('an attempt of long ago', (manager) =>
      manager.query(`UPDATE audit_intents SET begun_on = now() - interval '1 hour' WHERE id = $1`, [intent]),
    );
  const lines = (orgId: number) => tenants.read(orgId, (manager) => manager.findBy(AuditEntryRow, { orgId }));

  it('records what a crashed gateway had begun, once', async () => {
    await age(await trail.begin(attempt));
    await trail.begin(attempt);
    const [one, two] = await Promise.all([trail.sweep(), trail.sweep()]);
    expect(one + two).toBeGreaterThanOrEqual(1);
    expect(await lines(7)).toMatchObject([{ outcome: 'UNKNOWN', subject: 'AgentID 12', before: { AgentName: 'Mia' } }]);
  });

  it('records nothing for a dropped attempt, or one that the sweep ended first', async () => {
    const dropped = await trail.begin({ ...attempt, orgId: 8 });
    await trail.drop(8, dropped);
    await trail.finish(8, dropped, { outcome: 'OK' });
    expect(await lines(8)).toEqual([]);
  });

  it('hides lines from other organizations', async () => {
    await trail.finish(9, await trail.begin({ ...attempt, orgId: 9 }), { outcome: 'OK' });
    expect(await tenants.read(10, (manager) => manager.find(AuditEntryRow))).toEqual([]);
  });
});

describe('the audited part of a body', () => {
  it.each([
    ['https://crm.example/find?key=k-123&q={{order}}#top', 'https://crm.example/find?key=(hidden)&q=(hidden)#top'],
    ['https://crm.example/find?list', 'https://crm.example/find?list'],
    ['Is https://crm.example/find?key=1 yours?', 'Is https://crm.example/find?key=1 yours?'],
  ])('keeps no values from a URL: %s', (address, written) => {
    expect(bounded({ url: address })).toEqual({ url: written });
  });

  it('is limited in length, and safe for Postgres', () => {
    expect(bounded({ text: 'x'.repeat(10_000) })).toEqual({ text: `${'x'.repeat(2_000)}…` });
    expect(bounded({ many: Array.from({ length: 1_000 }, () => 'y'.repeat(1_999)) })).toEqual({
      omitted: expect.stringMatching(/^\d+ bytes$/),
    });
    expect(bounded({ text: 'a\0b\ud800' })).toEqual({ text: 'ab\ufffd' });
    expect(bounded('text')).toBeNull();
  });

  it('does not depend on the order of fields', () => {
    expect(canonical({ b: [1, { d: null, c: 'x' }], a: undefined })).toBe('{"b":[1,{"c":"x","d":null}]}');
    expect(canonical({ b: 1, a: 2 })).toBe(canonical({ a: 2, b: 1 }));
  });
});
