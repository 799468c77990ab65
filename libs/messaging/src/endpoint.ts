import { randomBytes } from 'node:crypto';
import type { ServiceName } from '@parley/contracts';
import type { MessageLog, Packet, Subscription, Transport } from './transport/transport';
import { Heartbeats } from './wire/heartbeats';

/** One application's place on the transport: what both asking and serving need. */
export class TransportEndpoint {
  readonly inbox: Inbox;
  readonly heartbeats = new Heartbeats();

  constructor(
    readonly transport: Transport,
    readonly log: MessageLog,
  ) {
    this.inbox = new Inbox(transport);
  }

  /** Tells every replica of a service that the answer to this address is no longer wanted. */
  cancel(service: ServiceName, address: string): void {
    this.transport.publish(cancelSubject(service), Buffer.from(address));
  }

  close(): void {
    this.inbox.stop();
    this.heartbeats.close();
  }
}

/** The subject on which a service hears which of its work was cancelled. */
export function cancelSubject(service: ServiceName): string {
  return `parley.cancel.${service}`;
}

/** Who waits for answers. */
export interface AnswerReceiver {
  receive(packet: Packet): void;
  /** The connection was lost or this process is stopping: pending answers will not arrive. */
  lost(): void;
}

/** One subscription for all the answers of a process: an address costs a map entry, not a message to the broker. */
class Inbox {
  private readonly prefix: string;
  private readonly receivers = new Map<string, AnswerReceiver>();
  private readonly subscription: Subscription;
  private readonly stopLost: () => void;
  private opened = 0;

  constructor(transport: Transport) {
    this.prefix = `${transport.inbox}.${randomBytes(9).toString('base64url')}`;
    // A late answer to a closed address is dropped.
    this.subscription = transport.subscribe(`${this.prefix}.*`, (packet) => this.receivers.get(packet.subject)?.receive(packet));
    this.stopLost = transport.onLost(() => this.tellLost());
  }

  /** Opens an address that is unique across the installation. Packets go to the receiver until it is closed. */
  open(receiver: AnswerReceiver): string {
    this.opened += 1;
    const address = `${this.prefix}.${this.opened.toString(36)}`;
    this.receivers.set(address, receiver);
    return address;
  }

  close(address: string): void {
    this.receivers.delete(address);
  }

  stop(): void {
    this.stopLost();
    this.subscription.stop();
    this.tellLost();
    this.receivers.clear();
  }

  private tellLost(): void {
    for (const receiver of [...this.receivers.values()]) receiver.lost();
  }
}
