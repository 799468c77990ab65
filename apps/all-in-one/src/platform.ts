import { agentConfig } from '@parley/apps/agent-config';
import { conversation } from '@parley/apps/conversation';
import { dashboards } from '@parley/apps/dashboards';
import { gateway } from '@parley/apps/gateway';
import { knowledgeIngest } from '@parley/apps/knowledge-ingest';
import { speech } from '@parley/apps/speech';
import { teamSales } from '@parley/apps/team-sales';
import { telephonyBridge } from '@parley/apps/telephony-bridge';
import type { SchemaDefinition } from '@parley/database';
import { InProcessBroker, type ServiceBus, TransportBus } from '@parley/messaging';
import { type Logger, type ProcessParts, type RunningService, startService } from '@parley/service-kit';
import type { Home } from './home';
import type { Options } from './config';

/** The setup shared by both forms of the platform on one machine. */
export interface LocalSetup {
  readonly options: Options;
  readonly home: Home;
  /** The port of the first gateway. */
  readonly doorPort: number;
  /** The port of the first telephony bridge. */
  readonly telephonyPort: number;
  /** The database URL of the service that owns a schema, with that service's role. */
  databaseUrlOf(schema: string): string;
  /** The database URL of the operator's command. */
  readonly operatorDatabaseUrl: string;
  /** The user's environment plus this machine's additions: the secret key and the data directories. */
  readonly environment: NodeJS.ProcessEnv;
  /** How long a service may take to finish its work when it is stopped. */
  readonly drainSeconds: number;
  readonly log: Logger;
}

/** The running platform, in one process or in many. */
export interface Platform {
  /** The URLs of the gateways; there is at least one. */
  readonly baseUrls: readonly [string, ...string[]];
  /** The host's own connection to the services, with which it seeds the demo. */
  readonly bus: ServiceBus;
  /** How long stopping may take. */
  readonly stopSecondsMax: number;
  /** The file that lists the processes with their admin ports, if there are several. */
  readonly roster?: string;
  stop(): Promise<void>;
}

/** The services behind the gateway, in any order: each starts on its own and finds the others when it calls them. */
const servicesBehindTheDoor = [
  agentConfig,
  conversation,
  dashboards,
  knowledgeIngest,
  speech,
  teamSales,
  telephonyBridge,
] as const;

/** Every service of the platform. The gateway starts last, once every other service is ready. */
export const services = [...servicesBehindTheDoor, gateway] as const;

/** Every schema of the platform. Each belongs to one service. */
export const schemas: readonly SchemaDefinition[] = services.flatMap(({ database }) => (database ? [database] : []));

/** Runs every service in this process: separate Nest applications connected by an in-process broker. */
export async function startInOneProcess(setup: LocalSetup, parts: ProcessParts): Promise<Platform> {
  const broker = new InProcessBroker();
  const running: RunningService[] = [];
  const start = async (definition: Parameters<typeof startService>[0]): Promise<RunningService> => {
    const service = await startService(definition, {
      ...parts,
      environment: setup.environment,
      transport: broker.connect(),
      ...(definition.database && { databaseUrl: setup.databaseUrlOf(definition.database.schema) }),
    });
    running.push(service);
    return service;
  };
  const stop = async (): Promise<void> => {
    for (const service of inOrderOfStopping(running)) await service.stop();
  };
  try {
    await Promise.all(servicesBehindTheDoor.map((definition) => start(definition)));
    const door = await start(gateway);
    const bus = new TransportBus(broker.connect());
    const stopSecondsMax = setup.drainSeconds;
    return { baseUrls: [`http://${setup.options.host}:${door.httpPort}`], bus, stopSecondsMax, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/**
 * Gateways and bridges first, while requests in progress still find the services behind them. Calls end before the gateway, which
 * holds the credits they use.
 */
export function inOrderOfStopping<Named extends Pick<RunningService, 'name'>>(running: readonly Named[]): Named[] {
  const doors: string[] = [telephonyBridge.name, gateway.name];
  const placeOf = ({ name }: Named): number => (doors.includes(name) ? doors.indexOf(name) : doors.length);
  return running.toReversed().sort((one, other) => placeOf(one) - placeOf(other));
}
