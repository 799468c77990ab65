import { once } from 'node:events';
import { connect, createServer, type Server } from 'node:net';
import { getCampaign, saveCampaign, startCampaign } from '@parley/contracts';
import { NatsTransport } from '@parley/messaging';
import { LoopbackNetwork, type LoopbackOrder, type Phone, serveNetwork } from '@parley/providers/loopback';
import { eventually, killHard, TestNats, typeScriptProcess, type TypeScriptProcess } from '@parley/testing';
import { realClock } from '@parley/voice-session';
import type { Client } from 'pg';
import { BridgeHarness, freePort, type Shop } from '../testing/bridge-harness.suite';
import { anyHour, openNumbers } from '../testing/open-numbers';

const file = 'apps/telephony-bridge/src/testing/replica-processes.ts';
const contacts = 48;
const linesMax = 8;
const answeredAtOnce = 12;
/** Causes of calls that were not yet dialled, being answered or in progress when their replica was killed. */
const cutOffCause = /was lost|could not be found out|no document|the account hung up/;

/** A carrier of one organization that survives the bridges and records every order to dial. */
interface Outside {
  readonly shop: Shop;
  readonly dialled: readonly Pick<LoopbackOrder, 'reference' | 'to'>[];
  /** How a call to this number ends unless it is cut off. */
  endingOf(number: string): { readonly state: string; readonly cause?: string };
  /** What each replica must hold when one is killed, as an SQL condition on its calls. */
  readonly held: string;
  /** At least this many conversations are cut off. */
  readonly cutOffMin: number;
  close(): Promise<void>;
}

/** Everybody is busy, reported five times: the first dozen at once, the others ring until a replica was killed. */
async function fake(harness: BridgeHarness, killed: Promise<void>): Promise<Outside> {
  const shop = await harness.shop();
  const { network } = harness;
  network.placed.splice(0);
  network.onPlace = (_, { callId }) => {
    const isHeard = async () =>
      (await network.tell(shop.webhooks.status, [{ kind: 'state', callId, state: 'busy' }])).status === 200;
    const tell = async (): Promise<void> => {
      if (network.placed.length > answeredAtOnce) await killed;
      else await harness.noted(callId);
      for (let times = 0; times < 5; times += 1) await eventually('it is heard', () => isHeard().catch(() => false));
    };
    void tell().catch(() => undefined);
  };
  return {
    shop,
    dialled: network.placed,
    endingOf: () => ({ state: 'MISSED' }),
    held: `bool_or(c.state = 'RINGING')`,
    cutOffMin: 0,
    close: async () => undefined,
  };
}

class WatchedNetwork extends LoopbackNetwork {
  readonly orders: LoopbackOrder[] = [];

  override place(order: LoopbackOrder): ReturnType<LoopbackNetwork['place']> {
    this.orders.push(order);
    return super.place(order);
  }
}

const talks: Phone = {
  answers: 'picks-up',
  script: [{ kind: 'say', words: 'Hello, who is this?' }, { kind: 'wait', ms: 3_000 }, { kind: 'hang-up' }],
};

/**
 * Most people talk; some are busy, do not answer, or fail. The simulated network usually runs in the process that dials and dies
 * with it: a survivor's carrier then knows nothing of the call, no telephone rings, and the call is lost. What campaigns promise
 * is about telephones that keep ringing, so here the network is a process of its own, reached by `networkUrl` like a real
 * carrier: it can be asked by a call's reference.
 */
async function loopback(harness: BridgeHarness, _killed: Promise<void>): Promise<Outside> {
  const network = new WatchedNetwork({ clock: realClock });
  const ends = openNumbers(contacts).map((number, index): [string, Phone, ReturnType<Outside['endingOf']>] => {
    if (index % 24 === 11) return [number, { answers: 'failed' }, { state: 'FAILED', cause: 'no route to this number' }];
    if (index % 4 === 1) return [number, { answers: 'busy' }, { state: 'MISSED', cause: 'user busy' }];
    if (index % 4 === 3) return [number, { answers: 'no-answer' }, { state: 'MISSED', cause: 'no answer' }];
    return [number, talks, { state: 'COMPLETED' }];
  });
  for (const [number, phone] of ends) network.connect(number, phone);
  const served = await serveNetwork(network);
  const credentials = { secret: 'a-secret-of-the-test', networkUrl: served.url };
  const endings = new Map(ends.map(([number, , ending]) => [number, ending]));
  return {
    shop: await harness.shop({}, { carrier: 'loopback', credentials }),
    dialled: network.orders,
    endingOf: (number) => endings.get(number) ?? { state: 'NOBODY' },
    held: `bool_or(c.state = 'RINGING' AND c.carrier_call_id IS NOT NULL)
      AND bool_or(c.state = 'IN_PROGRESS' AND c.answered_at > now() - interval '2 seconds')`,
    cutOffMin: 1,
    close: async () => {
      network.close();
      await served.close();
    },
  };
}

/** One address for all replicas, as in an installation: each connection goes to the next one that accepts it. */
async function balance(port: number, replicas: readonly number[]): Promise<Server> {
  let turn = 0;
  const server = createServer((outside) => {
    const pass = (left: number): void => {
      const inside = connect(replicas[(turn += 1) % replicas.length] ?? 0, '127.0.0.1');
      const refused = (): void => void (left > 1 ? pass(left - 1) : outside.destroy());
      inside.once('error', refused).once('connect', () => {
        inside.off('error', refused);
        for (const end of [inside, outside])
          end.on('error', () => undefined).on('close', () => (inside.destroy(), outside.destroy()));
        outside.pipe(inside).pipe(outside);
      });
    };
    pass(replicas.length);
  });
  await once(server.listen(port, '127.0.0.1'), 'listening');
  return server;
}

