import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import type { ArrivedCall, Listening } from '@parley/ports';
import { listenForAudioSockets } from '@parley/providers/asterisk-audiosocket';
import { realClock } from '@parley/voice-session';
import { CallSettings } from '../line/call-parts';
import { ArrivedCalls } from './arrived-calls';

/** Where AudioSockets are taken; no port, none are. */
export abstract class AudioSocketAddress {
  abstract readonly host: string;
  abstract readonly port: number | undefined;
}

/** Where Asterisk's AudioSockets come in. The UUID that each begins with is the token of its call, and it is used up. */
@Injectable()
export class AudioSocketDoor implements OnApplicationBootstrap, OnModuleDestroy {
  private listening: Listening | undefined;

  constructor(
    private readonly address: AudioSocketAddress,
    private readonly arrived: ArrivedCalls,
    private readonly settings: CallSettings,
  ) {}

  /** Where it listens; undefined while it does not. */
  get port(): number | undefined {
    return this.listening?.port;
  }

  async onApplicationBootstrap(): Promise<void> {
    const { host, port } = this.address;
    if (port === undefined) return;
    const handler = { arrived: (call: ArrivedCall) => this.arrived.takeByToken(call), noticed: () => undefined };
    this.listening = await listenForAudioSockets({ host, port }, handler, realClock);
  }

  async onModuleDestroy(): Promise<void> {
    await this.listening?.close(new Date(Date.now() + this.settings.drainMs));
  }
}
