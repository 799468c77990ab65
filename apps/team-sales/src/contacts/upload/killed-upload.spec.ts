import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readContactUpload, uploadContacts } from '@parley/contracts';
import { NatsTransport, TransportBus } from '@parley/messaging';
import { eventually, killHard, TestNats, type TypeScriptProcess, typeScriptProcess } from '@parley/testing';
import { Client } from 'pg';
import { Installation } from '../../installation.suite';

const rowCount = 15_000;
const source = 'apps/team-sales/src/contacts/upload/upload-process.fake.ts';

/** Prepares in this process; the killed one serves over NATS in its own, on the same database and files. */
describe('an upload whose service is killed', () => {
  let installation: Installation;
  let nats: TestNats;
  let transport: NatsTransport;
  let bus: TransportBus;
  let admin: Client;
  let victim: TypeScriptProcess;

  beforeAll(async () => {
    [installation, nats] = await Promise.all([Installation.start(), TestNats.start()]);
    transport = await NatsTransport.connect({ servers: nats.url, name: 'spec' });
    bus = new TransportBus(transport);
    admin = new Client({ connectionString: installation.database.adminUrl });
    await admin.connect();
  });
  afterAll(async () => {
    await killHard(victim);
    bus.close();
    await transport.close();
    await admin.end();
    await Promise.all([installation.stop(), nats.stop()]);
  });

  const startVictim = async () => {
    const { database, folder } = installation;
    victim = typeScriptProcess(source, 'serveUntilKilled', nats.url, database.url, folder);
    await once(victim.stdout, 'data');
  };

  it('has counts that match its rows, and is completed by a repeat', async () => {
    const organization = await installation.organization();
    const { SalesUserID } = await installation.representative(organization);
    const { owner: principal, OrgID } = organization;
    const UploadKeyID = randomUUID();
    const upload = async () => {
      const file = await installation.store(OrgID, csvOf(rowCount));
      return bus.ask(uploadContacts, { SalesUserID, UploadKeyID, file }, { principal });
    };
    const read = () => installation.bus.ask(readContactUpload, { UploadKeyID }, { principal });
    /** The rows, and what the upload reports about them, at one instant. */
    const look = async () => {
      const { rows } = await admin.query<Record<'saved' | 'mapped' | 'created' | 'assigned', number>>(
        `SELECT (SELECT count(*)::int FROM team.contacts WHERE org_id = $1) AS saved,
           (SELECT count(*)::int FROM team.contact_mappings WHERE org_id = $1) AS mapped,
           coalesce(sum(created_count), 0)::int AS created, coalesce(sum(assigned_count), 0)::int AS assigned
         FROM team.contact_uploads WHERE org_id = $1`,
        [OrgID],
      );
      const [seen] = rows;
      if (!seen) throw new Error('nothing was counted');
      expect([seen.saved, seen.mapped]).toEqual([seen.created, seen.assigned]);
      return seen.saved;
    };

    await startVictim();
    const outcome = upload().then(
      () => 'answered',
      () => 'lost',
    );
    await eventually('some of the rows are saved', async () => (await look()) >= 2000);
    await killHard(victim);
    const half = await look();
    expect(half).toBeLessThan(rowCount);
    expect(await outcome).toBe('lost');
    expect(await read()).toMatchObject({ status: 'PROCESSING', rowCount, createdCount: half });

    await startVictim();
    await expect(upload()).rejects.toMatchObject({ code: 'CONFLICT' });
    // Twenty seconds of silence, on a fake clock.
    const longAgo = `UPDATE team.contact_uploads SET alive_at = now() - interval '21 seconds' WHERE key_id = $1`;
    await admin.query(longAgo, [UploadKeyID]);
    expect(await read()).toMatchObject({
      status: 'FAILED',
      createdCount: half,
      assignedCount: half,
      reason: expect.stringContaining('upload the file again'),
    });
    expect(await upload()).toMatchObject({
      status: 'DONE',
      rowCount,
      createdCount: rowCount - half,
      unchangedCount: half,
      assignedCount: rowCount - half,
      errorCount: 0,
    });
    const { rows } = await admin.query<{ saved: number }>(
      'SELECT count(DISTINCT number)::int AS saved FROM team.contacts WHERE org_id = $1',
      [OrgID],
    );
    expect(rows).toEqual([{ saved: rowCount }]);
  });
});

async function* csvOf(count: number): AsyncGenerator<Buffer> {
  yield Buffer.from('CustomerName,ContactNumber,City\n');
  for (let index = 0; index < count; index += 1000) {
    const lines = Array.from({ length: 1000 }, (_, each) => `Customer ${index + each},${9_820_000_000 + index + each},Pune\n`);
    yield Buffer.from(lines.join(''));
  }
}
