import { startEmbeddedPostgres } from '@parley/database';
import {
  ConfigurationError, exitCodes, exitOnUncaught, lastWords, loadConfiguration, openProcess, ProcessVariables, stopOnSignal, type ProcessParts,
} from '@parley/service-kit';
import { readStart, type Start } from './config';
import { demoOf } from './demo/demo';
import { welcome } from './demo/welcome';
import { freePort, requireFreePort } from './door-port';
import { helpText, type Form } from './help';
import { Home } from './home';
import { laptopEnvironment } from './laptop';
import { OptionProblem } from './options';
import type { Ground, Platform } from './platform';

type StartPlatform = (ground: Ground, parts: ProcessParts) => Promise<Platform>;

/** From a command line to a platform that answers, and to a clean stop; or to one line that says what to do. */
export async function runOnThisMachine(form: Form, startPlatform: StartPlatform): Promise<void> {
  try {
    const start = readStart(process.argv.slice(2));
    if (start.options.help) process.stdout.write(helpText(form));
    else await run(form, start, startPlatform);
  } catch (error) {
    const isTheirs = error instanceof OptionProblem || error instanceof ConfigurationError;
    const text = error instanceof Error ? (isTheirs ? error.message : (error.stack ?? error.message)) : String(error);
    lastWords('start', text);
    process.exit(error instanceof ConfigurationError ? exitCodes.misconfigured : exitCodes.failed);
  }
}

async function run(form: Form, { options, environment }: Start, startPlatform: StartPlatform): Promise<void> {
  const startedAtMs = performance.now();
  const variables = loadConfiguration(ProcessVariables, environment);
  for (let index = 0; index < (options.replicas.get('gateway') ?? 1); index += 1) {
    if (options.port > 0) await requireFreePort(options.host, options.port + index);
  }
  const home = await Home.take(options.home);
  const parts = await openProcess(form, variables);
  exitOnUncaught(parts.logger);
  const postgres = await openPostgres(home, environment);
  const doorPort = options.port === 0 ? await freePort() : options.port;
  const told = laptopEnvironment(environment, { options, home, doorPort });
  const ground = { options, home, doorPort, databaseUrl: postgres.url, log: parts.logger, environment: told };
  const platform = await startPlatform(ground, parts);
  const stop = async (): Promise<void> => {
    await platform.stop();
    await postgres.stop();
    await parts.close();
    await home.release();
  };
  stopOnSignal({ log: parts.logger, announce: () => undefined, prestopDelayMs: 0, stop, limitSeconds: variables.DRAIN_SECONDS + 5 });
  const demo = await demoOf(platform, home, environment['PUBLIC_URL']);
  process.stdout.write(welcome({ demo, home, platform, adminPort: parts.adminPort, seconds: (performance.now() - startedAtMs) / 1000 }));
}

async function openPostgres(home: Home, environment: NodeJS.ProcessEnv): Promise<{ url: string; stop(): Promise<void> }> {
  const given = environment['DATABASE_URL'];
  if (given) return { url: given, stop: () => Promise.resolve() };
  return startEmbeddedPostgres({ home: home.directory, onNotice: (line) => process.stderr.write(`parley: ${line}\n`) });
}
