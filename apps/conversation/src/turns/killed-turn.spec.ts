import { once } from 'node:events';
import { getConversationLog, getHistory, listConversationLogs, type Principal, streamTurn } from '@parley/contracts';
import { NatsTransport, TransportBus } from '@parley/messaging';
import { createLogger, Metrics, type RunningService, startService } from '@parley/service-kit';
import {
  killHard,
  testDatabase,
  type TestDatabase,
  TestNats,
  type TypeScriptProcess,
  typeScriptProcess,
  wholeAnswer,
} from '@parley/testing';
import { Client } from 'pg';
import { anAgent, Surroundings } from '../surroundings.suite';
import { words } from './turn-process.fake';

const source = 'apps/conversation/src/turns/turn-process.fake.ts';
const orgId = 1;

/** The other services run in this process; the killed one runs in its own, over NATS. */
describe('a turn whose service is killed', () => {
  let database: TestDatabase;
  let nats: TestNats;
  let transport: NatsTransport;
  let bus: TransportBus;
  let admin: Client;
  let victim: TypeScriptProcess;
  const neighbours: { readonly service: RunningService; readonly transport: NatsTransport }[] = [];
  const agent = anAgent({ KBID: null });
  const caller: Principal = { kind: 'agt', keyId: 'spec', orgId, agentId: agent.AgentID };
  const owner: Principal = { kind: 'wsk', keyId: 'spec', orgId, userId: 1, roleTypeId: 1 };

  beforeAll(async () => {
    [database, nats] = await Promise.all([testDatabase(), TestNats.start()]);
    const surroundings = new Surroundings();
    surroundings.agents.set(orgId, [agent]);
    for (const definition of surroundings.services()) {
      const logger = createLogger({ level: 'silent', isReadable: false, writesPii: false });
      const place = await NatsTransport.connect({ servers: nats.url, name: definition.name });
      const host = { environment: {}, transport: place, databaseUrl: database.url, logger, metrics: new Metrics() };
      neighbours.push({ service: await startService(definition, host), transport: place });
    }
    transport = await NatsTransport.connect({ servers: nats.url, name: 'spec' });
    bus = new TransportBus(transport);
    admin = new Client({ connectionString: database.adminUrl });
    await admin.connect();
  });
  afterAll(async () => {
    await killHard(victim);
    bus.close();
    await transport.close();
    for (const { service, transport: place } of neighbours) {
      await service.stop();
      await place.close();
    }
    await admin.end();
    await Promise.all([database.close(), nats.stop()]);
  });

  const startVictim = async () => {
    victim = typeScriptProcess(source, 'answerUntilKilled', nats.url, database.url);
    await once(victim.stdout, 'data');
  };
  const asCaller = { principal: caller };
  const said = async (sessionUUID: string) => (await bus.ask(getHistory, { sessionUUID }, asCaller)).chatHistory;
  /** Kills the service after this many words of the answer; returns the caller's outcome. */
  const killedAfter = async (deltas: number, question: string, sessionUUID: string) => {
    let heard = 0;
    try {
      for await (const { type } of bus.stream(streamTurn, { question, sessionUUID }, asCaller)) {
        if (type === 'done') return 'answered';
        if (type === 'delta') heard += 1;
        if (heard >= deltas) victim.kill('SIGKILL');
      }
      return 'answered';
    } catch (error) {
      return error;
    } finally {
      await killHard(victim);
    }
  };

  it.each([0, 1, words / 2, words])(
    'fails at once for its caller, is in history whole or not at all, and lets the next turn in: killed at word %d',
    async (deltas) => {
      await startVictim();
      const { sessionUUID } = await wholeAnswer(bus, { question: 'hello' }, asCaller);
      const outcome = await killedAfter(deltas, 'a question that dies', sessionUUID);
      const isAnswered = outcome === 'answered';
      // The service is gone: the gateway releases the hold.
      if (!isAnswered) expect(outcome).toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
      // Fifteen seconds without a sign of life, on a fake clock.
      await admin.query(`UPDATE conversation.sessions SET busy_until = now() - interval '1 second' WHERE busy_until IS NOT NULL`);

      await startVictim();
      const next = await wholeAnswer(bus, { question: 'and now?', sessionUUID }, asCaller);
      expect(next.answer.trim().split(' ')).toHaveLength(words);
      const history = await said(sessionUUID);
      expect(history.map(({ sender }) => sender)).toEqual(history.map((_, place) => (place % 2 === 0 ? 'user' : 'assistant')));
      const found = history.findIndex(({ text }) => text === 'a question that dies');
      if (isAnswered) expect(found).toBe(2);
      if (found >= 0) expect(history[found + 1]?.text.trim().split(' ')).toHaveLength(words);
      await expect(logged(sessionUUID)).resolves.toMatchObject({ text: 'a question that dies', isInterrupted: found < 0 });
      await killHard(victim);
    },
  );

  async function logged(sessionUUID: string) {
    const { rows } = await bus.ask(listConversationLogs, { search: 'question that dies' }, { principal: owner });
    const row = rows.find((each) => each.sessionUUID === sessionUUID);
    const choice = { ConversationalLogKeyID: row?.ConversationalLogKeyID ?? '' };
    const { turns } = await bus.ask(getConversationLog, choice, { principal: owner });
    return turns.find(({ sender, text }) => sender === 'user' && text === 'a question that dies');
  }
});
