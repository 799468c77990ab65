import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { migrateSchema, type PostgresAddresses, prepareGivenPostgres, startEmbeddedPostgres } from '@parley/database';
import {
  checkConfiguration,
  ConfigurationError,
  exitCodes,
  exitOnUncaught,
  lastWords,
  loadConfiguration,
  openProcess,
  PoolVariables,
  type ProcessParts,
  ProcessVariables,
  reasonOf,
  stopOnSignal,
} from '@parley/service-kit';
import { BrowserPhones } from './call/browser-phones';
import { usualSipPorts } from './call/simulated-phone';
import { freePort, OptionProblem, type Options, readStart, requireFreePort, type Start, usualOrFreePort } from './config';
import { demoOf, organizationOf } from './demo/demo';
import { type Demo, type NamedOrganization } from './demo/demo-file';
import { Home } from './home';
import { type LocalSetup, type Platform, schemas, services } from './platform';

/** Enough to try everything without a top-up. In real installations an operator decides. */
export const plentyOfCredits = 'TTT_API=10000000,TTS_API=1000000,STT_API=360000';

interface MachineLayout {
  readonly options: Options;
  readonly home: Home;
  /** The port chosen for the first gateway. */
  readonly doorPort: number;
  /** The port of the first telephony bridge. */
  readonly telephonyPort: number;
  /** The port of the demo page's telephone. */
  readonly phonePort: number;
}

const usualTelephonyPort = 8090;

type Form = 'parley' | 'parley-cluster';

interface Command {
  /** Its name in its own complaints. */
  readonly name: string;
  readonly typed: string;
  readonly does: string;
}
const commands: Record<Form, Command> = {
  parley: { name: 'start', typed: 'npm start', does: 'the whole platform in one process' },
  'parley-cluster': { name: 'cluster', typed: 'npm run cluster', does: 'every service in a process of its own, over NATS' },
};

const clusterOptions = `  --replicas LIST   how often each service runs, as in speech=2,gateway=2; several gateways take consecutive ports
`;

type StartPlatform = (setup: LocalSetup, parts: ProcessParts) => Promise<Platform>;

/** Runs the platform from command line to clean stop; on failure, prints one line that says what to do. */
export async function runOnThisMachine(form: Form, startPlatform: StartPlatform): Promise<void> {
  try {
    const start = readStart(process.argv.slice(2));
    if (start.options.help) process.stdout.write(helpText(form));
    else await run(form, start, startPlatform);
  } catch (error) {
    const isTheirs = error instanceof OptionProblem || error instanceof ConfigurationError;
    const text = error instanceof Error ? (isTheirs ? error.message : (error.stack ?? error.message)) : String(error);
    lastWords(commands[form].name, text);
    process.exit(error instanceof ConfigurationError ? exitCodes.misconfigured : exitCodes.failed);
  }
}

async function run(form: Form, { options, environment }: Start, startPlatform: StartPlatform): Promise<void> {
  const startedAtMs = performance.now();
  checkServices(environment);
  const variables = loadConfiguration(ProcessVariables, environment);
  for (let index = 0; index < (options.replicas.get('gateway') ?? 1); index += 1) {
    if (options.port > 0) await requireFreePort(options.host, options.port + index, commands[form].typed);
  }
  const home = await Home.take(options.home);
  const parts = await openProcess(form, variables);
  exitOnUncaught(parts.logger);
  const postgres = await openPostgres(home, environment);
  const doorPort = options.port === 0 ? await freePort() : options.port;
  const telephonyPort = await telephonyPortOf({ options, environment });
  const phonePort = await freePort();
  const told = laptopEnvironment(environment, { options, home, doorPort, telephonyPort, phonePort });
  for (const schema of schemas) await migrateSchema(schema, postgres.url);
  const setup = {
    ...{ options, home, doorPort, telephonyPort, log: parts.logger, environment: told },
    ...{ databaseUrlOf: postgres.urlOf, operatorDatabaseUrl: postgres.operatorUrl },
    drainSeconds: variables.DRAIN_SECONDS,
  };
  const platform = await startPlatform(setup, parts);
  const made: { demo?: Demo } = {};
  const phones = await BrowserPhones.open({
    host: options.host,
    port: phonePort,
    demo: () => made.demo,
    origins: () => pagesOf(platform, told),
  });
  const stop = async (): Promise<void> => {
    await phones.close();
    await platform.stop();
    await postgres.stop();
    await parts.close();
    await home.release();
  };
  stopOnSignal({
    log: parts.logger,
    announce: () => undefined,
    prestopDelayMs: 0,
    stop,
    limitSeconds: platform.stopSecondsMax + 5,
  });
  const demo = await demoOf(platform, home, environment['PUBLIC_URL']);
  made.demo = demo;
  const other = options.organization === undefined ? undefined : await organizationOf(platform, home, options.organization);
  const models = environment['PARLEY_MODELS'] || '.cache/models';
  process.stdout.write(
    welcome(
      {
        ...{ demo, home, platform, telephonyPort, adminPort: parts.adminPort, ...(other && { other }) },
        models,
        isHearing: isHearingHere({ models, pocketsphinx: environment['POCKETSPHINX_DIR'] || '.cache/pocketsphinx' }),
        seconds: (performance.now() - startedAtMs) / 1000,
      },
      { showsKeys: process.stdout.isTTY },
    ),
  );
}

