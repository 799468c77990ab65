import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { getCampaign, saveCampaign, startCampaign } from '@parley/contracts';
import { NatsTransport } from '@parley/messaging';
import { eventually, killHard, TestNats, typeScriptProcess, type TypeScriptProcess } from '@parley/testing';
import { Client } from 'pg';
import { BridgeHouse, freePort } from '../testing/bridge-house.suite';
import { anyHour, openNumbers } from '../testing/open-numbers';

const file = 'apps/telephony-bridge/src/testing/replica-processes.ts';
const contacts = 60;
const linesMax = 8;
const patienceMs = 90_000;

describe('a campaign of two replicas, one of which is killed', () => {
  let nats: TestNats;
  let house: BridgeHouse;
  let child: TypeScriptProcess;
  let database: Client;

  beforeAll(async () => {
    nats = await TestNats.start();
    house = await BridgeHouse.open({}, () => NatsTransport.connect({ servers: nats.url, name: 'spec' }));
    database = new Client({ connectionString: house.database.adminUrl, options: '-c search_path=telephony' });
    await database.connect();
  }, 120_000);
  afterAll(async () => {
    await killHard(child);
    await database.end();
    await house.close();
    await nats.stop();
  });

  it('calls nobody twice, ends every contact, says so of whom it was about to call, and counts what there is', async () => {
    const port = String(await freePort());
    child = typeScriptProcess(file, 'runBridge', nats.url, house.database.url, port, `http://127.0.0.1:${port}`);
    await once(child.stdout, 'data');
    const shop = await house.shop();
    house.neighbours.contacts = openNumbers(contacts).map((ContactNumber, index) => ({ ContactID: index + 1, ContactNumber }));
    house.network.onPlace = (_, { callId }) => {
      const tell = async (): Promise<void> => {
        for (let times = 0; times < 5; times += 1) {
          await delay(600);
          await house.network.tell(shop.webhooks.status, [{ kind: 'state', callId, state: 'busy' }]);
        }
      };
      void tell().catch(() => undefined);
    };
    const { CampaignKeyID } = await shop.ask(saveCampaign, {
      CampaignName: 'Renewals',
      AgentID: 12,
      CallerNumber: shop.number.number,
      CallingHours: anyHour,
      CallsPerMinute: 600,
      MaxConcurrentCalls: linesMax,
      Retry: { maxAttempts: 1 },
      ContactIDs: house.neighbours.contacts.map(({ ContactID }) => ContactID),
    });
    await shop.ask(startCampaign, { CampaignKeyID });
    const owners = async () => (await database.query('SELECT DISTINCT owner FROM campaign_attempts')).rowCount;
    await eventually('both dial', async () => (await owners()) === 2 && house.network.placed.length > 12, patienceMs);
    await killHard(child);
    const read = async () => (await shop.ask(getCampaign, { CampaignKeyID })).status;
    const asked = () => read().catch(() => undefined);
    await eventually('it is over', async () => (await asked()) === 'COMPLETED', patienceMs);

    const placed = house.network.placed.map(({ to }) => to);
    expect(new Set(placed).size).toBe(placed.length);
    // Whoever died between writing a call and dialling it leaves one that nobody repeats: it might have been dialled.
    const missing = openNumbers(contacts).filter((number) => !placed.includes(number));
    expect(missing.length).toBeLessThanOrEqual(linesMax);
    const lost = await database.query('SELECT state, cause FROM campaign_contacts WHERE number = ANY($1)', [missing]);
    expect(lost.rows).toEqual(
      missing.map(() => ({ state: 'FAILED', cause: expect.stringMatching(/was lost|could not be found out/) })),
    );
    const recount = await database.query(
      'SELECT state, count(*)::int AS contacts FROM campaign_contacts GROUP BY state ORDER BY state',
    );
    const kept = await database.query('SELECT state, contacts FROM campaign_counts WHERE contacts <> 0 ORDER BY state');
    expect(kept.rows).toEqual(recount.rows);
    const attempts = await database.query(
      `SELECT count(*)::int AS attempts FROM campaign_attempts WHERE state <> 'RELEASED' GROUP BY contact_id`,
    );
    expect(attempts.rows.map((row) => row.attempts)).toEqual(Array.from({ length: contacts }, () => 1));
  }, 200_000);
});
