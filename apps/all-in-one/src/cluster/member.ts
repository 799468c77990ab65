import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { serviceNames, type ServiceName } from '@parley/contracts';
import { freePort } from '../door-port';
import { OptionProblem } from '../options';
import type { Ground } from '../platform';
import { services } from '../services';
import type { ProcessPlan } from './supervised-process';

const readyTimeoutMs = 60_000;
// In a larger young generation what a request leaves behind dies instead of being copied: 8 % less CPU a request. The image has it, too.
const serviceFlags = ['--enable-source-maps', '--max-semi-space-size=32'];

/** One replica of one service: where it will be and how it is started. */
export interface Member {
  readonly name: string;
  readonly service: ServiceName;
  readonly adminPort: number;
  readonly doorPort: number | undefined;
  /** Where carriers come, of a telephony bridge. */
  readonly telephonyPort: number;
  readonly plan: ProcessPlan;
}

type EnvironmentOf = (service: ServiceName) => NodeJS.ProcessEnv;

/** Every replica that was asked for; the gateways on consecutive ports. */
export async function planMembers(ground: Ground, brokerOf: EnvironmentOf): Promise<Member[]> {
  const members: Member[] = [];
  for (const service of serviceNames) {
    for (let index = 0; index < (ground.options.replicas.get(service) ?? 1); index += 1) {
      const doorPort = service === 'gateway' ? await doorPortOf(ground, index) : undefined;
      const telephonyPort = index === 0 ? ground.telephonyPort : await freePort();
      members.push(
        planMember(ground, brokerOf, {
          service,
          name: `${service}.${index + 1}`,
          doorPort,
          telephonyPort,
          adminPort: await freePort(),
        }),
      );
    }
  }
  return members;
}

async function doorPortOf({ options, doorPort }: Ground, index: number): Promise<number> {
  if (index === 0) return doorPort;
  return options.port === 0 ? freePort() : options.port + index;
}

function planMember(ground: Ground, brokerOf: EnvironmentOf, place: Omit<Member, 'plan'>): Member {
  const entry = path.resolve(__dirname, '../../..', place.service, 'src/main.js');
  const schema = services.find(({ name }) => name === place.service)?.database?.schema;
  const environment = {
    ...ground.environment,
    ...brokerOf(place.service),
    DATABASE_URL: schema && ground.databaseUrlOf(schema),
    ADMIN_HOST: '127.0.0.1',
    ADMIN_PORT: String(place.adminPort),
    HOST: ground.options.host,
    PORT: String(place.doorPort ?? 0),
    TELEPHONY_PORT: String(place.telephonyPort),
  };
  return { ...place, plan: { name: place.name, command: process.execPath, args: [...serviceFlags, entry], environment } };
}

/** Resolves once the service says that it can work; refuses when it has not by then, or has given up. */
export async function becomesReady({ name, adminPort }: Member, refused: AbortSignal): Promise<void> {
  for (const giveUpAtMs = Date.now() + readyTimeoutMs; Date.now() < giveUpAtMs; await delay(50)) {
    refused.throwIfAborted();
    const answer = await fetch(`http://127.0.0.1:${adminPort}/health/ready`, { signal: AbortSignal.timeout(2_000) }).catch(
      () => undefined,
    );
    if (answer?.ok) return;
  }
  throw new OptionProblem(`${name} did not become ready in ${readyTimeoutMs / 1000} s; its own words stand above.`);
}
