import { accessSync, constants, mkdirSync, statSync } from 'node:fs';
import { isIP } from 'node:net';
import path from 'node:path';
import { isHost } from '@parley/contracts';
import { isUserSeed } from '@parley/messaging';
import { z } from 'zod';

/**
 * Every variable arrives as one line of text. Each reader below says in plain words what it expects; this is shown when the start
 * fails, and printed in docs/configuration.md.
 */
function variable<T>(expected: string, read: (text: string) => T | undefined) {
  return z
    .string()
    .transform((text, context): T => {
      const line = text.trim();
      const value = /[\r\n]/.test(line) ? undefined : read(line);
      if (value !== undefined) return value;
      context.issues.push({ code: 'custom', message: `expected ${expected}`, input: text });
      return z.NEVER;
    })
    .meta({ expected });
}

/** A whole number within bounds, and a multiple of `step`. */
export function integer({ min, max, step = 1 }: { min: number; max: number; step?: number }) {
  const steps = step === 1 ? '' : `, a multiple of ${step}`;
  return variable(`an integer from ${min} to ${max}${steps}`, (text) => {
    const value = /^-?\d{1,16}$/.test(text) ? Number(text) : NaN;
    return value >= min && value <= max && value % step === 0 ? value : undefined;
  });
}

/** A TCP port; 0 lets the system choose. */
export function port() {
  return integer({ min: 0, max: 65_535 });
}

/** Where to listen: whether this machine has the address is seen when it listens. */
export function listenHost() {
  return variable('an address of this machine or a name of one, such as 127.0.0.1 or 0.0.0.0', (text) =>
    isIP(text) !== 0 || isHost(text) ? text : undefined,
  );
}

/** A fraction from 0 to 1. */
export function fraction() {
  return variable('a number from 0 to 1', (text) => {
    const value = /^\d(\.\d{1,9})?$/.test(text) ? Number(text) : NaN;
    return value <= 1 ? value : undefined;
  });
}

const flags: Record<string, boolean> = {
  true: true,
  false: false,
  1: true,
  0: false,
  yes: true,
  no: false,
  on: true,
  off: false,
};

/** A switch: true or false. */
export function flag() {
  return variable('true or false', (text) => flags[text.toLowerCase()]);
}

const units = [
  { unit: 'h', inMs: 3_600_000 },
  { unit: 'm', inMs: 60_000 },
  { unit: 's', inMs: 1_000 },
  { unit: 'ms', inMs: 1 },
] as const;
type WrittenDuration = `${number}${(typeof units)[number]['unit']}`;

/** Milliseconds; NaN if this is no duration. */
function msOf(text: string): number {
  const [, amount, written] = /^(\d{1,9})(ms|s|m|h)$/.exec(text) ?? [];
  return Number(amount) * (units.find(({ unit }) => unit === written)?.inMs ?? NaN);
}

/** Whole milliseconds as an operator writes them. */
export function writtenDuration(ms: number): WrittenDuration {
  const largest = units.find(({ inMs }) => ms >= inMs && ms % inMs === 0);
  return largest ? `${ms / largest.inMs}${largest.unit}` : '0s';
}

/**
 * A duration in milliseconds within bounds, written with its unit: 250ms, 30s, 5m, 2h. Where 0s is among them, the description
 * says what it means.
 */
export function duration({ min, max }: { min: WrittenDuration; max: WrittenDuration }) {
  const [least, most] = [msOf(min), msOf(max)];
  return variable(`a duration from ${min} to ${max}, with its unit (ms, s, m or h)`, (text) => {
    const ms = msOf(text);
    return ms >= least && ms <= most ? ms : undefined;
  }).meta({ isDuration: true });
}

/** An absolute URL with one of the given schemes, kept as written. */
export function url(...schemes: [string, ...string[]]) {
  return variable(`a URL that starts with ${schemes.map((scheme) => `${scheme}://`).join(' or ')}`, (text) => {
    const parsed = URL.parse(text);
    return parsed && parsed.host !== '' && schemes.includes(parsed.protocol.slice(0, -1)) ? text : undefined;
  });
}

