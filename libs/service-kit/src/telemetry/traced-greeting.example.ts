import { InProcessBroker } from '@parley/messaging';
import { askForGreeting, doorService, greetingService } from '../example/greeting.example';
import { DatabaseVariables, loadConfiguration, openProcess, processEnvironment, ProcessVariables, startService } from '../index';

/** One greeting for a caller with a trace of its own; prints only what a scraper receives afterwards. */
async function greetOnce(): Promise<void> {
  const environment = processEnvironment();
  const parts = await openProcess('spec', loadConfiguration(ProcessVariables, environment));
  const broker = new InProcessBroker();
  const { DATABASE_URL: databaseUrl } = loadConfiguration(DatabaseVariables, environment);
  const place = { ...parts, environment, databaseUrl };
  const speech = await startService(greetingService, { ...place, transport: broker.connect() });
  const gateway = await startService(doorService, { ...place, transport: broker.connect() });
  const response = await askForGreeting(`http://127.0.0.1:${gateway.httpPort}`, {
    traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
  });
  await response.text();
  await gateway.stop();
  await speech.stop();
  const accept = 'application/openmetrics-text';
  const metrics = await fetch(`http://127.0.0.1:${parts.adminPort}/metrics`, { headers: { accept } });
  process.stdout.write(await metrics.text());
  await parts.close();
}

void greetOnce();
