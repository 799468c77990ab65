import type { DynamicModule, Type } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { ServiceName } from '@parley/contracts';
import type { SchemaDefinition } from '@parley/database';
import type { FastifyServerOptions } from 'fastify';
import type { z } from 'zod';
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
import { startService } from './start-service';

/** The public door of a service. Only the gateway has one. */
export interface HttpDoor<Configuration> {
  port(config: Configuration): number;
  host(config: Configuration): string;
  /** Limits and timeouts of the server, on top of the kit's. */
  server?(config: Configuration): FastifyServerOptions;
  /** Before the application initializes: content types, CORS, hooks, prefixes. */
  configure(app: NestFastifyApplication, config: Configuration): Promise<void> | void;
}

/**
 * A service as both hosts know it: `runService` gives it a process of its own, `all-in-one` a place beside the others.
 * Nothing in it says how messages travel or where Postgres is.
 */
export interface ServiceDefinition<Config extends z.ZodObject = z.ZodObject> {
  readonly name: ServiceName;
  /** Its environment variables, in addition to the common ones. */
  readonly config: Config;
  /** Its Postgres schema; absent for a stateless service. */
  readonly database?: SchemaDefinition;
  /** A standby of its Postgres, for a service whose readers may see what was written a moment later. */
  standbyUrl?(config: z.output<Config>): string | undefined;
  /** The root module. Logger, ServiceBus, Lifetime and, with a schema, DataSource, TenantScope and Outbox are provided globally. */
  module(config: z.output<Config>): Type | DynamicModule;
  readonly http?: HttpDoor<z.output<Config>>;
}

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
  const transport = await connectNats(definition.name, connection, log);
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
