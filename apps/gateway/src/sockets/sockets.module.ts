import { type DynamicModule, Module } from '@nestjs/common';
import type { GatewayConfig } from '../config';
import { Entrance } from './entrance';
import { SessionOpener } from './session-opener';
import { SocketServer } from './socket-server';
import { SocketSettings } from './socket-settings';
import { Talks } from './talks';

/** Live voice and chat over WebSockets. */
@Module({})
export class SocketsModule {
  /** `keys` says who may enter, `money` what it costs. */
  static with(config: GatewayConfig, doorkeepers: NonNullable<DynamicModule['imports']>): DynamicModule {
    const settings = { provide: SocketSettings, useValue: new SocketSettings(config) };
    return { module: SocketsModule, imports: doorkeepers, providers: [Entrance, SessionOpener, SocketServer, settings, Talks] };
  }
}
