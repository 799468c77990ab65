import { randomBytes } from 'node:crypto';
import type { ServiceName } from '@parley/contracts';
import { type MessageLog, type Packet, sharedMark, type Subscription, type Transport } from './transport/transport';
import { Heartbeats } from './wire/heartbeats';

/** One application's end of the transport, needed both for asking and for serving. */
export class TransportEndpoint {
  readonly inbox: Inbox;
  readonly heartbeats: Heartbeats;

  constructor(
    readonly transport: Transport,
    readonly log: MessageLog,
  ) {
    this.inbox = new Inbox(transport);
    this.heartbeats = new Heartbeats(() => transport.checkSoon?.());
  }

  /**
   * Tells every replica of a service that the answer for this address is no longer wanted: its caller left, or `isLost`, if we lost
   * it, for which no caller is to pay.
   */
  cancel(service: ServiceName, address: string, { isLost }: { isLost: boolean }): void {
    this.transport.publish(cancelSubject(service), Buffer.from(isLost ? `${address} ${lost}` : address));
  }

  close(): void {
    this.inbox.stop();
    this.heartbeats.close();
  }
}

const lost = 'lost';

/** Reads a cancellation: the address, and whether its answer was lost. */
export function readCancellation(text: string): { address: string; isLost: boolean } {
  const [address = '', why] = text.split(' ');
  return { address, isLost: why === lost };
}

/** The subject on which a service learns which of its work was cancelled. */
export function cancelSubject(service: ServiceName): string {
  return `parley.cancel.${service}`;
}

/** Receives answers. */
export interface AnswerReceiver {
  receive(packet: Packet): void;
  /** The connection was lost or this process is stopping: pending answers will not arrive. */
  lost(): void;
}

/** One subscription for all answers of a process: an address costs a map entry, not a message to the broker. */
class Inbox {
  private readonly prefix: string;
  private receivers = new Addressed<AnswerReceiver>();
  private readonly subscription: Subscription;
  private readonly stopLost: () => void;
  private readonly words = new RandomWords();

  constructor(transport: Transport) {
    this.prefix = `${transport.inbox}.${randomBytes(9).toString('base64url')}`;
    // A late answer to a closed address is dropped.
    this.subscription = transport.subscribe(`${this.prefix}.*`, (packet) => this.receivers.get(packet.subject)?.receive(packet));
    this.stopLost = transport.onLost(() => this.tellLost());
  }

  /**
   * Opens an address that is unique in the installation. Packets go to the receiver until the address is closed. Every service that
   * answers this process may publish to its inbox, so addresses must not be guessable: it could answer what another was asked.
   */
  open(receiver: AnswerReceiver): string {
    const address = `${this.prefix}.${sharedMark}${this.words.next()}`;
    this.receivers.add(address, receiver);
    return address;
  }

  close(address: string): void {
    this.receivers.remove(address);
  }

  stop(): void {
    this.stopLost();
    this.subscription.stop();
    this.tellLost();
    this.receivers = new Addressed();
  }

  private tellLost(): void {
    for (const receiver of this.receivers.values()) receiver.lost();
  }
}

const wordBytes = 9;
const wordsAtOnce = 400;

/** Words that nobody can guess. Random bytes are drawn for many at a time, since single draws would cost more than all the rest. */
class RandomWords {
  private bytes = Buffer.alloc(0);
  private at = 0;

  next(): string {
    if (this.at >= this.bytes.length) {
      this.bytes = randomBytes(wordBytes * wordsAtOnce);
      this.at = 0;
    }
    this.at += wordBytes;
    return this.bytes.toString('base64url', this.at - wordBytes, this.at);
  }
}

const places = 256;
/** An address ends with a random word, whose last characters distribute addresses evenly over the buckets. */
const lastCharacters = 3;

interface AddressedValue<Value> {
  readonly address: string;
  readonly value: Value;
}

/**
 * A map for short-lived values that come and go thousands of times a second. In a Map, each table that V8 replaces points to its
 * successor and still holds its old contents; once one of them counts as old, all later ones, and all requests in them, survive
 * every minor garbage collection. Here nothing refers to removed values.
 */
export class Addressed<Value> {
  private readonly places: AddressedValue<Value>[][] = Array.from({ length: places }, () => []);
  private count = 0;

  get size(): number {
    return this.count;
  }

  add(address: string, value: Value): void {
    this.placeOf(address).push({ address, value });
    this.count += 1;
  }

  get(address: string): Value | undefined {
    for (const known of this.placeOf(address)) if (known.address === address) return known.value;
    return undefined;
  }

  /** Removes an address; removing an unknown one does no harm. */
  remove(address: string): void {
    const place = this.placeOf(address);
    const index = place.findIndex((known) => known.address === address);
    if (index < 0) return;
    const last = place.pop();
    if (last && index < place.length) place[index] = last;
    this.count -= 1;
  }

  /** A copy. */
  values(): Value[] {
    return this.places.flat().map(({ value }) => value);
  }

  private placeOf(address: string): AddressedValue<Value>[] {
    let sum = 0;
    for (let at = Math.max(0, address.length - lastCharacters); at < address.length; at += 1)
      sum = (sum * 31 + address.charCodeAt(at)) % places;
    return this.places[sum] ?? [];
  }
}
