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

/** What both forms of the platform on one machine are given. */
export interface LocalSetup {
  readonly options: Options;
  readonly home: Home;
  /** The port of the first gateway. */
  readonly doorPort: number;
  /** The port of the first telephony bridge. */
  readonly telephonyPort: number;
  /** Where the service that owns a schema connects, as the role that it is there. */
  databaseUrlOf(schema: string): string;
  /** Where the operator's command connects. */
  readonly operatorDatabaseUrl: string;
  /** The person's environment with what this machine adds: the secret key, the data directories. */
  readonly environment: NodeJS.ProcessEnv;
  /** For so long a service finishes its work once it is to stop. */
  readonly drainSeconds: number;
  readonly log: Logger;
}

/** The whole platform at work, in one process or in many. */
export interface Platform {
  /** Where the gateways answer; there is at least one. */
  readonly baseUrls: readonly [string, ...string[]];
  /** A line to the services for the host itself: it seeds the demo. */
  readonly bus: ServiceBus;
  /** How long its end may take. */
  readonly stopSecondsMax: number;
  stop(): Promise<void>;
}

/** The services behind the gateway, in any order: each starts alone and finds the others when it calls them. */
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

/** Every schema of the platform: each belongs to one service. */
export const schemas: readonly SchemaDefinition[] = services.flatMap(({ database }) => (database ? [database] : []));

/** Every service in this process: separate Nest applications that meet over an in-process broker. */
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
 * Gateways and bridges first: requests in progress still find the services behind them. Calls end before the gateway does, which
 * holds the credits that they use.
 */
export function inOrderOfStopping<Named extends Pick<RunningService, 'name'>>(running: readonly Named[]): Named[] {
  const doors: string[] = [telephonyBridge.name, gateway.name];
  const placeOf = ({ name }: Named): number => (doors.includes(name) ? doors.indexOf(name) : doors.length);
  return running.toReversed().sort((one, other) => placeOf(one) - placeOf(other));
}
