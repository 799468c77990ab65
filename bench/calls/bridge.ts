// The measured process: the telephony bridge as it is deployed. `node bridge.js <nats> <database>`; says `ready`, ends when it is killed.
import { telephonyBridge } from '@parley/apps/telephony-bridge';
import { NatsTransport } from '@parley/messaging';
import { createLogger, Metrics, startService } from '@parley/service-kit';

async function main(): Promise<void> {
  const [servers = '', databaseUrl = ''] = process.argv.slice(2);
  const transport = await NatsTransport.connect({ servers, name: 'bridge' });
  const logger = createLogger({ level: 'error', isReadable: false, writesPii: false });
  await startService(telephonyBridge, { environment: process.env, transport, databaseUrl, logger, metrics: new Metrics() });
  process.stdout.write('ready\n');
}

void main();
