import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { APP_FILTER, APP_GUARD } from '@nestjs/core';
import { Admission } from './door/access/admission';
import { PermitGuard } from './door/access/permits';
import { AuditModule } from './door/audit/audit.module';
import type { GatewayConfig } from './config';
import { CreditsModule } from './money/credits.module';
import { DemoModule } from './pages/demo/demo.controller';
import { FaultFilter } from './door/faults';
import { IdempotencyModule, ReplayFilter } from './door/idempotency/idempotency.guard';
import { ApiDocument, OpenApiController } from './api/openapi/api-document';
import { KeysModule } from './door/keys/keys.module';
import { AddressGuard, RateLimitModule } from './door/limits/rate-limit.module';
import { OperatorModule } from './operator/operator-terms.controller';
import { HealthController, PagesController } from './pages/pages.controller';
import { controllerOf } from './api/routes/controller-of';
import { type RouteTable, publicRoutes } from './api/routes/route-table';
import { SocketsModule } from './live/sockets/sockets.module';
import { StreamingModule } from './live/streaming.module';
import { TokensModule } from './door/tokens/tokens.module';

type ModuleChoice = Type | DynamicModule;

/** What a test may give instead of the real thing. */
interface Parts {
  readonly table?: RouteTable;
  /** Provides Principals, OpenConnections, EntryTokens and WidgetsService. */
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
    const {
      table = publicRoutes,
      keys = keyModules(config),
      audit = AuditModule.with(config),
      money = moneyModules(config, audit),
    } = parts;
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
        Admission,
        { provide: APP_GUARD, useClass: AddressGuard },
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

function moneyModules(config: GatewayConfig, audit: ModuleChoice): readonly ModuleChoice[] {
  const credits = CreditsModule.with(config);
  return [credits, IdempotencyModule.with(audit), OperatorModule.with([audit, credits])];
}
