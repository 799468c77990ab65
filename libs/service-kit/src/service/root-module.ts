import { type DynamicModule, Module } from '@nestjs/common';
import { type ConnectionLimits, DatabaseModule, OutboxModule } from '@parley/database';
import type { z } from 'zod';
import { Logger } from '../logging/logger';
import { RequestMeter, ServiceFigures } from '../metrics/metrics';
import { Lifetime } from './lifetime';
import type { ServiceDefinition } from './service-definition';

@Module({})
class ServiceRoot {}

export interface Surroundings {
  readonly log: Logger;
  readonly meter: RequestMeter;
  readonly figures: ServiceFigures;
  readonly lifetime: Lifetime;
  readonly messaging: DynamicModule;
  readonly databaseUrl: string | undefined;
  readonly pool: ConnectionLimits;
}

/** The service's own module inside everything that it may inject without importing. */
export function rootModule<Config extends z.ZodObject>(
  definition: ServiceDefinition<Config>,
  config: z.output<Config>,
  { log, meter, figures, lifetime, messaging, databaseUrl, pool }: Surroundings,
): DynamicModule {
  const { database } = definition;
  if (database && databaseUrl === undefined) throw new TypeError(`${definition.name} has a schema but its host has no database`);
  const stored = database && databaseUrl ? [DatabaseModule.forSchema(database, { url: databaseUrl, ...pool }), OutboxModule] : [];
  return {
    module: ServiceRoot,
    global: true,
    imports: [messaging, ...stored, definition.module(config)],
    providers: [
      { provide: Logger, useValue: log },
      { provide: RequestMeter, useValue: meter },
      { provide: ServiceFigures, useValue: figures },
      { provide: Lifetime, useValue: lifetime },
    ],
    exports: [Logger, RequestMeter, ServiceFigures, Lifetime, ...(database ? [OutboxModule] : [])],
  };
}
