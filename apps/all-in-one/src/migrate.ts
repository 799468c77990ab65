import { migrateSchema } from '@parley/database';
import { prepareEvents } from '@parley/messaging';
import {
  BrokerVariables,
  DatabaseVariables,
  eventStore,
  exitCodes,
  lastWords,
  loadConfiguration,
  natsCredentials,
  processEnvironment,
  whileNatsIsAwaited,
} from '@parley/service-kit';
import { schemas } from './platform';

/** Migrates every schema and every event stream, then exits: the migration job of Compose and Kubernetes. */
async function migrate(): Promise<void> {
  const { DATABASE_URL } = loadConfiguration(DatabaseVariables, processEnvironment());
  const broker = loadConfiguration(BrokerVariables, processEnvironment());
  for (const database of schemas) {
    const migrations = await migrateSchema(database, DATABASE_URL);
    process.stdout.write(`${database.schema}: ${migrations.length ? migrations.join(', ') : 'up to date'}\n`);
  }
  await whileNatsIsAwaited(
    broker,
    ({ nats, reason }) => process.stdout.write(`events: waiting for NATS at ${nats}: ${reason}\n`),
    () => prepareEvents({ servers: broker.NATS_URL, credentials: natsCredentials(broker), ...eventStore(broker) }),
  );
  process.stdout.write('events: up to date\n');
}

migrate().catch((error: unknown) => {
  lastWords('migrate', error instanceof Error ? error.message : String(error));
  process.exit(exitCodes.failed);
});