/** A folder or file that this process can read. */
function existing(kind: 'folder' | 'file') {
  return variable(`a ${kind} that exists and can be read`, (place) => {
    const found = statSync(place, { throwIfNoEntry: false });
    return found && (kind === 'folder' ? found.isDirectory() : !found.isDirectory()) && isReadable(place) ? place : undefined;
  });
}

function isReadable(place: string): boolean {
  try {
    accessSync(place, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}

/** A folder that exists when the process starts. */
export const existingFolder = () => existing('folder');

/** A file that exists when the process starts. */
export const existingFile = () => existing('file');

const listedItems = 100;

/** Words separated by commas, without surrounding spaces. */
export function commaList() {
  return variable(`at most ${listedItems} words between commas`, (text) => {
    const items = text.split(',').map((item) => item.trim());
    const words = items.filter((item) => item !== '');
    return words.length > listedItems ? undefined : words;
  });
}

/** One of several words. */
export function choice<const Words extends readonly [string, ...string[]]>(words: Words) {
  return variable(`one of ${words.join(', ')}`, (text): Words[number] | undefined => words.find((word) => word === text));
}

/** Free text. */
export function variableText() {
  return variable('text in one line', (value) => (value === '' ? undefined : value));
}

/** Settings for the whole process: logs, telemetry, the admin port, shutdown. */
export const ProcessVariables = z.object({
  PARLEY_ENVIRONMENT: choice(['development', 'production']).default('production').meta({
    description: 'In development logs are readable text, and stopping does not wait for a load balancer.',
    example: 'development',
  }),
  PARLEY_LOG_LEVEL: choice(['debug', 'info', 'warn', 'error', 'silent']).default('info').meta({
    description: 'The lowest level that is logged.',
    example: 'debug',
  }),
  PARLEY_LOG_PII: flag().default(false).meta({
    description: 'Logs what people said, their numbers and prompts. For debugging on your own machine only.',
    example: 'false',
  }),
  SECRETS_DIR: existingFolder().optional().meta({
    description:
      'A folder with one file for each secret of this process, named after its variable, as Compose and Kubernetes mount them. A variable set directly takes precedence.',
    example: '/run/secrets',
  }),
  ADMIN_HOST: listenHost().default('127.0.0.1').meta({
    description: 'The address on which health and metrics are served. Containers set 0.0.0.0; it must not be public.',
    example: '0.0.0.0',
  }),
  ADMIN_PORT: port()
    .default(9090)
    .meta({ description: 'The port of /health/* and /metrics; 0 takes a free one.', example: '9090' }),
  PRESTOP_DELAY: duration({ min: '0s', max: '1h' }).optional().meta({
    description:
      'How long a stopping process still accepts work, until load balancers have noticed; 0s is not at all. In production 3s, in development 0s.',
    example: '3s',
  }),
  DRAIN_SECONDS: integer({ min: 1, max: 3_600 }).default(25).meta({
    description: 'How long work in progress may take to finish before a stopping process gives up and exits with 1.',
    example: '25',
  }),
  EVENT_LOOP_WARNING_MS: integer({ min: 1, max: 60_000 }).default(100).meta({
    description:
      'A warning is logged when one in a hundred iterations of the event loop is delayed by more than this many milliseconds.',
    example: '100',
  }),
  OTEL_EXPORTER_OTLP_ENDPOINT: url('http', 'https').optional().meta({
    description: 'An OpenTelemetry collector (OTLP over HTTP). Without it no telemetry code is loaded.',
    example: 'http://collector:4318',
  }),
  OTEL_METRIC_EXPORT_INTERVAL: integer({ min: 1_000, max: 3_600_000 }).default(60_000).meta({
    description: 'How often, in milliseconds, the values of /metrics are also sent to the collector.',
    example: '60000',
  }),
  OTEL_TRACES_SAMPLER_ARG: fraction().default(1).meta({
    description: 'The share of requests that are traced. A caller that sends a traceparent decides for its own request.',
    example: '0.1',
  }),
});
export type ProcessVariables = z.output<typeof ProcessVariables>;

/** How a process reaches the broker and authenticates. */
export const BrokerVariables = z.object({
  NATS_URL: url('nats', 'tls').meta({
    description:
      'The NATS server or cluster; with tls:// nothing is sent before TLS is established. It may contain a user and a password.',
    example: 'nats://127.0.0.1:4222',
    secret: true,
  }),
  NATS_USER: variableText()
    .optional()
    .meta({ description: 'The NATS user of this process.', example: 'gateway', needs: ['NATS_PASSWORD'] }),
  NATS_PASSWORD: variableText()
    .optional()
    .meta({ description: 'The password of that user.', example: 'a-long-word', secret: true, needs: ['NATS_USER'] }),
  NATS_NKEY: variable('the seed of a user’s nkey: 58 letters that begin with SU', (seed) => (isUserSeed(seed) ? seed : undefined))
    .optional()
    .meta({
      description: 'The seed of the nkey of this process, instead of a password: the server has only the public half.',
      example: 'npm run keys',
      secret: true,
    }),
  NATS_NKEY_FILE: existingFile()
    .optional()
    .meta({ description: 'A file that contains the same seed.', example: '/run/secrets/nats.nk' }),
  NATS_CA_FILE: existingFile().optional().meta({
    description: 'The certificate authority of NATS, PEM, in addition to those of the machine.',
    example: '/run/secrets/ca.pem',
  }),
  NATS_CERT_FILE: existingFile()
    .optional()
    .meta({ description: 'The certificate of this process, PEM.', example: '/run/secrets/cert.pem', needs: ['NATS_KEY_FILE'] }),
  NATS_KEY_FILE: existingFile()
    .optional()
    .meta({ description: 'The key of that certificate, PEM.', example: '/run/secrets/key.pem', needs: ['NATS_CERT_FILE'] }),
  EVENT_REPLICAS: integer({ min: 1, max: 5 }).default(1).meta({
    description: 'Copies that NATS keeps of every event: 1 on a single server, 3 on a cluster.',
    example: '3',
  }),
  EVENT_MEGABYTES: integer({ min: 8, max: 1_000_000 }).default(512).meta({
    description:
      'The most that NATS stores of one service’s events; beyond it the oldest are dropped, consumed or not. NATS reserves this much of its store for each service that publishes events, and does not start with less. Applied by the migration.',
    example: '64',
  }),
});

/** How a service in a process of its own reaches the other services. */
export const ConnectionVariables = BrokerVariables.extend({
  PARLEY_CALLERS: commaList().meta({
    description:
      'The public keys of the processes that may assert a caller, separated by commas. A name may occur twice while its key is being replaced.',
    example: 'gateway:tRC3…,agent-config:9sYw…',
  }),
  PARLEY_CALL_KEY: variableText().optional().meta({
    description: 'The secret half of this process’s key, for the services that PARLEY_CALLERS lists.',
    example: 'npm run keys',
    secret: true,
  }),
});

/** How a service uses its database. */
export const PoolVariables = z.object({
  DATABASE_POOL_MAX: integer({ min: 2, max: 200 }).default(10).meta({
    description: 'The maximum number of connections to Postgres that one process opens, in each of its two pools.',
    example: '10',
  }),
  DATABASE_POOLING: choice(['session', 'transaction']).default('session').meta({
    description:
      'transaction behind a pooler in transaction mode (PgBouncer): no startup parameters, no named statements; the roles hold search_path and timeouts.',
    example: 'transaction',
  }),
});

/** Required only by services with a database. */
export const DatabaseVariables = PoolVariables.extend({
  DATABASE_URL: url('postgres', 'postgresql').meta({
    description: 'The Postgres database, in which every service has its own schema.',
    example: 'postgres://parley:parley@127.0.0.1:5432/parley',
    secret: true,
  }),
});

/** Makes a folder and those above it. Node's own `recursive` never returns where a folder cannot be made though the one above exists. */
export function makeFolders(folder: string, mode?: number): void {
  if (isMade(folder, mode)) return;
  if (path.dirname(folder) !== folder) makeFolders(path.dirname(folder), mode);
  if (!isMade(folder, mode)) mkdirSync(folder, mode);
}

/** False if there is nothing above it, as for a folder in a file system that was unmounted. */
function isMade(folder: string, mode: number | undefined): boolean {
  try {
    mkdirSync(folder, mode);
    return true;
  } catch (error) {
    const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT') return false;
    if (code === 'EEXIST' && statSync(folder).isDirectory()) return true;
    throw error;
  }
}
