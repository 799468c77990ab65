import type { z } from 'zod';
import { ServiceHealth } from '../admin/admin-server';
import {
  checkConfiguration,
  ConfigurationError,
  type Environment,
  loadConfiguration,
  processEnvironment,
} from '../configuration/load-configuration';
import { ConnectionVariables, DatabaseVariables, ProcessVariables } from '../configuration/variables';
import {
  exitCodes,
  exitOnSignalWhileStarting,
  exitOnUncaught,
  lastWords,
  openProcess,
  prestopDelayOf,
  reasonOf,
  stopOnSignal,
} from '../process/process-parts';
import { connectNats } from './connect-nats';
import { messagingReach, type ServiceDefinition, startService } from './start-service';

/** Infers the config type of a definition. */
export function defineService<Config extends z.ZodObject>(definition: ServiceDefinition<Config>): ServiceDefinition<Config> {
  return definition;
}

/** Runs one service as a process: environment in, exit code out. */
export async function runService<Config extends z.ZodObject>(definition: ServiceDefinition<Config>): Promise<void> {
  try {
    await run(definition, processEnvironment());
  } catch (error) {
    const isMisconfigured = error instanceof ConfigurationError;
    lastWords(definition.name, reasonOf(error));
    process.exit(isMisconfigured ? exitCodes.misconfigured : exitCodes.failed);
  }
}

async function run<Config extends z.ZodObject>(definition: ServiceDefinition<Config>, environment: Environment): Promise<void> {
  const { variables, connection, databaseUrl } = readEnvironment(definition, environment);
  const parts = await openProcess(definition.name, variables);
  const log = parts.logger.with({ service: definition.name });
  exitOnUncaught(log);
  const starting = exitOnSignalWhileStarting(log);
  // Until it has started, probes show what it waits for.
  parts.adminServer.show(new ServiceHealth(definition.name, { messaging: () => false }));
  parts.metrics.watch({ service: definition.name, ...messagingReach, read: () => 0 });
  const transport = await connectNats(definition.name, connection, log);
  parts.metrics.unwatch(definition.name);
  const service = await startService(definition, { ...parts, environment, transport, databaseUrl });
  const stop = async (): Promise<void> => {
    await service.stop();
    await transport.close();
    await parts.close();
  };
  starting[Symbol.dispose]();
  const prestopDelayMs = prestopDelayOf(variables);
  stopOnSignal({ log, announce: () => service.announceStop(), prestopDelayMs, stop, limitSeconds: variables.DRAIN_SECONDS });
}

function readEnvironment({ config, database }: ServiceDefinition, environment: Environment) {
  checkConfiguration([ProcessVariables, ConnectionVariables, ...(database ? [DatabaseVariables] : []), config], environment);
  return {
    variables: loadConfiguration(ProcessVariables, environment),
    connection: loadConfiguration(ConnectionVariables, environment),
    databaseUrl: database && loadConfiguration(DatabaseVariables, environment).DATABASE_URL,
  };
}
