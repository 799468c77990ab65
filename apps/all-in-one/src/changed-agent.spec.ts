import { agentConfig } from '@parley/apps/agent-config';
import { conversation } from '@parley/apps/conversation';
import { type Principal, saveAgent } from '@parley/contracts';
import { NatsTransport, TransportBus } from '@parley/messaging';
import { createLogger, Metrics, type RunningService, type ServiceDefinition, startService } from '@parley/service-kit';
import { eventually, testDatabase, type TestDatabase, TestNats, wholeAnswer } from '@parley/testing';

// Conversations read an agent again after three seconds anyway. Here they remember for longer than any test: only news tells them.
jest.mock('lru-cache', () => {
  const actual = jest.requireActual<typeof import('lru-cache')>('lru-cache');
  class LRUCache extends actual.LRUCache<object, object> {
    constructor(options: ConstructorParameters<typeof actual.LRUCache<object, object>>[0]) {
      super('ttl' in options ? { ...options, ttl: 3_600_000 } : options);
    }
  }
  return { LRUCache };
});

const trials = 10;
const principal: Principal = { kind: 'wsk', keyId: 'spec', orgId: 1, memberId: 'owner', userId: 1, roleTypeId: 1 };
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

describe('a changed agent', () => {
  let nats: TestNats;
  let database: TestDatabase;
  let bus: TransportBus;
  const running: RunningService[] = [];

  const connections: NatsTransport[] = [];

  const connect = async () => {
    const connection = await NatsTransport.connect({ servers: nats.url, name: 'spec' });
    connections.push(connection);
    return connection;
  };
  const start = async (definition: ServiceDefinition) => {
    const logger = createLogger({ level: 'silent', isReadable: false, writesPii: false });
    const environment = { PARLEY_SECRET_KEY: 'spec'.padEnd(32, '.') };
    const host = { environment, transport: await connect(), databaseUrl: database.url, logger, metrics: new Metrics() };
    running.push(await startService(definition, host));
  };

  beforeAll(async () => {
    [nats, database] = await Promise.all([TestNats.start(), testDatabase()]);
    await start(agentConfig);
    await start(conversation);
    await start(conversation);
    bus = new TransportBus(await connect());
  });
  afterAll(async () => {
    bus.close();
    for (const service of running.toReversed()) await service.stop();
    for (const connection of connections) await connection.close();
    await Promise.all([nats.stop(), database.close()]);
  });

  it('is used by running conversations at every replica, by the news of it', async () => {
    const save = (AgentName: string, AgentKeyID: string | null) =>
      bus.ask(saveAgent, { ...decisions, AgentName, AgentKeyID }, { principal });
    const { AgentKeyID } = await save('Maya', null);
    const ask = (sessionUUID?: string) =>
      wholeAnswer(bus, { question: 'Who are you?', AgentKeyID, ...(sessionUUID && { sessionUUID }) }, { principal });
    // Several sessions, so that each replica has the agent cached before it changes.
    const sessions = await Promise.all(Array.from({ length: 4 }, async () => (await ask()).sessionUUID));
    const answers = () => Promise.all(sessions.map(async (sessionUUID) => (await ask(sessionUUID)).answer));

    for (let trial = 1; trial <= trials; trial += 1) {
      expect(new Set(await answers()).size).toBe(1);
      const name = `Maya ${trial}`;
      await save(name, AgentKeyID);
      await eventually('every conversation speaks as the new version', async () =>
        (await answers()).every((answer) => answer.includes(`I am ${name},`)),
      );
    }
  });
});
