import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { contractByName, type MessageContract } from '@parley/contracts';
import { InProcessBroker } from '@parley/messaging';
import { loadConfiguration, openProcess, ProcessVariables, startService, type ProcessParts, type RunningService } from '@parley/service-kit';
import { testDatabase, type TestDatabase } from '@parley/testing';
import { handWritten, notYet } from '@parley/apps/gateway';
import { services } from './services';

const home = mkdtempSync(path.join(tmpdir(), 'parley-answered-'));
const environment = {
  PORT: '0',
  ADMIN_PORT: '0',
  PARLEY_LOG_LEVEL: 'error',
  PARLEY_ENVIRONMENT: 'development',
  PARLEY_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
  FILES_DIR: path.join(home, 'files'),
  VECTORS_DIR: path.join(home, 'vectors'),
};
const broker = new InProcessBroker();
const running: RunningService[] = [];
let database: TestDatabase;
let parts: ProcessParts;

beforeAll(async () => {
  database = await testDatabase();
  parts = await openProcess('answered', loadConfiguration(ProcessVariables, environment));
  for (const definition of services) {
    running.push(await startService(definition, { ...parts, environment, transport: broker.connect(), databaseUrl: database.url }));
  }
}, 60_000);

afterAll(async () => {
  for (const service of running.toReversed()) await service.stop();
  await parts.close();
  await database.close();
  rmSync(home, { recursive: true, force: true });
});

/** Whether anybody would receive a message on this subject. */
function isHeard(subject: string): Promise<boolean> {
  const line = broker.connect();
  return new Promise((resolve) => {
    const inbox = `probe.${subject}`;
    line.subscribe(inbox, ({ nobodyListens }) => resolve(!nobodyListens));
    line.publish(subject, new Uint8Array(), { reply: inbox });
  });
}

const answerable = [...contractByName].filter((entry): entry is [string, MessageContract] => entry[1].kind !== 'event');
const promised = answerable.filter(([name]) => !notYet.some((waiting) => waiting === name));
/** What leaves the tables also waits for its handler at the gateway, after its service has learned to answer. */
const waitsForTheGateway = new Set(handWritten.map(({ contract }) => contract.subject));
const unanswered = answerable.filter(
  ([name, { subject }]) => notYet.some((waiting) => waiting === name) && !waitsForTheGateway.has(subject),
);

it.each(promised)('%s is answered by its service', async (_name, { subject }) => {
  expect(await isHeard(subject)).toBe(true);
});

it.each(unanswered)('%s leaves the list of what is not answered yet once it is answered', async (_name, { subject }) => {
  expect(await isHeard(subject)).toBe(false);
});
