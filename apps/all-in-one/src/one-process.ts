import { InProcessBroker, TransportBus } from '@parley/messaging';
import { startService, type ProcessParts, type RunningService } from '@parley/service-kit';
import { gateway } from '@parley/apps/gateway';
import { telephonyBridge } from '@parley/apps/telephony-bridge';
import { type Ground, type Platform, servicesBehindTheDoor } from './platform';

/** Every service in this process: separate Nest applications that meet over an in-process broker. */
export async function startInOneProcess(ground: Ground, parts: ProcessParts): Promise<Platform> {
  const broker = new InProcessBroker();
  const running: RunningService[] = [];
  const start = async (definition: Parameters<typeof startService>[0]): Promise<RunningService> => {
    const service = await startService(definition, {
      ...parts,
      environment: ground.environment,
      transport: broker.connect(),
      ...(definition.database && { databaseUrl: ground.databaseUrlOf(definition.database.schema) }),
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
    return { baseUrls: [`http://${ground.options.host}:${door.httpPort}`], bus, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/**
 * The doors first: what is in flight still finds the services behind them. Calls end before the gateway does, which holds the credits
 * that they use.
 */
export function inOrderOfStopping<Named extends Pick<RunningService, 'name'>>(running: readonly Named[]): Named[] {
  const doors: string[] = [telephonyBridge.name, gateway.name];
  const placeOf = ({ name }: Named): number => (doors.includes(name) ? doors.indexOf(name) : doors.length);
  return running.toReversed().sort((one, other) => placeOf(one) - placeOf(other));
}
