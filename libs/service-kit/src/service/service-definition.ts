import type { DynamicModule, Type } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { ServiceName } from '@parley/contracts';
import type { SchemaDefinition } from '@parley/database';
import type { FastifyServerOptions } from 'fastify';
import type { z } from 'zod';

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
  /** Its environment variables, on top of those that every service has. */
  readonly config: Config;
  /** Its own Postgres schema; absent for a service that keeps nothing. */
  readonly database?: SchemaDefinition;
  /** The root module. Logger, ServiceBus, Lifetime and, with a schema, DataSource, TenantScope and Outbox are provided globally. */
  module(config: z.output<Config>): Type | DynamicModule;
  readonly http?: HttpDoor<z.output<Config>>;
}

/** Keeps the config type of a definition without writing it twice. */
export function defineService<Config extends z.ZodObject>(definition: ServiceDefinition<Config>): ServiceDefinition<Config> {
  return definition;
}
