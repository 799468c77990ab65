import { randomBytes } from 'node:crypto';
import { Logger } from '@nestjs/common';
import type { ServiceName } from '@parley/contracts';
import type { Packet, Subscription, Transport } from './transport/transport';
import { Pulse } from './wire/pulse';

/** One application's place on the transport: what both asking and serving need. */
export class Endpoint {
  readonly inbox: Inbox;
  readonly pulse = new Pulse();

  constructor(
    readonly transport: Transport,
    readonly log: MessageLog,
  ) {
    this.inbox = new Inbox(transport);
  }

  /** Tells every replica of a service that nobody waits any more for the answer to this address. */
  cancel(service: ServiceName, address: string): void {
    this.transport.publish(cancelSubject(service), Buffer.from(address));
  }

  close(): void {
    this.inbox.stop();
    this.pulse.close();
  }
}

/** Where a service hears which of its work is not wanted any more. */
export function cancelSubject(service: ServiceName): string {
  return `parley.cancel.${service}`;
}

/** Who waits for answers. */
export interface Addressee {
  receive(packet: Packet): void;
  /** The connection was lost, or this process takes its leave: what was under way will not come any more. */
  lost(): void;
}

/** One subscription for all the answers of a process: an address costs a map entry, not a message to the broker. */
class Inbox {
  private readonly prefix: string;
  private readonly addressees = new Map<string, Addressee>();
  private readonly subscription: Subscription;
  private readonly stopLost: () => void;
  private opened = 0;

  constructor(transport: Transport) {
    this.prefix = `${transport.inbox}.${randomBytes(9).toString('base64url')}`;
    // A letter for a closed box is late news that nobody waits for.
    this.subscription = transport.subscribe(`${this.prefix}.*`, (packet) => this.addressees.get(packet.subject)?.receive(packet));
    this.stopLost = transport.onLost(() => this.tellLost());
  }

  /** An address that is unique in the whole installation. What comes there is handed to whoever opened it, until it is closed. */
  open(addressee: Addressee): string {
    this.opened += 1;
    const address = `${this.prefix}.${this.opened.toString(36)}`;
    this.addressees.set(address, addressee);
    return address;
  }

  close(address: string): void {
    this.addressees.delete(address);
  }

  stop(): void {
    this.stopLost();
    this.subscription.stop();
    this.tellLost();
    this.addressees.clear();
  }

  private tellLost(): void {
    for (const addressee of [...this.addressees.values()]) addressee.lost();
  }
}

/** Where messaging says what must not reach a caller. A pino logger fits as it is. */
export interface MessageLog {
  error(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

/** Writes through whatever logger the Nest application has. */
export const nestMessageLog: MessageLog = {
  error: (fields, message) => Logger.error({ ...fields, message }, 'messaging'),
  warn: (fields, message) => Logger.warn({ ...fields, message }, 'messaging'),
};
