import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import type { Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { ServiceName } from '@parley/contracts';
import {
  brokerUsers,
  type BrokerUser,
  type Caller,
  callerKey,
  callersWithKeys,
  type NatsCredentials,
  messageUses,
  NatsTransport,
  newCallKey,
  newNkey,
  prepareEvents,
  privateCallKey,
  renderNatsUsers,
  SignedPrincipals,
} from '@parley/messaging';
import { BrokerVariables, eventStore, loadConfiguration, natsCredentials } from '@parley/service-kit';
import { freePort, OptionProblem } from '../config';
import type { LocalSetup } from '../platform';
import { SupervisedProcess } from './supervised-process';

const startTimeoutMs = 10_000;
/** As in `deploy/stores/nats.conf`: a process that hangs stops receiving requests after 20 s. */
const hangs = 'ping_interval: "5s"\nping_max: 2\n';

type BrokerSetup = Pick<LocalSetup, 'environment' | 'home'>;
type CallKeys = ReadonlyMap<Caller, ReturnType<typeof newCallKey>>;
type Nkeys = ReadonlyMap<BrokerUser, ReturnType<typeof newNkey>>;

/** A NATS server and its users. */
interface Broker {
  readonly url: string;
  readonly callKeys: CallKeys;
  credentialsOf(user: BrokerUser): NatsCredentials;
  /** Absent if the operator runs NATS. */
  readonly server: SupervisedProcess | undefined;
  onRestart(tell: () => void): void;
}

/**
 * The NATS of a cluster on this machine: the operator's if NATS_URL is set, otherwise our own with JetStream, restarted when it
 * dies. Keys are generated at every start, and each process gets only its own.
 */
export async function openBroker(setup: BrokerSetup, log: Writable): Promise<Broker> {
  const { environment } = setup;
  const callKeys = new Map([...callersWithKeys, 'host' as const].map((caller) => [caller, newCallKey(caller)]));
  if (environment['NATS_URL']) return givenBroker(environment, callKeys);
  const nkeys = new Map(brokerUsers.map((user) => [user, newNkey()]));
  const { url, server, onRestart } = await startServer(setup, log, nkeys);
  const credentialsOf = (user: BrokerUser): NatsCredentials => ({ nkeySeed: nkeys.get(user)?.seed ?? '' });
  await prepareEvents({ servers: url, credentials: credentialsOf('setup') });
  return { url, callKeys, credentialsOf, server, onRestart };
}

/** A server that we do not run: every process uses the given credentials. */
async function givenBroker(environment: NodeJS.ProcessEnv, callKeys: CallKeys): Promise<Broker> {
  const variables = loadConfiguration(BrokerVariables, environment);
  const credentials = natsCredentials(variables);
  await prepareEvents({ servers: variables.NATS_URL, credentials, ...eventStore(variables) });
  return {
    url: variables.NATS_URL,
    callKeys,
    credentialsOf: () => credentials,
    server: undefined,
    onRestart: () => undefined,
  };
}

/** The broker settings of a service: address, identity, and the public keys of all callers. */
export function environmentOf(service: ServiceName, { url, callKeys, credentialsOf, server }: Broker): NodeJS.ProcessEnv {
  const publicKeys = [...callKeys.values()].map(({ publicKey }) => publicKey);
  return {
    NATS_URL: url,
    PARLEY_CALLERS: publicKeys.join(','),
    PARLEY_CALL_KEY: callKeys.get(service)?.seed,
    // With the operator's server, the credentials come from the environment.
    ...(server && { NATS_NKEY: credentialsOf(service).nkeySeed }),
  };
}

/** The settings of the operator's command as lines of variables, with keys that are new at every start. */
export function adminVariables({ url, callKeys, credentialsOf }: Broker, databaseUrl: string): string {
  const variables = {
    DATABASE_URL: databaseUrl,
    NATS_URL: url,
    NATS_NKEY: credentialsOf('admin').nkeySeed ?? '',
    PARLEY_CALLERS: [...callKeys.values()].map(({ publicKey }) => publicKey).join(','),
    PARLEY_CALL_KEY: callKeys.get('admin')?.seed ?? '',
  };
  return Object.entries(variables)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');
}

/** The host's own connection, which seeds the demo in the name of its owner. */
export function connectHost({ url, callKeys, credentialsOf }: Broker): Promise<NatsTransport> {
  const callers = [...callKeys.values()].map(({ publicKey }) => callerKey(publicKey));
  const privateKey = privateCallKey(callKeys.get('host')?.seed ?? '');
  return NatsTransport.connect({
    servers: url,
    name: 'host',
    user: 'host',
    credentials: credentialsOf('host'),
    principals: new SignedPrincipals({ caller: 'host', callers, privateKey }),
    makesStreams: false,
  });
}

type Server = Pick<Broker, 'url' | 'server' | 'onRestart'>;

async function startServer({ environment, home }: BrokerSetup, log: Writable, nkeys: Nkeys): Promise<Server> {
  const command = environment['NATS_SERVER'];
  if (!command)
    throw new OptionProblem(
      'no nats-server: set NATS_SERVER to its path, or NATS_URL to a running one, or start with `npm run cluster`.',
    );
  const port = await freePort();
  const store = home.path('nats');
  mkdirSync(store, { recursive: true, mode: 0o700 });
  const pidFile = home.path('nats', 'server.pid');
  await stopOrphan(pidFile, store);
  const configuration = home.path('nats', 'users.conf');
  const users = renderNatsUsers(messageUses, (user) => nkeys.get(user)?.publicKey ?? '');
  writeFileSync(configuration, hangs + users, { mode: 0o600 });
  const place = ['--addr', '127.0.0.1', '--port', String(port), '--jetstream', '--store_dir', store, '--pid', pidFile];
  const args = ['--config', configuration, ...place];
  const server = new SupervisedProcess({ name: 'nats', command, args, environment }, log, () => undefined);
  let notify = (): void => undefined;
  server.start(() => notify());
  await listening(port);
  return { url: `nats://127.0.0.1:${port}`, server, onRestart: (tell) => (notify = tell) };
}

/** Stops a server whose supervisor was killed with -9: it still writes to our store, which two servers would corrupt. */
async function stopOrphan(pidFile: string, store: string): Promise<void> {
  const pid = existsSync(pidFile) ? Number(readFileSync(pidFile, 'utf8')) : 0;
  const isOurs = (): boolean =>
    pid > 0 && spawnSync('ps', ['-o', 'args=', '-p', String(pid)], { encoding: 'utf8' }).stdout.includes(store);
  if (!isOurs()) return;
  process.kill(pid, 'SIGTERM');
  for (let waitedMs = 0; waitedMs < startTimeoutMs && isOurs(); waitedMs += 50) await delay(50);
}

async function listening(port: number): Promise<void> {
  for (let waitedMs = 0; waitedMs < startTimeoutMs; waitedMs += 20) {
    if (await accepts(port)) return;
    await delay(20);
  }
  throw new OptionProblem('nats-server did not start; its output is above.');
}

function accepts(port: number): Promise<boolean> {
  const probe = connect(port, '127.0.0.1');
  return new Promise((resolve) => {
    const tell = (isOpen: boolean): void => {
      probe.destroy();
      resolve(isOpen);
    };
    probe.once('connect', () => tell(true));
    probe.once('error', () => tell(false));
  });
}
