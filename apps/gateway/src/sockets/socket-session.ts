import { type ClientFrame, Fault, type ServerFrame, socketCloseCodes, type SocketWarning } from '@parley/contracts';
import { faultOf } from '../faults/fault-of';
import { complaintAbout, readClientFrame } from './client-frames';
import type { ClientSocket } from './client-socket';
import { closingFor, type Closing, errorFrame } from './closing';
import { Offences } from './offences';
import { bytesPerSecond } from './session-opener';
import type { SessionStart, Stage, Talk } from './talk';

interface Setting {
  readonly requestId: string;
  /** What a client has to say `session.start`. */
  readonly startMs: number;
  /** How long nobody may say anything. */
  readonly idleMs: number;
}

/** One socket from its admission to its end: the order of the protocol, and what is told when a client leaves it. */
export class SocketSession implements Stage {
  private readonly talk: Talk;
  private readonly offences = new Offences();
  private readonly idle: NodeJS.Timeout;
  private readonly late: NodeJS.Timeout;
  private start: SessionStart | undefined;

  constructor(
    private readonly client: ClientSocket,
    private readonly setting: Setting,
    talkOn: (stage: Stage) => Talk,
  ) {
    this.talk = talkOn(this);
    const { startMs, idleMs } = setting;
    this.late = setTimeout(() => this.close({ code: socketCloseCodes.idle, reason: 'no session.start came' }), startMs);
    this.idle = setTimeout(() => this.close({ code: socketCloseCodes.idle, reason: 'nothing was said for too long' }), idleMs);
  }

  /** Resolves when the socket is gone and everything is paid, with how it was closed. */
  async run(): Promise<Closing> {
    this.client.listen(this.hearing);
    const closing = await this.client.closed;
    clearTimeout(this.late);
    clearTimeout(this.idle);
    await this.talk.leave(closing.reason || `closed with ${closing.code}`);
    return closing;
  }

  tell(frame: ServerFrame): void {
    this.idle.refresh();
    this.client.tell(frame);
  }

  sound(bytes: Uint8Array): void {
    this.idle.refresh();
    this.client.sound(bytes);
  }

  dropSound(): void {
    this.client.dropSound();
  }

  warn(code: SocketWarning): void {
    this.client.warn(code);
  }

  complain(fault: Fault): void {
    this.client.tell(errorFrame(fault, this.setting.requestId));
  }

  fail(fault: Fault): void {
    this.complain(fault);
    this.close(closingFor(fault));
  }

  close({ code, reason }: Closing): void {
    this.client.close(code, reason);
  }

  private readonly hearing = {
    text: (text: string) => {
      try {
        this.hear(readClientFrame(text));
      } catch (error) {
        this.offend(faultOf(error));
      }
    },
    sound: (bytes: Uint8Array) => {
      const { start } = this;
      if (!start) return this.offend(outOfOrder('session.start comes before sound.'));
      const complaint = complaintAbout(bytes, start.encoding);
      if (complaint) return this.offend(complaint);
      this.idle.refresh();
      if (bytes.length > 0) this.talk.sound(bytes);
    },
  };

  private hear(frame: ClientFrame): void {
    // A ping keeps the connection alive, not the session.
    if (frame.type === 'ping') return this.client.tell({ type: 'pong' });
    this.idle.refresh();
    if (frame.type === 'session.start') return this.begin(frame);
    if (!this.start) return this.offend(outOfOrder(`session.start comes before ${frame.type}.`));
    if (frame.type === 'session.end') this.talk.end();
    else this.talk.say(frame);
  }

  private begin(start: SessionStart): void {
    if (this.start) return this.offend(outOfOrder('The session has begun already.'));
    this.start = start;
    clearTimeout(this.late);
    this.client.bytesPerSecond = bytesPerSecond(start);
    this.talk.begin(start).then(
      (ready) => this.tell(ready),
      (error: unknown) => this.fail(faultOf(error)),
    );
  }

  private offend(fault: Fault): void {
    this.complain(fault);
    if (!this.offences.isOneTooMany()) return;
    this.close({ code: socketCloseCodes.badFrames, reason: 'too many frames that are not understood' });
  }
}

function outOfOrder(message: string): Fault {
  return new Fault('VALIDATION_FAILED', { message });
}
