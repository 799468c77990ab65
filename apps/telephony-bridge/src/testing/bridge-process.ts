import { NatsTransport } from '@parley/messaging';
import { createLogger, Metrics, startService } from '@parley/service-kit';
import type { TelephonyConfiguration } from '../config';
import { telephonyBridge } from '../service';
import { TelephonyBridgeModule } from '../telephony-bridge.module';
import { paperCarrier } from './paper-carrier';

/** A replica of the bridge in a process that a test may kill. Says `ready` once it answers. */
export async function runBridge(natsUrl: string, databaseUrl: string, port: string, publicUrl: string): Promise<void> {
  const carriers = [paperCarrier];
  const definition = {
    ...telephonyBridge,
    module: (config: TelephonyConfiguration) => TelephonyBridgeModule.with(config, carriers),
  };
  const transport = await NatsTransport.connect({ servers: natsUrl, name: 'bridge' });
  const environment = { PARLEY_SECRET_KEY: 'spec'.padEnd(32, '.'), TELEPHONY_PORT: port, TELEPHONY_PUBLIC_URL: publicUrl };
  const logger = createLogger({ level: 'silent', isReadable: false, writesPii: false });
  await startService(definition, { environment, transport, databaseUrl, logger, metrics: new Metrics() });
  process.stdout.write('ready\n');
}
