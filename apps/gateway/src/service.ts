import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { APP_FILTER, APP_GUARD } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { FileStore } from '@parley/ports';
import { openFileStore } from '@parley/providers/configured-files';
import { defineService } from '@parley/service-kit';
import { AcceptInviteController } from './api/accept-invite.controller';
import {
  ContactsExportController,
  FactsExportController,
  RecordingController,
  UsageExportController,
} from './api/files/downloads.controller';
import { ContactsUploadController, DocumentUploadController, SpreadsheetsController, Uploads } from './api/files/uploads';
import { OperatorModule } from './api/operator/operator-terms.controller';
import { ApiDocument, OpenApiController } from './api/openapi/api-document';
import { controllerOf, publicRoutes, type RouteTable } from './api/routes/route-table';
import { GatewayConfig } from './config';
import { gatewaySchema } from './database/schema';
import { socketAddress, socketAddressOf } from './door/access/entry-tokens';
import { KeysModule } from './door/access/keys.module';
import { Devices } from './door/access/devices';
import { Admission, PermitGuard } from './door/access/permits';
import { TokensModule } from './door/access/tokens.module';
import { AuditModule } from './door/audit/audit.module';
import { FaultFilter } from './door/faults';
import { configureHttp } from './door/http/configure-http';
import { fastifyOptions } from './door/http/fastify-options';
import { IdempotencyModule, ReplayFilter } from './door/idempotency/idempotency.guard';
import { AddressGuard, RateLimitModule } from './door/limits/rate-limits';
import { ChatAnswers, ChatController, TextQuestionController } from './live/chat/chat-answers';
import { VoiceOffers } from './live/chat/chat-request';
import { LiveCallsController } from './live/event-streams';
import { SocketAdapter } from './live/sockets/socket-adapter';
import { SocketsModule } from './live/sockets/socket-gateways';
import { SynthesisController, TranscriptionController, VoicePreviewController } from './live/speech/speech.controller';
import { CreditsModule } from './money/credits.module';
import { DemoModule, HealthController, PagesController } from './pages/pages.controller';

// For the host's tests of every endpoint: that it is implemented, and that it reveals nothing without authentication.
export { everyRoute } from './api/routes/route-table';
export { handWritten } from './api/hand-written';

/** The platform's only public service. */
export const gateway = defineService({
  name: 'gateway',
  config: GatewayConfig,
  database: gatewaySchema,
  module: (config) => GatewayModule.with(config),
  http: {
    port: (config) => config.PORT,
    host: (config) => config.HOST,
    hostVariable: 'HOST',
    server: fastifyOptions,
    configure: configureGateway,
  },
});

/** Configures a Nest application as the public entry, for requests and sockets. */
export async function configureGateway(app: NestFastifyApplication, config: GatewayConfig): Promise<void> {
  app.useWebSocketAdapter(new SocketAdapter(app.getHttpServer()));
  await configureHttp(app, config);
}

type ModuleChoice = Type | DynamicModule;

/** What tests may replace. */
interface GatewayParts {
  readonly table?: RouteTable;
  /** Provides Principals, OpenConnections, EntryTokens and WidgetsService. */
  readonly keys?: DynamicModule;
  /** Provides Charging. */
  readonly money?: readonly ModuleChoice[];
  /** Provides ActionTrail. */
  readonly audit?: ModuleChoice;
}

/** The public API: the route table as controllers, authentication, one error format, and the documents. */
@Module({})
export class GatewayModule {
  static with(config: GatewayConfig, parts: GatewayParts = {}): DynamicModule {
    const {
      table = publicRoutes,
      keys = keyModules(config),
      audit = AuditModule.with(config),
      money = moneyModules(config, { audit, keys }),
    } = parts;
    return {
      module: GatewayModule,
      imports: [
        RateLimitModule.with(config),
        keys,
        audit,
        ...money,
        HandWrittenModule.with(config, [keys, audit, ...money]),
        SocketsModule.with(config, [keys, ...money]),
        DemoModule.with(config),
      ],
      controllers: [controllerOf(table), OpenApiController, HealthController, PagesController],
      providers: [
        { provide: ApiDocument, useValue: new ApiDocument(table) },
        Admission,
        Devices,
        { provide: APP_GUARD, useClass: AddressGuard },
        { provide: APP_GUARD, useClass: PermitGuard },
        { provide: APP_FILTER, useClass: FaultFilter },
        // Must follow the catch-all filter: Nest applies the last one first.
        { provide: APP_FILTER, useClass: ReplayFilter },
      ],
    };
  }
}

/** Keys and what is created with them: widgets and tokens. */
function keyModules(config: GatewayConfig): DynamicModule {
  return TokensModule.with(config, KeysModule.with(config));
}

function moneyModules(
  config: GatewayConfig,
  { audit, keys }: { readonly audit: ModuleChoice; readonly keys: DynamicModule },
): readonly ModuleChoice[] {
  const credits = CreditsModule.with(config);
  return [credits, IdempotencyModule.with(audit, openFileStore(config)), OperatorModule.with([audit, credits, keys])];
}

/** Hand-written endpoints, which are not one request with one reply: uploads, downloads, streams. */
@Module({
  controllers: [
    AcceptInviteController,
    ChatController,
    ContactsExportController,
    ContactsUploadController,
    DocumentUploadController,
    SpreadsheetsController,
    LiveCallsController,
    RecordingController,
    SynthesisController,
    TextQuestionController,
    TranscriptionController,
    FactsExportController,
    UsageExportController,
    VoicePreviewController,
  ],
  providers: [Uploads],
})
class HandWrittenModule {
  /** `needed` provides what these endpoints inject: keys and tokens, the audit trail, charging. */
  static with(config: GatewayConfig, needed: readonly ModuleChoice[]): DynamicModule {
    const files = { provide: FileStore, useFactory: () => openFileStore(config) };
    const address = { provide: socketAddress, useValue: socketAddressOf(config) };
    return { module: HandWrittenModule, imports: [...needed], providers: [ChatAnswers, VoiceOffers, files, address] };
  }
}
