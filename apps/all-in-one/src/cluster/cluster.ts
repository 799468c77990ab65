import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type ServiceName, serviceNames } from '@parley/contracts';
import { TransportBus } from '@parley/messaging';
import { describeConfiguration } from '@parley/service-kit';
import { freePort, OptionProblem } from '../config';
import { type LocalSetup, type Platform, services } from '../platform';
import { adminVariables, connectHost, environmentOf, openBroker } from './broker';
import { type ProcessPlan, SupervisedProcess } from './supervised-process';

/** Runs every service in a process of its own over NATS, restarted when it dies. */
export async function startCluster(setup: LocalSetup): Promise<Platform> {
  const nats = await openBroker(setup, process.stderr);
  if (nats.server) writeFileSync(setup.home.path('admin.env'), adminVariables(nats, setup.operatorDatabaseUrl), { mode: 0o600 });
  const members = await planMembers(setup, (service) => environmentOf(service, nats));
  const refusal = new AbortController();
  const processes = new Map(members.map((member) => [member, supervise(member, refusal)]));
  const roster = (): void => writeRoster(setup, processes, nats.server);
  nats.onRestart(roster);
  for (const supervised of processes.values()) supervised.start(roster);
  const transport = await connectHost(nats);
  const stop = async (): Promise<void> => {
    await transport.close();
    // Gateways and bridges stop first, while requests in progress still find the services behind them.
    await stopAll(processes, ({ doorPort }) => doorPort !== undefined);
    await stopAll(processes, ({ doorPort }) => doorPort === undefined);
    await nats.server?.stop();
  };
  try {
    await Promise.all(members.map((member) => becomesReady(member, refusal.signal)));
    // Two rounds of services, and the broker: long enough that whoever starts the cluster does not give up first and leave
    // processes behind.
    const stopSecondsMax = 2 * (setup.drainSeconds + killedAfterSeconds) + 10;
    const roster = setup.home.path('cluster.json');
    return { baseUrls: baseUrlsOf(members, setup), bus: new TransportBus(transport), stopSecondsMax, roster, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function supervise({ plan }: ClusterMember, refusal: AbortController): SupervisedProcess {
  const onRefusal = (name: string): void =>
    refusal.abort(new OptionProblem(`${name} refuses its configuration; its output is above.`));
  return new SupervisedProcess(plan, process.stderr, onRefusal);
}

async function stopAll(
  processes: Map<ClusterMember, SupervisedProcess>,
  which: (member: ClusterMember) => boolean,
): Promise<void> {
  await Promise.all([...processes].filter(([member]) => which(member)).map(([, supervised]) => supervised.stop()));
}

function baseUrlsOf(members: ClusterMember[], { options }: LocalSetup): [string, ...string[]] {
  const [first, ...rest] = members.flatMap(({ doorPort }) =>
    doorPort === undefined ? [] : [`http://${options.host}:${doorPort}`],
  );
  if (first === undefined) throw new OptionProblem('a cluster needs a gateway');
  return [first, ...rest];
}

/** Lists the processes, for operators and for tests that kill some of them. */
function writeRoster(
  { home }: LocalSetup,
  processes: Map<ClusterMember, SupervisedProcess>,
  nats: SupervisedProcess | undefined,
): void {
  const services = [...processes].map(([{ name, adminPort, doorPort }, { pid }]) => ({ name, pid, adminPort, doorPort }));
  const rows = nats ? [{ name: 'nats', pid: nats.pid }, ...services] : services;
  writeFileSync(home.path('cluster.json'), `${JSON.stringify(rows, null, 2)}\n`);
}

const readyTimeoutMs = 60_000;
/** A service still running this long after its time to finish is stuck. */
const killedAfterSeconds = 3;
// With a larger young generation, a request's garbage is freed before it would be copied: 8 % less CPU per request. The container
// image sets this too.
const serviceFlags = ['--require=./tools/own-source-maps.cjs', '--max-semi-space-size=32'];
/** Services that carry sound must not pause to return memory: see docs/voice.md. */
const carriesSound: ReadonlySet<ServiceName> = new Set(['gateway', 'speech', 'telephony-bridge']);

/** One replica of a service: where it listens and how it is started. */
interface ClusterMember {
  readonly name: string;
  readonly service: ServiceName;
  readonly adminPort: number;
  readonly doorPort: number | undefined;
  /** The port for carriers, if this is a telephony bridge. */
  readonly telephonyPort: number;
  readonly plan: ProcessPlan;
}

/** What determines where the replicas listen. */
type Placement = Omit<LocalSetup, 'home' | 'log'>;
type EnvironmentOf = (service: ServiceName) => NodeJS.ProcessEnv;

/** Every configured replica; the gateways on consecutive ports. */
export async function planMembers(setup: Placement, brokerOf: EnvironmentOf): Promise<ClusterMember[]> {
  const members: ClusterMember[] = [];
  for (const service of serviceNames) {
    for (let index = 0; index < (setup.options.replicas.get(service) ?? 1); index += 1) {
      const doorPort = service === 'gateway' ? await doorPortOf(setup, index) : undefined;
      const telephonyPort = index === 0 ? setup.telephonyPort : await freePort();
      members.push(
        planMember(setup, brokerOf, {
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

async function doorPortOf({ options, doorPort }: Placement, index: number): Promise<number> {
  if (index === 0) return doorPort;
  return options.port === 0 ? freePort() : options.port + index;
}

function planMember(setup: Placement, brokerOf: EnvironmentOf, place: Omit<ClusterMember, 'plan'>): ClusterMember {
  const entry = path.resolve(__dirname, '../../..', place.service, 'src/main.js');
  const schema = services.find(({ name }) => name === place.service)?.database?.schema;
  const environment = {
    ...withoutSecretsOfOthers(place.service, setup.environment),
    ...brokerOf(place.service),
    DATABASE_URL: schema && setup.databaseUrlOf(schema),
    ADMIN_HOST: '127.0.0.1',
    ADMIN_PORT: String(place.adminPort),
    HOST: setup.options.host,
    PORT: String(place.doorPort ?? 0),
    TELEPHONY_PORT: String(place.telephonyPort),
    // Only one process can listen on this port, so its replica takes all calls: the PBX knows a single address.
    ...(place.telephonyPort !== setup.telephonyPort && { AUDIOSOCKET_PORT: undefined }),
  };
  const flags = carriesSound.has(place.service) ? [...serviceFlags, '--no-memory-reducer'] : serviceFlags;
  const stopMsMax = (setup.drainSeconds + killedAfterSeconds) * 1_000;
  return { ...place, plan: { name: place.name, command: process.execPath, args: [...flags, entry], environment, stopMsMax } };
}

/** Passes a service only the secrets that it reads, so that it cannot leak others. */
function withoutSecretsOfOthers(service: ServiceName, environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const secrets = describeConfiguration(services).filter(({ isSecret }) => isSecret);
  const readers = Map.groupBy(secrets, ({ variable }) => variable);
  const isReader = (name: string): boolean =>
    readers.get(name)?.some((row) => row.service === service || row.service === 'every service') ?? true;
  return Object.fromEntries(Object.entries(environment).filter(([name]) => isReader(name)));
}

/** Resolves once the service is ready; rejects if that takes too long or the service has exited. */
async function becomesReady({ name, adminPort }: ClusterMember, refused: AbortSignal): Promise<void> {
  for (const giveUpAtMs = Date.now() + readyTimeoutMs; Date.now() < giveUpAtMs; await delay(50)) {
    refused.throwIfAborted();
    const answer = await fetch(`http://127.0.0.1:${adminPort}/health/ready`, { signal: AbortSignal.timeout(2_000) }).catch(
      () => undefined,
    );
    if (answer?.ok) return;
  }
  throw new OptionProblem(`${name} did not become ready in ${readyTimeoutMs / 1000} s; its output is above.`);
}
