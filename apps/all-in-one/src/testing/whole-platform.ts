import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { InProcessBroker, TransportBus, type ServiceBus, type Transport } from '@parley/messaging';
import {
  loadConfiguration,
  type Logger,
  openProcess,
  ProcessVariables,
  startService,
  type RunningService,
} from '@parley/service-kit';
import { testDatabase } from '@parley/testing';
import { freePort } from '../config';
import { plentyOfCredits } from '../on-this-machine';
import { inOrderOfStopping, services } from '../platform';

/** Every service of the platform in this process, with its own database and files. */
export interface WholePlatform {
  readonly url: string;
  readonly broker: InProcessBroker;
  readonly bus: ServiceBus;
  /** The address of its database for a superuser. */
  readonly adminUrl: string;
  /** The folder of its files and vectors. */
  readonly home: string;
  stop(): Promise<void>;
}

/** What a test may place between the services. */
interface Surroundings {
  readonly environment?: NodeJS.ProcessEnv;
  /** What the services log to; by default, nothing is logged. */
  readonly logger?: Logger;
  /** How a service connects to the others; by default within this process. */
  connect?(service: string): Promise<Transport>;
  /** The address through which services reach their database. */
  databaseUrl?(url: string): Promise<string>;
}

/** Starts the services as the host does: one after the other, the gateway last. */
export async function startWholePlatform(surroundings: Surroundings = {}): Promise<WholePlatform> {
  const home = mkdtempSync(path.join(tmpdir(), 'parley-whole-'));
  const telephonyPort = await freePort();
  const environment = {
    PORT: '0',
    ADMIN_PORT: '0',
    TELEPHONY_PORT: String(telephonyPort),
    CARRIERS_IN_PRIVATE_NETWORKS: 'true',
    PARLEY_LOG_LEVEL: 'silent',
    PARLEY_ENVIRONMENT: 'development',
    PARLEY_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
    PARLEY_INITIAL_CREDITS: plentyOfCredits,
    FILES_DIR: path.join(home, 'files'),
    VECTORS_DIR: path.join(home, 'vectors'),
    ...surroundings.environment,
  };
  const broker = new InProcessBroker();
  const connect = surroundings.connect ?? (async () => broker.connect());
  const database = await testDatabase();
  const databaseUrl = (await surroundings.databaseUrl?.(database.url)) ?? database.url;
  const parts = await openProcess('test', loadConfiguration(ProcessVariables, environment));
  const { logger = parts.logger } = surroundings;
  const running: RunningService[] = [];
  const start = async (definition: Parameters<typeof startService>[0]): Promise<void> => {
    running.push(
      await startService(definition, { ...parts, logger, environment, transport: await connect(definition.name), databaseUrl }),
    );
  };
  for (const definition of services) await start(definition);
  const bus = new TransportBus(await connect('host'));
  const stop = async (): Promise<void> => {
    bus.close();
    for (const service of inOrderOfStopping(running)) await service.stop();
    await parts.close();
    await database.close();
    rmSync(home, { recursive: true, force: true });
  };
  const { adminUrl } = database;
  return { url: `http://127.0.0.1:${running.at(-1)?.httpPort}`, broker, bus, adminUrl, home, stop };
}
