import { type DynamicModule, Module } from '@nestjs/common';
import { AsyncApiController } from '../asyncapi/asyncapi.controller';
import { SocketDocument } from '../asyncapi/socket-document';
import type { GatewayConfig } from '../config';
import { socketAddressOf } from '../tokens/socket-address';
import { Entrance } from './entrance';
import { SessionOpener } from './session-opener';
import { SocketServer } from './socket-server';
import { SocketSettings } from './socket-settings';
import { Talks } from './talks';

/** Live voice and chat over WebSockets, and the document that describes them. */
@Module({})
export class SocketsModule {
  /** `keys` says who may enter, `money` what it costs. */
  static with(config: GatewayConfig, doorkeepers: NonNullable<DynamicModule['imports']>): DynamicModule {
    const settings = { provide: SocketSettings, useValue: new SocketSettings(config) };
    const document = { provide: SocketDocument, useValue: new SocketDocument(socketAddressOf(config)) };
    const providers = [Entrance, SessionOpener, SocketServer, settings, document, Talks];
    return { module: SocketsModule, imports: doorkeepers, controllers: [AsyncApiController], providers };
  }
}
