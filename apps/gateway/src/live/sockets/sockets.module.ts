import { type DynamicModule, Module } from '@nestjs/common';
import { AsyncApiController, SocketDocument } from '../../api/openapi/socket-document';
import type { GatewayConfig } from '../../config';
import { socketAddressOf } from '../../door/tokens/entry-tokens';
import { SocketAdmission } from './socket-admission';
import { QuestionLimits, SessionHolders, SessionNewsController, SessionOpener } from './session-opener';
import { socketLimits } from './exchange';
import { SocketServer, SocketSettings } from './socket-server';
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
