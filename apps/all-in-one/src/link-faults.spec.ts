import { randomUUID } from 'node:crypto';
import { createKey, createOrganization, type Principal, saveAgent } from '@parley/contracts';
import { NatsTransport, type Transport } from '@parley/messaging';
import { eventually, FaultyLink, linkFaults, TestNats } from '@parley/testing';
import { z } from 'zod';
import { ScriptedModel } from '../e2e/platform/scripted-model';
import { newAgent } from './demo/demo-file';
import { startWholePlatform, type WholePlatform } from './testing/whole-platform';

const links = ['gateway and NATS', 'services and NATS', 'everybody and Postgres', 'conversation and model'] as const;
const places = links.flatMap((link) => linkFaults.map((fault) => ({ link, fault })));

const Balances = z.object({ data: z.object({ balances: z.array(z.object({ held: z.int() })) }) });
const Refusal = z.object({ statusCode: z.int(), code: z.string(), requestId: z.string() });

let nats: TestNats;
let model: ScriptedModel;
let platform: WholePlatform;
let keys: { readonly agent: string; readonly owner: string };
const link = new Map<(typeof links)[number], FaultyLink>();
const transports: Transport[] = [];

beforeAll(async () => {
  [nats, model] = await Promise.all([TestNats.start(), new ScriptedModel().start()]);
  link.set('gateway and NATS', await FaultyLink.to(nats.url));
  link.set('services and NATS', await FaultyLink.to(nats.url));
  link.set('conversation and model', await FaultyLink.to(model.url));
  platform = await startWholePlatform({
    environment: { LLM_BASE_URL: linkOf('conversation and model').url, LLM_MODEL: 'scripted', LLM_FIRST_TOKEN: '5s' },
    connect,
    databaseUrl: async (url) => {
      link.set('everybody and Postgres', await FaultyLink.to(url));
      return linkOf('everybody and Postgres').url;
    },
  });
  keys = await newKeys();
});

afterAll(async () => {
  await platform.stop();
  await Promise.all(transports.map((transport) => transport.close()));
  for (const each of link.values()) await each.close();
  model.stop();
  await nats.stop();
});

function linkOf(name: (typeof links)[number]): FaultyLink {
  const found = link.get(name);
  if (!found) throw new Error(`there is no link between ${name}`);
  return found;
}

async function connect(service: string): Promise<Transport> {
  const { url } = service === 'host' ? nats : linkOf(service === 'gateway' ? 'gateway and NATS' : 'services and NATS');
  const transport = await NatsTransport.connect({
    servers: url,
    name: service,
    log: { error: () => undefined, warn: () => undefined, info: () => undefined },
  });
  transports.push(transport);
  return transport;
}

async function newKeys(): Promise<typeof keys> {
  const { bus } = platform;
  const owner = { email: `${randomUUID()}@links.example`, name: 'Link Owner' };
  const made = await bus.ask(createOrganization, {
    OrgKeyID: randomUUID(),
    OrganizationName: 'Links',
    timezone: 'Asia/Kolkata',
    defaultRegion: 'IN',
    owner,
  });
  const principal: Principal = {
    kind: 'wsk',
    keyId: 'test',
    orgId: made.OrgID,
    memberId: made.memberAdminID,
    userId: made.userID,
    roleTypeId: 1,
  };
  const { AgentKeyID } = await bus.ask(
    saveAgent,
    { AgentKeyID: null, ...newAgent, TemplateID: 2, AgentName: 'Whale', KBID: null },
    { principal },
  );
  const agent = await bus.ask(createKey, { name: 'links', kind: 'agt', AgentKeyID }, { principal });
  return { agent: agent.key, owner: (await bus.ask(createKey, { name: 'links', kind: 'wsk' }, { principal })).key };
}

async function ask(): Promise<{ status: number; retryAfter: string | null; text: string }> {
  const reply = await fetch(`${platform.url}/api/v1/ttt`, {
    method: 'POST',
    headers: { 'x-api-key': keys.agent, 'content-type': 'application/json' },
    body: JSON.stringify({ question: 'What do you sell?' }),
  });
  return { status: reply.status, retryAfter: reply.headers.get('retry-after'), text: await reply.text() };
}

async function held(): Promise<number> {
  const reply = await fetch(`${platform.url}/api/v1/external/credits/balance`, { headers: { 'x-api-key': keys.owner } });
  const { data } = Balances.safeParse(await reply.json());
  return data?.data.balances.reduce((sum, balance) => sum + balance.held, 0) ?? Number.NaN;
}

it.each(places)(
  '$fault between $link: an answer or a 503, nothing held, and all is well afterwards',
  async ({ link: name, fault }) => {
    await eventually('an answer before', async () => (await ask()).status === 200);
    linkOf(name).suffer(fault);
    const { status, retryAfter, text } = await ask();
    linkOf(name).heal();
    expect(status).toBe(fault === 'latency' ? 200 : 503);
    if (fault !== 'latency') {
      expect(Refusal.parse(JSON.parse(text)).statusCode).toBe(503);
      expect(Number(retryAfter)).toBeGreaterThan(0);
    }
    await eventually('an answer after', async () => (await ask()).status === 200);
    await eventually('nothing is held', async () => (await held()) === 0);
  },
);
