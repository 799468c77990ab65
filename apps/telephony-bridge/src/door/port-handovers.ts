import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { handOnPort } from '@parley/contracts';
import { type Channel, isTemporary, ServiceBus } from '@parley/messaging';
import type { AddressHandover } from '@parley/ports';
import type { z } from 'zod';
import { type CallIdentity, inCallOf } from '../line/call-parts';

const tryMs = 2_000;
const pauseMs = 50;

type HandoverChannel = Channel<z.output<typeof handOnPort.signal>>;

/** The channel between a stopping replica and the one that accepts new calls at its port. */
export class PortHandover implements AddressHandover {
  isClosed = false;
  readonly closed: Promise<void>;
  /** Resolves once the other replica stops as well, or the channel is closed. */
  readonly left: Promise<void>;
  private listener: (frame: Uint8Array) => void = () => undefined;

  constructor(private readonly channel: HandoverChannel) {
    this.closed = channel.closed.then(() => void (this.isClosed = true));
    this.left = this.read();
  }

  send(frame: Uint8Array): void {
    this.channel.send(frame);
  }

  hear(listener: (frame: Uint8Array) => void): void {
    this.listener = listener;
  }

  leave(): void {
    this.channel.signal({ type: 'leaving' });
  }

  close(): void {
    this.channel.close('the port is free');
  }

  private async read(): Promise<void> {
    const left = Promise.withResolvers<void>();
    const all = async (): Promise<void> => {
      for await (const item of this.channel.incoming) {
        if ('frame' in item) this.listener(item.frame);
        else left.resolve();
      }
    };
    await Promise.race([left.promise, all()]);
  }
}

/** Finds the replica that accepts the new calls at a port while this replica's calls continue there. */
@Injectable()
export class PortHandovers {
  constructor(private readonly bus: ServiceBus) {}

  /** Asks one replica after the other, at least once; undefined if the port is not leased to any of them in time. */
  async find(
    port: number,
    { account, withinMs, gone }: { account: CallIdentity; withinMs: number; gone: AbortSignal },
  ): Promise<PortHandover | undefined> {
    for (const untilMs = Date.now() + withinMs; !gone.aborted;) {
      try {
        const { channel } = await inCallOf(account, () => this.bus.open(handOnPort, { port }, { timeoutMs: tryMs }), gone);
        return new PortHandover(channel);
      } catch (error) {
        if (!isTemporary(error) || Date.now() > untilMs) return undefined;
      }
      await delay(pauseMs);
    }
    return undefined;
  }
}