describe('a campaign on two replicas, one of which is killed', () => {
  let nats: TestNats;
  let harness: BridgeHarness;
  let database: Client;
  let victim: TypeScriptProcess;
  let survivor: TypeScriptProcess;
  let balancer: Server;
  let outside: Outside | undefined;

  beforeAll(async () => {
    nats = await TestNats.start();
    harness = await BridgeHarness.open({ NO_BRIDGE: '' }, () => NatsTransport.connect({ servers: nats.url, name: 'spec' }));
    database = await harness.sql();
  });
  beforeEach(async () => {
    const ports = [await freePort(), await freePort()];
    balancer = await balance(Number(new URL(harness.url).port), ports);
    const [one, other] = ports.map((port) =>
      typeScriptProcess(file, 'runBridge', nats.url, harness.database.url, String(port), harness.url),
    );
    if (!one || !other) throw new Error('two ports, two replicas');
    [victim, survivor] = [one, other];
    await Promise.all([once(victim.stdout, 'data'), once(survivor.stdout, 'data')]);
  });
  afterEach(async () => {
    await Promise.all([killHard(victim), killHard(survivor)]);
    balancer.close();
    await outside?.close();
    outside = undefined;
  });
  afterAll(async () => {
    await harness.close();
    await nats.stop();
  });

  it.each([
    ['the carrier of the tests', fake],
    ['the simulated network', loopback],
  ])('calls nobody twice over %s, ends every contact, explains interrupted calls, and counts correctly', async (_, open) => {
    const killed = Promise.withResolvers<void>();
    outside = await open(harness, killed.promise);
    const { shop, dialled, endingOf, held, cutOffMin } = outside;
    const numbers = openNumbers(contacts);
    harness.scripted.contacts = numbers.map((ContactNumber, index) => ({ ContactID: index + 1, ContactNumber }));
    const { CampaignKeyID } = await shop.ask(saveCampaign, {
      CampaignName: 'Renewals',
      AgentID: 12,
      CallerNumber: shop.number.number,
      CallingHours: anyHour,
      CallsPerMinute: 600,
      MaxConcurrentCalls: linesMax,
      ringSeconds: 10,
      Retry: { maxAttempts: 1 },
      ContactIDs: harness.scripted.contacts.map(({ ContactID }) => ContactID),
    });
    await shop.ask(startCampaign, { CampaignKeyID });
    const campaign = await shop.ask(getCampaign, { CampaignKeyID });
    const rowsOf = async (text: string) => (await database.query(text, [campaign.CampaignID])).rows;
    const holders = () =>
      rowsOf(
        `SELECT s.owner FROM call_slots s JOIN calls c ON c.id = s.call_id
           WHERE c.campaign_id = $1 AND s.is_live GROUP BY s.owner HAVING ${held}`,
      );
    const bothHold = async () => dialled.length > answeredAtOnce && (await holders()).length === 2;
    await eventually('both have calls on the line', bothHold);
    await killHard(victim);
    killed.resolve();
    expect(dialled.length).toBeLessThan(contacts);
    const read = async () => (await shop.ask(getCampaign, { CampaignKeyID })).status;
    await eventually('it is over', async () => (await read().catch(() => '')) === 'COMPLETED');

    const called = dialled.map(({ to }) => to);
    expect(new Set(called).size).toBe(called.length);
    const attempts = await rowsOf(
      `SELECT n.number, n.state, n.cause, array_agg(a.reference) AS attempts, array_agg(c.key_id) AS calls
         FROM campaign_contacts n JOIN campaign_attempts a ON a.contact_id = n.id AND a.state <> 'RELEASED'
         LEFT JOIN calls c ON c.reference = a.reference WHERE n.campaign_id = $1 GROUP BY n.id ORDER BY n.number`,
    );
    expect(attempts.map(({ number }) => number)).toEqual(numbers);
    for (const attempt of attempts) expect(attempt.attempts).toHaveLength(1);
    for (const { to, reference } of dialled) expect(attempts.find(({ number }) => number === to)?.calls).toEqual([reference]);

    const cutOff = attempts.filter(({ cause }) => cutOffCause.test(cause));
    expect(cutOff.length).toBeGreaterThanOrEqual(cutOffMin);
    expect(cutOff.length).toBeLessThanOrEqual(linesMax);
    for (const attempt of attempts.filter((each) => !cutOff.includes(each)))
      expect(attempt).toMatchObject(endingOf(attempt.number));
    // A replica that died between writing a call and dialling it may have dialled it, so nobody repeats it.
    const missing = attempts.filter(({ number }) => !called.includes(number));
    for (const attempt of missing)
      expect(attempt).toMatchObject({ state: 'FAILED', cause: expect.stringMatching(/was lost|could not be found out/) });

    const recount = await rowsOf(
      'SELECT state, count(*)::int AS contacts FROM campaign_contacts WHERE campaign_id = $1 GROUP BY state ORDER BY state',
    );
    const kept = await rowsOf(
      'SELECT state, sum(contacts)::int AS contacts FROM campaign_counts WHERE campaign_id = $1 AND contacts <> 0 GROUP BY state ORDER BY state',
    );
    expect(kept).toEqual(recount);
  });
});
