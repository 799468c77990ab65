import { Fault, ownerOf, type Subject } from '@parley/contracts';
import type { Endpoint } from '../endpoint';
import type { Addressee } from '../transport/inbox';
import type { Packet } from '../transport/transport';
import { decodeFault } from '../wire/fault-body';
import type { Frame } from '../wire/frame';
import { eachFrame } from '../wire/parcels';
import type { Heart, Watch } from '../wire/pulse';
import { encodeQuestion } from '../wire/question';
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
export class Conversation implements Addressee, Heart {
  readonly address: string;
  private readonly watch: Watch;
  private over = false;

  constructor(
    private readonly endpoint: Endpoint,
    private readonly call: OutgoingCall,
    private readonly subject: Subject,
    private readonly hearing: Hearing,
  ) {
    this.address = endpoint.inbox.open(this);
    this.watch = endpoint.pulse.watch(this);
    call.onGivenUp((fault) => this.giveUp(fault));
  }

  get isUrgent(): boolean {
    return this.hearing.isUrgent ?? false;
  }

  send(body: string): void {
    const { transport } = this.endpoint;
    if (transport.status() !== 'connected') return this.fail(unavailable(`the connection is ${transport.status()}`));
    transport.publish(this.subject, encodeQuestion(this.call.headers, body, transport.principals), { reply: this.address });
  }

  receive({ data, nobodyListens }: Packet): void {
    if (nobodyListens) this.fail(unavailable(`nobody answers ${this.subject}`));
    else eachFrame(data, (frame) => this.hear(frame));
  }

  beat(): void {
    this.hearing.beat?.();
  }

  silent(): void {
    this.giveUp(unavailable(`${this.subject} fell silent`));
  }

  lost(): void {
    this.fail(unavailable('the connection was lost'));
  }

  finish(error?: unknown): void {
    if (this.over) return;
    this.over = true;
    this.endpoint.inbox.close(this.address);
    this.watch.stop();
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
