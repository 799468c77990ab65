// The measured process: the telephony bridge as deployed. `node bridge.js <nats> <database>` prints `ready`, then for each line
// of input how late its event loop was, and runs until it is killed.
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
