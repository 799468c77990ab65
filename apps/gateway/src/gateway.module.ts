import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { APP_FILTER, APP_GUARD } from '@nestjs/core';
import { AccessGuard } from './access/access.guard';
import { PermitGuard } from './access/permit.guard';
import { AuditModule } from './audit/audit.module';
import type { GatewayConfig } from './config';
import { CreditsModule } from './credits/credits.module';
import { DemoModule } from './demo/demo.module';
import { FaultFilter } from './faults/fault.filter';
import { IdempotencyModule } from './idempotency/idempotency.module';
import { ReplayFilter } from './idempotency/replay.filter';
import { ApiDocument } from './openapi/api-document';
import { KeysModule } from './keys/keys.module';
import { OpenApiController } from './openapi/openapi.controller';
import { AddressGuard, RateLimitGuard } from './rate-limit/rate-limit.guard';
import { RateLimitModule } from './rate-limit/rate-limit.module';
import { HealthController } from './reference/health.controller';
import { PagesController } from './reference/pages.controller';
import { controllerOf } from './routes/controller-of';
import { type RouteTable, publicRoutes } from './routes/route-table';
import { SocketsModule } from './sockets/sockets.module';
import { StreamingModule } from './streaming/streaming.module';
import { TokensModule } from './tokens/tokens.module';

type ModuleChoice = Type | DynamicModule;

/** What a test may give instead of the real thing. */
interface Parts {
  readonly table?: RouteTable;
  /** Provides Principals, OpenSockets, EntryTokens and WidgetsService. */
  readonly keys?: DynamicModule;
  /** Provides Charging. */
  readonly money?: readonly ModuleChoice[];
  /** Provides ActionTrail. */
  readonly audit?: ModuleChoice;
}

/** The public door: the route table as controllers, who may enter, one shape for every error, and the documents. */
@Module({})
export class GatewayModule {
  static with(config: GatewayConfig, parts: Parts = {}): DynamicModule {
    const { table = publicRoutes, keys = keyModules(config), audit = AuditModule, money = moneyModules(config) } = parts;
    return {
      module: GatewayModule,
      imports: [
        RateLimitModule.with(config),
        keys,
        audit,
        ...money,
        StreamingModule.with(config, [keys, audit, ...money]),
        SocketsModule.with(config, [keys, ...money]),
        DemoModule.with(config),
      ],
      controllers: [controllerOf(table), OpenApiController, HealthController, PagesController],
      providers: [
        { provide: ApiDocument, useValue: new ApiDocument(table) },
        { provide: APP_GUARD, useClass: AccessGuard },
        AddressGuard,
        { provide: APP_GUARD, useClass: RateLimitGuard },
        { provide: APP_GUARD, useClass: PermitGuard },
        { provide: APP_FILTER, useClass: FaultFilter },
        // After the filter for everything: Nest asks the last one first.
        { provide: APP_FILTER, useClass: ReplayFilter },
      ],
    };
  }
}

/** Keys, and what is made with them: widgets and tokens. */
function keyModules(config: GatewayConfig): DynamicModule {
  return TokensModule.with(config, KeysModule.with(config));
}

function moneyModules(config: GatewayConfig): readonly ModuleChoice[] {
  return [CreditsModule.with(config), IdempotencyModule];
}