/** A wrong variable of any service is refused before a database is opened for all of them. The start itself makes the secret key. */
function checkServices(environment: NodeJS.ProcessEnv): void {
  const told = { ...laptopDefaults, PARLEY_SECRET_KEY: randomBytes(32).toString('base64'), ...decidedIn(environment) };
  checkConfiguration([ProcessVariables, PoolVariables, ...services.map(({ config }) => config)], told);
}

/** The origins from which the demo page may be opened: this machine's gateways, by either host name, and the public address. */
function pagesOf({ baseUrls }: Platform, told: NodeJS.ProcessEnv): string[] {
  const doors = [...baseUrls, told['PUBLIC_URL'] ?? ''].filter(Boolean).map((url) => new URL(url).origin);
  return doors.flatMap((door) => [door, door.replace('127.0.0.1', 'localhost')]);
}

/** Carriers can rarely reach a laptop, so if the default port is taken, any other will do. */
function telephonyPortOf({ options: { host, port }, environment }: Start): Promise<number> {
  const wanted = Number(environment['TELEPHONY_PORT'] ?? 0);
  if (wanted > 0) return Promise.resolve(wanted);
  return port === 0 ? freePort() : usualOrFreePort(host, usualTelephonyPort);
}

interface Postgres extends PostgresAddresses {
  stop(): Promise<void>;
}

async function openPostgres(home: Home, environment: NodeJS.ProcessEnv): Promise<Postgres> {
  const given = environment['DATABASE_URL'];
  const place = { home: home.directory, schemas: schemas.map(({ schema }) => schema) };
  if (given) {
    const addresses = await prepareGivenPostgres(given, place).catch((error: unknown) => {
      throw new ConfigurationError(
        `DATABASE_URL has to be an administrator’s, who may make the roles of the services and the database parley, and name a database that is there, such as postgres: ${reasonOf(error)}`,
      );
    });
    return { ...addresses, stop: () => Promise.resolve() };
  }
  return startEmbeddedPostgres({
    ...place,
    onNotice: (line) => process.stderr.write(`parley: ${line}\n`),
  });
}

/** Every option with its effect and default. */
function helpText(form: Form): string {
  const { typed, does } = commands[form];
  return `${`${typed} -- [options]`.padEnd(29)} ${does}

  --port N          the port of the public API (PORT, default 8080; 0 takes a free one)
  --host ADDRESS    the address it listens on (HOST, default 127.0.0.1)
  --home DIR        where data is kept (PARLEY_HOME, default .parley)
  --organization NAME  makes one more organization than the demo's, and a workspace key of it
${form === 'parley-cluster' ? clusterOptions : ''}  -h, --help        this text

Also from the environment:
  DATABASE_URL      a Postgres of yours instead of the embedded one, as its administrator: the start makes the roles
                    of the services there, and the database parley
${form === 'parley-cluster' ? '  NATS_URL          a NATS of yours instead of one started here\n' : ''}  TELEPHONY_PORT    where carriers connect (default 8090, or a free one where that is taken)
  PARLEY_LOG_LEVEL  debug, info, warn (default here) or error
  everything else   docs/configuration.md
`;
}

const laptopDefaults = {
  PARLEY_INITIAL_CREDITS: plentyOfCredits,
  // The simulated telephone network is on this machine.
  CARRIERS_IN_PRIVATE_NETWORKS: 'true',
  // No port is bound until an account asks for it.
  SIP_PORTS: `${usualSipPorts.from}-${usualSipPorts.to}`,
  // So that webhooks can be tried with a local server.
  WEBHOOKS_IN_PRIVATE_NETWORKS: 'true',
};

/** Without variables that are empty, which count as absent. */
function decidedIn(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
}

/** The services' settings on a laptop: file storage, this home's secrets and the address. Explicit settings take precedence. */
export function laptopEnvironment(environment: NodeJS.ProcessEnv, place: MachineLayout): NodeJS.ProcessEnv {
  const {
    options: { host },
    home,
    doorPort,
    telephonyPort,
    phonePort,
  } = place;
  const decided = decidedIn(environment);
  // A wildcard address cannot be used to connect.
  const findable = ['0.0.0.0', '::'].includes(host) ? '127.0.0.1' : host;
  return {
    ...laptopDefaults,
    PARLEY_SECRET_KEY: secretKeyOf(home),
    PUBLIC_URL: `http://${findable}:${doorPort}`,
    INVITE_URL: `${decided.PUBLIC_URL ?? `http://${findable}:${doorPort}`}/accept-invite`,
    TELEPHONY_PUBLIC_URL: `http://${findable}:${telephonyPort}`,
    FILES_DIR: home.path('files'),
    VECTORS_DIR: home.path('vectors'),
    DEMO_WIDGET_FILE: home.path('demo-widget'),
    DEMO_PHONE_URL: `ws://${findable}:${phonePort}`,
    ...decided,
    HOST: host,
    PORT: String(doorPort),
    TELEPHONY_HOST: host,
    TELEPHONY_PORT: String(telephonyPort),
  };
}

