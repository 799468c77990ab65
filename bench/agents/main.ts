// `npm run bench -- agents`: what it costs to read one agent and to page through ten thousand, and how soon other services learn
// of a change.
import { agentConfig } from '@parley/apps/agent-config';
import { agentChanged, getAgent, listAgents, type Principal, readAgentRuntime, saveAgent } from '@parley/contracts';
import { startEmbeddedPostgres } from '@parley/database';
import { EventEnvelopeSchema, InProcessBroker, type ServiceBus, TransportBus } from '@parley/messaging';
import { createLogger, Metrics, startService } from '@parley/service-kit';
import type { z } from 'zod';
import { report, type Figures } from '../measure/report';
import { benchHome } from '../measure/running-platform';

const agentCount = 10_000;
const readsPerRound = 4000;
const changes = 200;
const principal: Principal = { kind: 'wsk', keyId: 'bench', orgId: 1, memberId: 'bench' };
const decisions = {
  TemplateID: 0,
  AgentDescription: 'You are the front desk of Demo Bazaar.',
  AgentTypeID: 1,
  RegionTypeID: 1,
  TimeZoneID: 1,
  IndustryTypeID: 1,
  LanguageID: 1,
  ToneID: 1,
  IconID: 1,
};

async function main(): Promise<void> {
  const home = benchHome();
  const postgres = await startEmbeddedPostgres({ home: home.directory });
  const broker = new InProcessBroker();
  const logger = createLogger({ level: 'error', isReadable: true, writesPii: false });
  const environment = { PARLEY_SECRET_KEY: 'bench'.padEnd(32, '.') };
  const host = { environment, transport: broker.connect(), databaseUrl: postgres.url, logger, metrics: new Metrics() };
  const service = await startService(agentConfig, host);
  try {
    report('agents', await measure(broker));
  } finally {
    await service.stop();
    await postgres.stop();
    home.remove();
  }
}

async function measure(broker: InProcessBroker): Promise<Figures[]> {
  const bus = new TransportBus(broker.connect());
  const { keys, figures } = await fill(bus);
  const anyKey = () => keys[Math.floor(Math.random() * keys.length)] ?? '';
  const reading = (AgentKeyID: string) => bus.ask(getAgent, { AgentKeyID }, { principal });
  const page = (query: z.input<typeof listAgents.request>) => () => bus.ask(listAgents, query, { principal });
  const deepest = agentCount / 200;
  return [
    figures,
    await timed('get-agent, 1 in flight', 1, () => reading(anyKey())),
    await timed('get-agent, 16 in flight', 16, () => reading(anyKey())),
    await timed('runtime of an agent, 16 in flight', 16, () =>
      bus.ask(readAgentRuntime, { AgentKeyID: anyKey() }, { principal }),
    ),
    await timed('list of 10,000: first 20', 1, page({}), 200),
    await timed('list of 10,000: last 200 by name', 1, page({ sortColumn: 'AgentName', pageNo: deepest, pageSize: 200 }), 200),
    await timed('list of 10,000: search', 1, page({ searchName: 'agent 99' }), 200),
    await measureNews(broker, bus, anyKey),
  ];
}

async function fill(bus: ServiceBus): Promise<{ keys: string[]; figures: Figures }> {
  const keys: string[] = [];
  const save = async () => {
    const AgentName = `Agent ${keys.length} ${Math.random().toString(36).slice(2, 8)}`;
    keys.push((await bus.ask(saveAgent, { ...decisions, AgentName }, { principal })).AgentKeyID);
  };
  return { figures: await timed('add-update-agent (new), 16 in flight', 16, save, agentCount), keys };
}

/** The time from the reply to a save until its event reaches another service. */
async function measureNews(broker: InProcessBroker, bus: ServiceBus, anyKey: () => string): Promise<Figures> {
  const waiting = new Map<string, () => void>();
  await broker.connect().events.consume({ subject: agentChanged.subject, group: 'bench' }, async ({ data }) => {
    const { payload } = EventEnvelopeSchema.parse(JSON.parse(Buffer.from(data).toString()));
    const { AgentKeyID, Version } = agentChanged.payload.parse(payload);
    waiting.get(`${AgentKeyID}/${Version}`)?.();
    return 'done';
  });
  let version = 1;
  const AgentKeyID = anyKey();
  const change = async () => {
    version += 1;
    const { promise, resolve } = Promise.withResolvers<void>();
    waiting.set(`${AgentKeyID}/${version}`, resolve);
    await bus.ask(saveAgent, { ...decisions, AgentKeyID, AgentName: `Agent v${version}` }, { principal });
    await promise;
  };
  return timed('a change saved and heard elsewhere', 1, change, changes);
}

async function timed(what: string, inFlight: number, work: () => Promise<unknown>, rounds = readsPerRound): Promise<Figures> {
  const latencies: number[] = [];
  let left = rounds;
  const startedMs = performance.now();
  const worker = async () => {
    while (left > 0) {
      left -= 1;
      const askedMs = performance.now();
      await work();
      latencies.push(performance.now() - askedMs);
    }
  };
  await Promise.all(Array.from({ length: inFlight }, worker));
  const seconds = (performance.now() - startedMs) / 1000;
  latencies.sort((one, other) => one - other);
  const at = (share: number) => (latencies[Math.floor(latencies.length * share)] ?? 0).toFixed(2);
  return { what, 'per second': Math.round(rounds / seconds), 'p50 ms': at(0.5), 'p99 ms': at(0.99) };
}

void main();
