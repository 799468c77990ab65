import type { DynamicModule, Type } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { ServiceName } from '@parley/contracts';
import type { SchemaDefinition } from '@parley/database';
import type { z } from 'zod';

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
  /** The root module. Logger, ServiceBus, DataSource and Outbox are already provided globally. */
  module(config: z.output<Config>): Type | DynamicModule;
  /** Only the gateway has a public door. */
  readonly http?: {
    port(config: z.output<Config>): number;
    host(config: z.output<Config>): string;
    configure(app: NestFastifyApplication, config: z.output<Config>): Promise<void> | void;
  };
}

/** Keeps the config type of a definition without writing it twice. */
export function defineService<Config extends z.ZodObject>(definition: ServiceDefinition<Config>): ServiceDefinition<Config> {
  return definition;
}
