import { randomUUID } from 'node:crypto';
import { PassThrough } from 'node:stream';
import { context, propagation, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { AlwaysOnSampler, InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import {
  canHoldSecret,
  contractByName,
  createKey,
  examplesOf,
  isMaskedAddress,
  listMailOutbox,
  nameOf,
  type Principal,
  type RequestContract,
  saveAgent,
  saveInvite,
  saveWidget,
  secretMask,
  secretsOf,
} from '@parley/contracts';
import { createLogger } from '@parley/service-kit';
import { Client } from 'pg';
import type { z } from 'zod';
import { askedEndpoints, createTenant, filled, gather, keyOf, kindFor, send, type Tenant } from './testing/tenants';
import { startWholePlatform, type WholePlatform } from './testing/whole-platform';

/** A secret of a request, and the path of an address that may hold one. */
const planted = 'hunter2-of-a-request';
const plantedPath = 'hunter2-of-an-address';

/** Every question that has a secret, or whose answer has one, with a route or without: what creates records first, what deletes them last. */
const order = (contract: RequestContract): number =>
  [/^(save|set|create)/, /^(?!delete)/, /./].findIndex((names) => names.test(nameOf(contract)));
const bearing = [...contractByName.values()]
  .filter((contract): contract is RequestContract => contract.kind === 'request')
  .filter(({ request, reply }) => canHoldSecret(request) || canHoldSecret(reply))
  .toSorted((one, other) => order(one) - order(other));
const spans = new InMemorySpanExporter();
const logged = new PassThrough({ encoding: 'utf8' });
const logger = createLogger({ level: 'debug', isReadable: false, writesPii: false, destination: logged });
let log = '';
logged.on('data', (lines: string) => (log += lines));

/** Questions whose examples have no secret of the kind that is stored, or one that is checked. */
const own: Readonly<Record<string, object>> = {
  saveRuntimeConfig: {
    AgentID: 1,
    Tools: [
      {
        name: 'order_status',
        description: 'Looks up an order.',
        url: `https://shop.example/${plantedPath}`,
        parameters: { type: 'object' },
        headers: [{ name: 'authorization', value: planted, isSecret: true }],
      },
    ],
  },
  saveCarrierAccount: {
    carrier: 'twilio',
    AccountName: 'Main line',
    country: 'IN',
    credentials: { accountSid: `AC${'7'.repeat(32)}`, authToken: planted },
  },
  saveCampaignWebhook: { CampaignKeyID: null, url: `https://crm.example/${plantedPath}`, secret: planted },
  setProviderKey: {
    providerKind: 'LLM',
    providerID: 5,
    key: planted,
    baseURL: `https://models.example.com/${plantedPath}`,
    model: 'qwen3-8b',
  },
  testProviderKey: { providerKind: 'LLM', providerID: 5, key: planted, baseURL: `https://models.invalid/${plantedPath}` },
};

/** The same value with other secrets. */
function withPlanted(schema: z.ZodType, value: unknown): unknown {
  const secrets = secretsOf(schema, value).filter((each) => each !== secretMask);
  return JSON.parse(JSON.stringify(value), (_name, field: unknown) => {
    if (typeof field !== 'string' || !secrets.includes(field)) return field;
    return URL.canParse(field) ? `${new URL(field).origin}/${plantedPath}` : planted;
  });
}

describe('secrets on their way through the platform', () => {
  let platform: WholePlatform;
  let tenant: Tenant;
  let admin: Client;
  let agentKey: string;
  let agentPrincipal: Principal;
  /** The secrets that were in the answers to each contract, and how often its questions with one were answered. */
  const told = new Map<string, Set<string>>();
  const answered = new Map<string, number>();
  const overHttp = new Set<string>();
  const refusals: string[] = [];

  beforeAll(async () => {
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    trace.setGlobalTracerProvider(
      new TracerProvider({ sampler: new AlwaysOnSampler(), spanProcessors: [new SimpleSpanProcessor({ exporter: spans })] }),
    );
    platform = await startWholePlatform({ logger });
    admin = new Client({ connectionString: platform.adminUrl });
    await admin.connect();
    tenant = await createTenant(platform, 'Quokka Traders');
    const { owner: principal, ids } = tenant;
    const agent = saveAgent.request.parse(examplesOf(saveAgent.request)[0]);
    const { AgentID, AgentKeyID } = await platform.bus.ask(saveAgent, agent, { principal });
    const widget = { name: 'Shop front', AgentKeyID, allowedOrigins: ['https://shop.example'] };
    agentPrincipal = { kind: 'agt', keyId: 'test', orgId: principal.orgId, agentId: AgentID };
    ({ key: agentKey } = await platform.bus.ask(createKey, { name: 'test', kind: 'agt', AgentKeyID }, { principal }));
    const { WidgetKeyID } = await platform.bus.ask(saveWidget, widget, { principal });
    for (const [name, id] of Object.entries({ AgentID, AgentKeyID, WidgetKeyID })) ids.set(name, id);
  });
  afterAll(async () => {
    await admin.end();
    await platform.stop();
    trace.disable();
    context.disable();
    propagation.disable();
  });

  const note = (contract: RequestContract, reply: unknown): void => {
    gather(tenant, JSON.stringify(reply));
    const secrets = secretsOf(contract.reply, reply).filter((each) => each !== secretMask && !isMaskedAddress(each));
    // A mail contains its token.
    const words = secrets.flatMap((each) => each.match(/\binv_[\w-]+/g) ?? [each]);
    told.set(nameOf(contract), new Set([...(told.get(nameOf(contract)) ?? []), ...words]));
  };
  const count = ({ request }: RequestContract, name: string, body: unknown): void => {
    if (secretsOf(request, body).length > 0) answered.set(name, (answered.get(name) ?? 0) + 1);
  };

  /** The token of a new invitation, from its mail. */
  const newInvitation = async (): Promise<string> => {
    const email = `${randomUUID()}@tenant.example`;
    const held = { roleTypeID: 2, userType: 'Web', agentAccessScope: 'ALL' } as const;
    await platform.bus.ask(saveInvite, { action: 'ADD', emails: [email], ...held }, { principal: tenant.owner });
    const { rows } = await platform.bus.ask(listMailOutbox, { searchName: email }, { principal: tenant.owner });
    return /inv_[\w-]+/.exec(rows[0]?.text ?? '')?.[0] ?? '';
  };
  const bodiesOf = async (contract: RequestContract): Promise<unknown[]> => {
    const name = nameOf(contract);
    if (name === 'acceptInvite') return [{ token: await newInvitation() }];
    const examples = examplesOf(contract.request).map((example) => withPlanted(contract.request, example));
    return [...(own[name] ? [own[name]] : examples)].map((body) => filled(body, tenant.ids));
  };

  const askAll = async (contract: RequestContract): Promise<void> => {
    for (const body of await bodiesOf(contract)) {
      try {
        const principal = nameOf(contract) === 'createWidgetToken' ? agentPrincipal : tenant.owner;
        note(contract, await platform.bus.ask(contract, body, { principal }));
        count(contract, nameOf(contract), body);
      } catch (error) {
        refusals.push(`${nameOf(contract)} ${String(error)}`);
      }
    }
  };
  const sendAll = async (endpoint: (typeof askedEndpoints)[number], contract: RequestContract): Promise<void> => {
    const kind = kindFor(endpoint);
    const key = kind === 'agt' ? agentKey : keyOf(tenant, kind);
    for (const body of await bodiesOf(contract)) {
      const mistaken = JSON.parse(JSON.stringify(body), (_name, field: unknown) => (field === planted ? { deep: field } : field));
      const headers = { 'idempotency-key': randomUUID() };
      for (const sent of [{ body, headers }, { body, headers }, { body: mistaken }]) {
        const { status, text: answer } = await send(platform.url, key, { endpoint, ...sent });
        if (status >= 400) refusals.push(answer);
        for (const [token] of answer.matchAll(/\b(?:agt|ext|wsk|sst|wgt|inv)_[\w-]{20,}/g)) overHttp.add(token);
      }
    }
  };

  it('are sent and told by every contract that has one', async () => {
    for (const contract of bearing) {
      await askAll(contract);
      for (const endpoint of askedEndpoints.filter((each) => each.contract === contract)) await sendAll(endpoint, contract);
    }
    const names = (contracts: readonly RequestContract[]) => contracts.map(nameOf).toSorted();
    expect([...told.keys()].toSorted()).toEqual(names(bearing));
    expect([...answered.keys()].toSorted()).toEqual(names(bearing.filter(({ request }) => canHoldSecret(request))));
    // The others show masks and addresses.
    const telling = [
      'createKey',
      'createSessionToken',
      'createWidgetToken',
      'listMailOutbox',
      'readAgentRuntime',
      'readProviderSecret',
    ];
    expect([...told.keys()].filter((name) => (told.get(name)?.size ?? 0) > 0).toSorted()).toEqual([...telling, 'rotateKey']);
    expect(told.get('readAgentRuntime')).toContain(planted);
  });

  /** All that were sent or told. */
  const secrets = (): string[] => [
    ...new Set([planted, agentKey, ...overHttp, ...[...told.values()].flatMap((each) => [...each])]),
  ];

  it('are in no refusal, log or trace', async () => {
    logger.error('A line', { error: new Error('canary of a line') });
    trace
      .getTracer('test')
      .startSpan('a span', { attributes: { secret: 'canary of a span' } })
      .end();
    const traced = spans.getFinishedSpans().map(({ name, attributes, events, status }) => ({ name, attributes, events, status }));
    const kept = { refusals: refusals.join(), log, traces: JSON.stringify(traced) };
    expect(kept).toMatchObject({
      log: expect.stringContaining('canary of a line'),
      traces: expect.stringContaining('canary of a span'),
    });
    expect(traced.length).toBeGreaterThan(bearing.length);
    expect(log).toContain('Service started');
    expect(refusals.length).toBeGreaterThan(0);
    const all = [...secrets(), plantedPath];
    expect(
      Object.entries(kept).flatMap(([where, text]) => all.filter((each) => text.includes(each)).map((each) => [where, each])),
    ).toEqual([]);
  });

  it('are in no table in clear, but for the token in a mail that waits to be sent', async () => {
    expect([overHttp.size > 4, secrets().length > 10]).toEqual([true, true]);
    expect(new Set(await tablesWith(secrets()))).toEqual(new Set(['team.mails']));
  });

  // The contract returns them to those who may change them, and a repeated request gets the same answer for a day.
  it('are, if they are addresses, only in tables of their services and in answers that may be repeated', async () => {
    const tables = await tablesWith([plantedPath]);
    const ofServices = ['agents.agents', 'agents.agent_versions', 'agents.provider_keys', 'telephony.campaign_webhooks'];
    expect(new Set(tables)).toEqual(new Set([...ofServices, 'gateway.idempotent_requests']));
  });

  const tablesWith = async (wanted: readonly string[]): Promise<string[]> => {
    const { rows } = await admin.query<{ name: string }>(
      `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`,
    );
    const found: string[] = [];
    for (const { name } of rows) {
      const kept = await admin.query<{ row: string }>(`SELECT t::text AS row FROM ${name} t`);
      const whole = kept.rows.map(({ row }) => decoded(row)).join('\n');
      if (wanted.some((secret) => whole.includes(secret))) found.push(name);
    }
    return found;
  };
});

/** Bytes appear in a row as hexadecimal digits. */
function decoded(row: string): string {
  return row.replace(/\\\\x([0-9a-f]+)/g, (_all, hex: string) => Buffer.from(hex, 'hex').toString());
}
