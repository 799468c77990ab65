import { Fault, ownerOf, type Subject } from '@parley/contracts';
import type { Endpoint } from '../endpoint';
import type { Letterbox } from '../transport/inbox';
import type { PacketHeaders } from '../transport/transport';
import { decodeFault } from '../wire/fault-body';
import type { Frame } from '../wire/frame';
import { eachFrame } from '../wire/parcels';
import type { Watch } from '../wire/pulse';
import { unavailable } from '../wire/unavailable';
import type { OutgoingCall } from './outgoing-call';

export interface Hearing {
  /** A frame of the other side that is neither a beat nor a fault. */
  frame(frame: Frame): void;
  /** The conversation is over and failed. */
  failed(fault: Fault): void;
  beat?(): void;
  /** Whether somebody waits for every frame. */
  readonly isUrgent?: boolean;
}

/**
 * The asking side of anything: sends one message and hears what comes back, until one of four ends.
 * Finished, failed over there, given up here (deadline, caller gone), or lost (nobody there, silence, connection).
 */
export class Conversation {
  private readonly letterbox: Letterbox;
  private readonly watch: Watch;
  private readonly stopLost: () => void;
  private over = false;

  constructor(
    private readonly endpoint: Endpoint,
    private readonly call: OutgoingCall,
    private readonly subject: Subject,
    private readonly hearing: Hearing,
  ) {
    this.letterbox = endpoint.inbox.open((packet) => {
      if (packet.nobodyListens) this.fail(unavailable(`nobody answers ${subject}`));
      else eachFrame(packet.data, (frame) => this.hear(frame));
    });
    this.watch = endpoint.pulse.watch({
      beat: () => hearing.beat?.(),
      silent: () => this.giveUp(unavailable(`${subject} fell silent`)),
      isUrgent: hearing.isUrgent ?? false,
    });
    this.stopLost = endpoint.transport.onLost(() => this.fail(unavailable('the connection was lost')));
    call.onGivenUp((fault) => this.giveUp(fault));
  }

  get address(): string {
    return this.letterbox.address;
  }

  send(body: string, headers: PacketHeaders = this.call.headers): void {
    const { transport } = this.endpoint;
    if (transport.status() !== 'connected') return this.fail(unavailable(`the connection is ${transport.status()}`));
    transport.publish(this.subject, Buffer.from(body), { reply: this.address, headers });
  }

  finish(error?: unknown): void {
    if (this.over) return;
    this.over = true;
    this.letterbox.close();
    this.watch.stop();
    this.stopLost();
    this.call.end(error);
  }

  /** Ends here and tells the other side to stop. */
  giveUp(fault: Fault): void {
    if (this.over) return;
    this.endpoint.cancel(ownerOf({ subject: this.subject }), this.address);
    this.fail(fault);
  }

  fail(fault: Fault): void {
    if (this.over) return;
    this.finish(fault);
    this.hearing.failed(fault);
  }

  private hear(frame: Frame | undefined): void {
    if (this.over) return;
    this.watch.heard();
    if (frame?.kind === 'beat') return;
    if (!frame) this.giveUp(new Fault('INTERNAL', { cause: new Error('not a frame') }));
    else if (frame.kind === 'fault') this.fail(decodeFault(frame.body));
    else this.hearing.frame(frame);
  }
}
