import { type DynamicModule, Module } from '@nestjs/common';
import { APP_FILTER, APP_GUARD } from '@nestjs/core';
import { AccessGuard } from './access/access.guard';
import { Principals } from './access/principals';
import { SeededKeys } from './access/seeded-keys';
import type { GatewayConfig } from './config';
import { FaultFilter } from './faults/fault.filter';
import { ApiDocument } from './openapi/api-document';
import { OpenApiController } from './openapi/openapi.controller';
import { HealthController } from './reference/health.controller';
import { PagesController } from './reference/pages.controller';
import { controllerOf } from './routes/controller-of';
import { type RouteTable, publicRoutes } from './routes/route-table';

/** The public door: the route table as controllers, who may enter, one shape for every error, and the documents. */
@Module({})
export class GatewayModule {
  static with(config: GatewayConfig, table: RouteTable = publicRoutes): DynamicModule {
    return {
      module: GatewayModule,
      controllers: [controllerOf(table), OpenApiController, HealthController, PagesController],
      providers: [
        { provide: Principals, useValue: new SeededKeys(config.PARLEY_SEEDED_KEYS) },
        { provide: ApiDocument, useValue: new ApiDocument(table) },
        { provide: APP_GUARD, useClass: AccessGuard },
        { provide: APP_FILTER, useClass: FaultFilter },
      ],
    };
  }
}
