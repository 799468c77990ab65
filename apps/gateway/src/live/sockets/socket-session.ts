import { ClientFrame, Fault, type ServerFrame, socketCloseCodes, type SocketWarning } from '@parley/contracts';
import { faultOf } from '../../door/faults';
import { parseInput } from '../../api/routes/complaints';
import type { ClientSocket } from './client-socket';
import {
  bytesPerSecond,
  type ClientSide,
  type Closing,
  closingFor,
  errorFrame,
  type Exchange,
  type SessionStart,
  socketLimits,
} from './exchange';

const { violationsMax, violationForgottenMs } = socketLimits;

interface Setting {
  readonly requestId: string;
  /** What a client has to say `session.start`. */
  readonly startMs: number;
  /** How long nobody may say anything. */
  readonly idleMs: number;
  /** Takes one typed question from the limits of whoever asks; a Fault where there is none left. */
  takeQuestion(): Fault | undefined;
  /** The session has begun for this client. */
  onReady(sessionUUID: string): void;
}

/** One socket from its admission to its end: the order of the protocol, and what is told when a client leaves it. */
export class SocketSession implements ClientSide {
  private readonly exchange: Exchange;
  private readonly violations = new Violations();
  private readonly idle: NodeJS.Timeout;
  private readonly late: NodeJS.Timeout;
  private start: SessionStart | undefined;

  constructor(
    private readonly client: ClientSocket,
    private readonly setting: Setting,
    exchangeOn: (client: ClientSide) => Exchange,
  ) {
    this.exchange = exchangeOn(this);
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
    await this.exchange.leave(closing.reason || `closed with ${closing.code}`);
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
        this.objectTo(faultOf(error));
      }
    },
    sound: (bytes: Uint8Array) => {
      const { start } = this;
      if (!start) return this.objectTo(outOfOrder('session.start comes before sound.'));
      const complaint = complaintAbout(bytes, start.encoding);
      if (complaint) return this.objectTo(complaint);
      this.idle.refresh();
      if (bytes.length > 0) this.exchange.sound(bytes);
    },
  };

  private hear(frame: ClientFrame): void {
    // A ping keeps the connection alive, not the session.
    if (frame.type === 'ping') return this.client.tell({ type: 'pong' });
    this.idle.refresh();
    if (frame.type === 'session.start') return this.begin(frame);
    if (!this.start) return this.objectTo(outOfOrder(`session.start comes before ${frame.type}.`));
    if (frame.type === 'session.end') return this.exchange.end();
    const refused = frame.type === 'text' ? this.setting.takeQuestion() : undefined;
    if (refused) this.complain(refused);
    else this.exchange.say(frame);
  }

  private begin(start: SessionStart): void {
    if (this.start) return this.objectTo(outOfOrder('The session has begun already.'));
    this.start = start;
    clearTimeout(this.late);
    this.client.bytesPerSecond = bytesPerSecond(start);
    this.exchange.begin(start).then(
      (ready) => {
        if (ready.type === 'session.ready') this.setting.onReady(ready.sessionUUID);
        this.tell(ready);
      },
      (error: unknown) => this.fail(faultOf(error)),
    );
  }

  private objectTo(fault: Fault): void {
    this.complain(fault);
    if (!this.violations.isOneTooMany()) return;
    this.close({ code: socketCloseCodes.badFrames, reason: 'too many frames that are not understood' });
  }
}

function outOfOrder(message: string): Fault {
  return new Fault('VALIDATION_FAILED', { message });
}

/** Counts what a client does against the protocol. An honest mistake now and then is forgotten. */
class Violations {
  private forgottenAtMs = 0;

  constructor(private readonly now: () => number = performance.now.bind(performance)) {}

  /** Notes one, and tells whether it was one too many. */
  isOneTooMany(): boolean {
    const nowMs = this.now();
    this.forgottenAtMs = Math.max(this.forgottenAtMs, nowMs) + violationForgottenMs;
    return this.forgottenAtMs - nowMs > violationsMax * violationForgottenMs;
  }
}

/** What a text frame says; a Fault for one that the protocol does not know. */
function readClientFrame(text: string): ClientFrame {
  return parseInput(ClientFrame, parsed(text));
}

/** What is wrong with a piece of sound, if anything. */
function complaintAbout(sound: Uint8Array, encoding: 'pcm16' | 'mulaw'): Fault | undefined {
  if (encoding === 'mulaw' || sound.byteLength % 2 === 0) return undefined;
  return new Fault('VALIDATION_FAILED', { message: 'Sound as pcm16 has two bytes a sample; this frame has half a sample.' });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Fault('MALFORMED_JSON', { message: 'A text frame must be JSON.', cause });
  }
}
