import { migrateSchema } from '@parley/database';
import { DatabaseVariables, exitCodes, lastWords, loadConfiguration, processEnvironment } from '@parley/service-kit';
import { services } from './services';

/** Brings every schema up to date and ends: the migration job of Compose and Kubernetes. */
async function migrate(): Promise<void> {
  const { DATABASE_URL } = loadConfiguration(DatabaseVariables, processEnvironment());
  for (const { database } of services) {
    if (!database) continue;
    const migrations = await migrateSchema(database, DATABASE_URL);
    process.stdout.write(`${database.schema}: ${migrations.length ? migrations.join(', ') : 'up to date'}\n`);
  }
}

migrate().catch((error: unknown) => {
  lastWords('migrate', error instanceof Error ? error.message : String(error));
  process.exit(exitCodes.failed);
});