/** The key that encrypts secrets at rest, created at the first start and stored beside the data. */
function secretKeyOf(home: Home): string {
  const file = home.path('secret.key');
  if (!existsSync(file)) {
    // Written atomically: with half a key, everything encrypted could never be decrypted again.
    writeFileSync(`${file}.new`, randomBytes(32).toString('base64'), { mode: 0o600 });
    renameSync(`${file}.new`, file);
  }
  return readFileSync(file, 'utf8').trim();
}

/** The contents of the banner printed after the start. */
interface Welcome {
  readonly demo: Demo;
  readonly home: Home;
  readonly platform: Platform;
  readonly adminPort: number;
  readonly telephonyPort: number;
  readonly seconds: number;
  /** The folder of additional models. */
  readonly models: string;
  /** Whether an engine on this machine recognizes speech already. */
  readonly isHearing: boolean;
  readonly other?: NamedOrganization;
}

/** The banner for newcomers: where everything is, and a line to paste that gets an answer. Keys do not belong in a log. */
export function welcome(
  { demo, home, platform, adminPort, telephonyPort, seconds, models, isHearing, other }: Welcome,
  { showsKeys }: { showsKeys: boolean },
): string {
  const others = platform.baseUrls
    .slice(1)
    .map((url) => `                 ${url}\n`)
    .join('');
  const roster = platform.roster
    ? `                 of each process, with its metrics: adminPort in ${path.resolve(platform.roster)}\n`
    : '';
  const file = path.resolve(home.path('demo.json'));
  const agentKey = showsKeys ? demo.agentKey : `'"$(node -p 'require("${file}").agentKey')"'`;
  return `
Parley is up (${seconds.toFixed(1)} s).

  API            ${demo.baseUrl}
${others}  talk           ${demo.baseUrl}/demo
  reference      ${demo.baseUrl}/docs
  telephone      http://127.0.0.1:${telephonyPort}/telephony, and npm run call rings the demo agent
  health         http://127.0.0.1:${adminPort}/health/ready
${roster}  data           ${home.directory}

${showsKeys ? keysOf(demo, file) : `  keys           in ${file}`}
${other ? otherKeyOf(other, path.resolve(home.path('organizations.json')), showsKeys) : ''}
Ask the demo agent:

  curl -s ${demo.baseUrl}/api/v1/ttt -H 'x-api-key: ${agentKey}' \\
    -H 'content-type: application/json' -d '{"question":"When are you open?"}'
${isHearing ? '' : unheard}${offered(models)}
Ctrl-C stops everything.
`;
}

const unheard = `
Nothing on this machine recognizes speech yet, so transcription answers 409 PROVIDER_NOT_CONFIGURED and calls hear nothing, unless a
provider is configured. A line says when local speech recognition is ready, or why it stays off.
`;

/** Whether the speech service finds a recognizer: one of these models, or pocketsphinx. */
export function isHearingHere({ models, pocketsphinx }: { models: string; pocketsphinx: string }): boolean {
  const engines = existsSync(models) ? readdirSync(models).filter((name) => /^(?:moonshine-|sherpa-onnx-)/.test(name)) : [];
  return engines.length > 0 || [pocketsphinx, '/'].some((root) => existsSync(path.join(root, 'usr/bin/pocketsphinx_continuous')));
}

/** Models that improve on the bundled engines, and in what. */
const better = [
  ['multilingual-e5-small', 'understands questions in other words, in Hindi and in Marathi (72 MB)'],
  ['sherpa-onnx-whisper-base', 'hears Hindi and Marathi too, slower than the English recognizer that the start brings'],
] as const;

function offered(models: string): string {
  const missing = better.filter(([name]) => !existsSync(path.join(models, name)));
  const lines = missing.map(([name, does]) => `  ${name.padEnd(26)} ${does}\n`);
  return lines.length === 0 ? '' : `\nBetter with a model, by npm run models -- add NAME and another start:\n\n${lines.join('')}`;
}

function otherKeyOf({ OrganizationName, workspaceKey }: NamedOrganization, file: string, showsKeys: boolean): string {
  return `  ${OrganizationName}: workspace key ${showsKeys ? `${workspaceKey} (also in ${file})` : `in ${file}`}\n`;
}

function keysOf({ workspaceKey, agentKey, speechKey }: Demo, file: string): string {
  return `  workspace key  ${workspaceKey}
  agent key      ${agentKey}
  speech key     ${speechKey}
                 (also in ${file})`;
}
