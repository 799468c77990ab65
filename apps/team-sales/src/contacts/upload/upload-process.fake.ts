import { writeSync } from 'node:fs';
import { NatsTransport } from '@parley/messaging';
import { createLogger, Metrics, startService } from '@parley/service-kit';
import { teamSales } from '../../service';

/** Runs the whole service in a process of its own, for a test to kill; reports when it is ready. */
export async function serveUntilKilled(natsUrl: string, databaseUrl: string, filesFolder: string): Promise<void> {
  await startService(teamSales, {
    environment: { FILES_DIR: filesFolder },
    transport: await NatsTransport.connect({ servers: natsUrl, name: 'team-sales' }),
    databaseUrl,
    logger: createLogger({ level: 'silent', isReadable: false, writesPii: false }),
    metrics: new Metrics(),
  });
  writeSync(1, 'serving\n');
}
