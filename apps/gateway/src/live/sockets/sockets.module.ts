import { type DynamicModule, Module } from '@nestjs/common';
import { AsyncApiController } from '../../api/asyncapi/asyncapi.controller';
import { SocketDocument } from '../../api/asyncapi/socket-document';
import type { GatewayConfig } from '../../config';
import { socketAddressOf } from '../../door/tokens/socket-address';
import { SocketAdmission } from './socket-admission';
import { SessionOpener } from './session-opener';
import { SessionHolders, SessionNewsController } from './session-holders';
import { QuestionLimits } from './visitor-rules';
import { socketLimits } from './socket-limits';
import { SocketServer } from './socket-server';
import { SocketSettings } from './socket-settings';
import { Exchanges } from './exchanges';

/** Live voice and chat over WebSockets, and the document that describes them. */
@Module({})
export class SocketsModule {
  /** `keys` says who may enter, `money` what it costs. */
  static with(config: GatewayConfig, doorkeepers: NonNullable<DynamicModule['imports']>): DynamicModule {
    const settings = { provide: SocketSettings, useValue: new SocketSettings(config) };
    const document = { provide: SocketDocument, useValue: new SocketDocument(socketAddressOf(config), socketLimits) };
    const providers = [
      SessionHolders,
      QuestionLimits,
      SocketAdmission,
      SessionOpener,
      SocketServer,
      settings,
      document,
      Exchanges,
    ];
    return { module: SocketsModule, imports: doorkeepers, controllers: [AsyncApiController, SessionNewsController], providers };
  }
}
