import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { type ServiceName, serviceNames } from '@parley/contracts';
import { processEnvironment } from '@parley/service-kit';

/** The options for starting the platform on one machine. */
export interface Options {
  readonly port: number;
  readonly host: string;
  readonly home: string;
  /** The name of an organization to create besides the demo's. */
  readonly organization: string | undefined;
  readonly replicas: ReadonlyMap<ServiceName, number>;
  readonly help: boolean;
}

/** An option that cannot be applied; its message is the one line shown to the user. */
export class OptionProblem extends Error {}

const replicasMax = 16;

/** Reads the flags, then the environment, then the defaults. */
export function readOptions(args: readonly string[], environment: NodeJS.ProcessEnv): Options {
  const flags = parseFlags(args);
  return {
    port: readPort(flags.port ?? environment['PORT'] ?? '8080'),
    host: flags.host ?? environment['HOST'] ?? '127.0.0.1',
    home: path.resolve(flags.home ?? environment['PARLEY_HOME'] ?? '.parley'),
    organization: flags.organization?.trim() || undefined,
    replicas: readReplicas(flags.replicas ?? ''),
    help: flags.help ?? false,
  };
}

function parseFlags(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        port: { type: 'string' },
        host: { type: 'string' },
        home: { type: 'string' },
        organization: { type: 'string' },
        replicas: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    }).values;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new OptionProblem(`${reason.split('. ')[0]}. See --help.`, { cause });
  }
}

function readPort(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new OptionProblem(`PORT must be a number from 0 to 65535, not "${text}".`);
}

/** `speech=2,gateway=2`; a service that is not listed runs once. */
function readReplicas(text: string): ReadonlyMap<ServiceName, number> {
  const replicas = new Map<ServiceName, number>(serviceNames.map((name) => [name, 1]));
  for (const part of text.split(',').filter(Boolean)) {
    const [name, count] = part.split('=');
    const service = serviceNames.find((known) => known === name?.trim());
    if (!service) throw new OptionProblem(`--replicas names no service "${name}". Services: ${serviceNames.join(', ')}.`);
    if (!/^\d+$/.test(count ?? '') || Number(count) < 1 || Number(count) > replicasMax) {
      throw new OptionProblem(`--replicas ${service}=… takes a number from 1 to ${replicasMax}.`);
    }
    replicas.set(service, Number(count));
  }
  return replicas;
}

export interface Start {
  readonly options: Options;
  readonly environment: NodeJS.ProcessEnv;
}

/** The options of the command line and the environment; on a laptop logs are readable and quiet. */
export function readStart(args: readonly string[]): Start {
  const environment = { PARLEY_ENVIRONMENT: 'development', PARLEY_LOG_LEVEL: 'warn', ADMIN_PORT: '0', ...processEnvironment() };
  return { options: readOptions(args, environment), environment };
}

/** Refuses a port in use with one line, before a database and eight services were started in vain. */
export async function requireFreePort(host: string, port: number, command: string): Promise<void> {
  const code = await listenOnce(host, port);
  if (code === undefined) return;
  if (code === 'EADDRINUSE')
    throw new OptionProblem(`port ${port} is taken. Stop what uses it, or choose another: PORT=${port + 1} ${command}`);
  if (code === 'EACCES')
    throw new OptionProblem(`port ${port} needs more rights than you have. Choose one above 1023: PORT=8080 ${command}`);
  throw new OptionProblem(`cannot listen on ${host}:${port} (${code}). Choose another HOST or PORT.`);
}

function listenOnce(host: string, port: number): Promise<string | undefined> {
  const probe = createServer();
  return new Promise((resolve) => {
    probe.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    probe.listen(port, host, () => probe.close(() => resolve(undefined)));
  });
}

/** The usual port, or a free one if that is in use. */
export async function usualOrFreePort(host: string, usual: number): Promise<number> {
  return (await listenOnce(host, usual)) === undefined ? usual : freePort();
}

// Below the range of ephemeral ports: an outgoing connection could take one of those before its server starts.
const freePortMin = 20_000;
const freePortMax = 32_000;
const given = new Set<number>();

/** An unused port that was not returned before. */
export async function freePort(): Promise<number> {
  while (given.size < freePortMax - freePortMin) {
    const port = randomInt(freePortMin, freePortMax);
    if (given.has(port)) continue;
    given.add(port);
    if ((await listenOnce('127.0.0.1', port)) === undefined) return port;
  }
  throw new Error(`no port from ${freePortMin} to ${freePortMax} is free`);
}
