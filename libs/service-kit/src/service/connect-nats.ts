import type { DynamicModule } from '@nestjs/common';
import type { ServiceName } from '@parley/contracts';
import {
  BusServer,
  type Caller,
  callerKey,
  connectionTrouble,
  type NatsCredentials,
  type MessageLog,
  MessagingModule,
  NatsTransport,
  privateCallKey,
  SignedPrincipals,
  type Transport,
} from '@parley/messaging';
import type { z } from 'zod';
import { ConfigurationError } from '../configuration/load-configuration';
import type { BrokerVariables, ConnectionVariables } from '../configuration/variables';
import type { Logger } from '../logging/logger';
import type { RequestMeter } from '../metrics/metrics';

const patienceMs = 3_000;

type WaitedFor = (fields: { readonly nats: string; readonly reason: string }, message: string) => void;
type Broker = z.output<typeof BrokerVariables>;

/**
 * Services and broker may start in any order, so NATS is waited for indefinitely; the log says so, and why. A server that refuses
 * this process ends the wait.
 */
export async function whileNatsIsAwaited<T>(broker: Broker, say: WaitedFor, work: () => Promise<T>): Promise<T> {
  const nats = new URL(broker.NATS_URL).host;
  const tell = async () => {
    const reason = await natsTrouble(broker);
    if (reason) say({ nats, reason }, 'Waiting for NATS');
  };
  const timer = setInterval(() => void tell(), patienceMs);
  try {
    return await work();
  } catch (error) {
    throw refusedByNats(error, nats) ?? error;
  } finally {
    clearInterval(timer);
  }
}

const unreachable = /connection refused|timeout|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH/i;

/** Why NATS cannot be reached now, and what to check; undefined if it can. */
export async function natsTrouble(broker: Broker): Promise<string | undefined> {
  const reason = await connectionTrouble(broker.NATS_URL, natsCredentials(broker));
  if (reason === undefined) return undefined;
  const check = unreachable.test(reason)
    ? 'see whether it runs, and check NATS_URL'
    : 'check NATS_URL, NATS_CA_FILE, NATS_CERT_FILE and NATS_KEY_FILE';
  return `${reason}: ${check}`;
}

function refusedByNats(error: unknown, nats: string): ConfigurationError | undefined {
  if (!(error instanceof Error) || !/authorization violation/i.test(error.message)) return undefined;
  return new ConfigurationError(
    `NATS at ${nats} refuses this process (${error.message}): check NATS_NKEY or NATS_NKEY_FILE, or NATS_USER and NATS_PASSWORD, against the users of the server`,
  );
}

/** Connects a process to the broker. */
export async function connectNats(
  name: Caller,
  variables: z.output<typeof ConnectionVariables>,
  log: Logger,
): Promise<Transport> {
  const principals = signedPrincipalsOf(name, variables);
  const say: WaitedFor = (fields, message) => log.warn(message, fields);
  return whileNatsIsAwaited(variables, say, () =>
    NatsTransport.connect({
      servers: variables.NATS_URL,
      credentials: natsCredentials(variables),
      name,
      user: name,
      principals,
      makesStreams: false,
      ...eventStore(variables),
      log: messageLogOf(log),
    }),
  );
}

/** How NATS should store events. */
export function eventStore({ EVENT_REPLICAS, EVENT_MEGABYTES }: z.output<typeof BrokerVariables>) {
  return { eventReplicas: EVENT_REPLICAS, eventBytesMax: EVENT_MEGABYTES * 1024 * 1024 };
}

/** This process's credentials for the broker, from its variables. */
export function natsCredentials(variables: Broker): NatsCredentials {
  const { NATS_USER, NATS_PASSWORD, NATS_NKEY, NATS_NKEY_FILE, NATS_CA_FILE, NATS_CERT_FILE, NATS_KEY_FILE } = variables;
  return {
    ...(NATS_USER && { user: NATS_USER }),
    ...(NATS_PASSWORD && { password: NATS_PASSWORD }),
    ...(NATS_NKEY && { nkeySeed: NATS_NKEY }),
    ...(NATS_NKEY_FILE && { nkeySeedFile: NATS_NKEY_FILE }),
    ...(NATS_CA_FILE && { caFile: NATS_CA_FILE }),
    ...(NATS_CERT_FILE && { certFile: NATS_CERT_FILE }),
    ...(NATS_KEY_FILE && { keyFile: NATS_KEY_FILE }),
  };
}

function signedPrincipalsOf(
  caller: Caller,
  { PARLEY_CALLERS, PARLEY_CALL_KEY }: z.output<typeof ConnectionVariables>,
): SignedPrincipals {
  try {
    const callers = PARLEY_CALLERS.map(callerKey);
    return new SignedPrincipals({ caller, callers, ...(PARLEY_CALL_KEY && { privateKey: privateCallKey(PARLEY_CALL_KEY) }) });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new ConfigurationError(`PARLEY_CALLERS or PARLEY_CALL_KEY is not valid: ${why}`);
  }
}

interface Messaging {
  /** For asking. */
  readonly module: DynamicModule;
  /** For answering. */
  readonly messages: { readonly strategy: BusServer };
}

/** Both directions of a service's messages over one transport. */
export function messagingFor(
  service: ServiceName,
  transport: Transport,
  surroundings: { log: Logger; meter: RequestMeter; drainMs: number },
): Messaging {
  const { log, meter, drainMs } = surroundings;
  const messageLog = messageLogOf(log);
  return {
    module: MessagingModule.forTransport(transport, { service, log: messageLog }),
    messages: { strategy: new BusServer(transport, { service, log: messageLog, meter, drainMs }) },
  };
}

/** Adapts our log to what messaging expects. */
function messageLogOf(log: Logger): MessageLog {
  return {
    error: (fields, message) => log.error(message, fields),
    warn: (fields, message) => log.warn(message, fields),
    info: (fields, message) => log.info(message, fields),
  };
}
