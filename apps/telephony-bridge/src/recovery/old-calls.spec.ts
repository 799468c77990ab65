import { Writable } from 'node:stream';
import { connectionOptions, TenantScope } from '@parley/database';
import { createLogger, Metrics, RegularTasks } from '@parley/service-kit';
import { DataSource } from 'typeorm';
import { telephonySchema } from '../database/schema';
import { BridgeHarness, type Shop } from '../testing/bridge-harness.suite';
import { OldCalls } from './old-calls';

const dayMs = 86_400_000;

interface Kept {
  readonly state: string;
  readonly recording: string | null;
  readonly variables: object | null;
}

describe('old calls', () => {
  let harness: BridgeHarness;
  let source: DataSource;
  let shop: Shop;
  const logged: string[] = [];

  beforeAll(async () => {
    harness = await BridgeHarness.open();
    source = await new DataSource(connectionOptions(telephonySchema, { url: harness.database.url })).initialize();
  });
  afterAll(async () => {
    await source.destroy();
    await harness.close();
  });
  beforeEach(async () => {
    shop = await harness.shop();
    harness.scripted.retention = [{ AgentID: 12, RetentionDays: 30 }];
  });

  /** Runs the hourly sweep this many days from now. */
  const sweepIn = async (days: number, months = 14): Promise<void> => {
    const destination = new Writable({ write: (line, _encoding, done) => (logged.push(String(line)), done()) });
    const log = createLogger({ level: 'warn', isReadable: false, writesPii: false, destination });
    const lifetime = { draining: new AbortController().signal, overdue: new AbortController().signal };
    const tasks = new RegularTasks(lifetime, log, new Metrics().metricsOf('telephony-bridge'));
    const calls = new OldCalls(months, harness.bus, new TenantScope(source), { log, lifetime, tasks });
    await calls.sweep(new Date(Date.now() + days * dayMs));
  };

  const call = async (state: 'COMPLETED' | 'RINGING' = 'COMPLETED', count = 1, agentId = 12): Promise<void> => {
    const client = await harness.sql();
    const wishes = { ringSeconds: 30, voicemail: 'HANG_UP', variables: { name: 'Ravi' } };
    await client.query(
      `INSERT INTO calls (org_id, account_id, carrier, state, direction, agent_id, agent_key, agent_name, from_address, to_address,
         wishes, recording_key, reference, queued_at, ended_at, change, updated_on)
       SELECT $1, $2, 'fake', $3::text, 'OUTBOUND', $4, gen_random_uuid(), 'Agent', '+912025510012', '+919820010001', $5, 'recordings/1',
         gen_random_uuid(), now(), CASE WHEN $3::text = 'COMPLETED' THEN now() END, 1, now()
       FROM generate_series(1, $6)`,
      [shop.principal.orgId, shop.account.CarrierAccountID, state, agentId, JSON.stringify(wishes), count],
    );
  };
  const kept = async (): Promise<Kept[]> => {
    const client = await harness.sql();
    const { rows } = await client.query<Kept>(
      `SELECT state, recording_key AS recording, wishes->'variables' AS variables FROM calls WHERE org_id = $1 ORDER BY id`,
      [shop.principal.orgId],
    );
    return rows;
  };

  const whole = { state: 'COMPLETED', recording: 'recordings/1', variables: { name: 'Ravi' } };
  const bare = { state: 'COMPLETED', recording: null, variables: null };

  it('keep no personal data after the retention days of their agent, but still exist', async () => {
    await call();
    await sweepIn(29);
    expect(await kept()).toEqual([whole]);
    await sweepIn(31);
    expect(await kept()).toEqual([bare]);
  });

  it('are deleted after the installation’s months, in batches, and never before their agent’s days', async () => {
    harness.scripted.retention = [
      { AgentID: 12, RetentionDays: 30 },
      { AgentID: 13, RetentionDays: 3_650 },
    ];
    await call('COMPLETED', 1_200);
    await call('COMPLETED', 1, 13);
    await sweepIn(400);
    expect((await kept()).length).toBe(1_201);
    await sweepIn(500);
    expect(await kept()).toEqual([whole]);
  });

  it('are left alone while they are in progress', async () => {
    const client = await harness.sql();
    await client.query('BEGIN');
    await call('RINGING');
    // It belongs to another replica with an endless lease, so the bridge leaves it alone.
    await client.query(
      `INSERT INTO call_slots (call_id, org_id, agent_id, owner, expires_at)
       SELECT id, org_id, agent_id, gen_random_uuid(), 'infinity' FROM calls WHERE org_id = $1`,
      [shop.principal.orgId],
    );
    await client.query('COMMIT');
    await sweepIn(5_000);
    expect(await kept()).toEqual([{ ...whole, state: 'RINGING' }]);
  });
});
