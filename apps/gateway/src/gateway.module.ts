import { type DynamicModule, Module } from '@nestjs/common';
import { APP_FILTER, APP_GUARD } from '@nestjs/core';
import { AccessGuard } from './access/access.guard';
import { PermitGuard } from './access/permit.guard';
import type { GatewayConfig } from './config';
import { FaultFilter } from './faults/fault.filter';
import { ApiDocument } from './openapi/api-document';
import { KeysModule } from './keys/keys.module';
import { OpenApiController } from './openapi/openapi.controller';
import { RateLimitGuard } from './rate-limit/rate-limit.guard';
import { RateLimitModule } from './rate-limit/rate-limit.module';
import { HealthController } from './reference/health.controller';
import { PagesController } from './reference/pages.controller';
import { controllerOf } from './routes/controller-of';
import { type RouteTable, publicRoutes } from './routes/route-table';

/** What a test may give instead of the real thing. */
interface Parts {
  readonly table?: RouteTable;
  /** Provides Principals. */
  readonly keys?: DynamicModule;
}

/** The public door: the route table as controllers, who may enter, one shape for every error, and the documents. */
@Module({})
export class GatewayModule {
  static with(config: GatewayConfig, { table = publicRoutes, keys = KeysModule.with(config) }: Parts = {}): DynamicModule {
    return {
      module: GatewayModule,
      imports: [RateLimitModule.with(config), keys],
      controllers: [controllerOf(table), OpenApiController, HealthController, PagesController],
      providers: [
        { provide: ApiDocument, useValue: new ApiDocument(table) },
        { provide: APP_GUARD, useClass: AccessGuard },
        { provide: APP_GUARD, useClass: RateLimitGuard },
        { provide: APP_GUARD, useClass: PermitGuard },
        { provide: APP_FILTER, useClass: FaultFilter },
      ],
    };
  }
}
