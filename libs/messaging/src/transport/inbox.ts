import { randomBytes } from 'node:crypto';
import type { Packet, Subscription, Transport } from './transport';

/** A place where answers arrive. Its address is unique in the whole installation. */
export interface Letterbox {
  readonly address: string;
  close(): void;
}

/** One subscription for all the answers of a process: opening a letterbox costs a map entry, not a message to the broker. */
export class Inbox {
  private readonly prefix = `parley.inbox.${randomBytes(9).toString('base64url')}`;
  private readonly receivers = new Map<string, (packet: Packet) => void>();
  private readonly subscription: Subscription;
  private opened = 0;

  constructor(transport: Transport) {
    // A letter for a closed box is late news that nobody waits for.
    this.subscription = transport.subscribe(`${this.prefix}.*`, (packet) => this.receivers.get(packet.subject)?.(packet));
  }

  open(receive: (packet: Packet) => void): Letterbox {
    this.opened += 1;
    const address = `${this.prefix}.${this.opened.toString(36)}`;
    this.receivers.set(address, receive);
    return { address, close: () => void this.receivers.delete(address) };
  }

  close(): void {
    this.subscription.stop();
    this.receivers.clear();
  }
}
