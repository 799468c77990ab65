// The measured process: the telephony bridge as it is deployed. `node bridge.js <nats> <database>`; says `ready`, for each line that it
// reads how punctual its loop was, and ends when it is killed.
import { telephonyBridge } from '@parley/apps/telephony-bridge';
import { NatsTransport } from '@parley/messaging';
import { createLogger, Metrics, startService } from '@parley/service-kit';
import { watchLoop } from '../measure/loop-watch';

async function main(): Promise<void> {
  const [servers = '', databaseUrl = ''] = process.argv.slice(2);
  const transport = await NatsTransport.connect({ servers, name: 'bridge' });
  const logger = createLogger({ level: 'error', isReadable: false, writesPii: false });
  await startService(telephonyBridge, { environment: process.env, transport, databaseUrl, logger, metrics: new Metrics() });
  const look = watchLoop();
  process.stdout.write('ready\n');
  process.stdin.on('data', () => process.stdout.write(`${JSON.stringify(look())}\n`));
}

void main();
