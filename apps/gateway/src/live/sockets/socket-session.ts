import { Fault, type ServerFrame, socketCloseCodes, type SocketWarning } from '@parley/contracts';
import { faultOf } from '../../door/faults';
import type { ClientSocket } from './client-socket';
import {
  bytesPerSecond,
  type ClientSide,
  type SessionFrame,
  type Closing,
  closingFor,
  errorFrame,
  type Relay,
  type SessionStart,
  socketLimits,
} from './relay';
import type { Admitted } from './socket-admission';

const { violationsMax, violationForgottenMs } = socketLimits;

interface Setting {
  readonly requestId: string;
  /** How long a client may take to send `session.start`. */
  readonly startMs: number;
  /** How long a session may be idle. */
  readonly idleMs: number;
  /** The session has begun for this client. */
  onReady(sessionUUID: string): void;
}

/** One socket from admission to close: the order of its frames, and how it closes. */
export class SocketSession implements ClientSide {
  private readonly relay: Relay;
  private readonly violations = new Violations();
  private readonly idle: IdleTimer;
  private readonly late: NodeJS.Timeout;
  private start: SessionStart | undefined;

  constructor(
    private readonly client: ClientSocket,
    private readonly setting: Setting,
    readonly admitted: Admitted,
    relayFor: (admitted: Admitted, client: ClientSide) => Relay,
  ) {
    this.relay = relayFor(admitted, this);
    const { startMs, idleMs } = setting;
    this.late = setTimeout(() => this.close({ code: socketCloseCodes.idle, reason: 'no session.start came' }), startMs);
    this.idle = new IdleTimer(idleMs, () => this.endIdle());
  }

  /** Resolves with the close code once the socket is closed and everything is paid. */
  async run(): Promise<Closing> {
    this.client.begin();
    const closing = await this.client.closed;
    clearTimeout(this.late);
    this.idle.stop();
    await this.relay.leave(closing.reason || `closed with ${closing.code}`);
    return closing;
  }

  tell(frame: ServerFrame): void {
    this.idle.restart();
    this.client.tell(frame);
  }

  sound(bytes: Uint8Array): void {
    this.idle.restart();
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

  /** Closes once nothing is being said any more. */
  closeWhenQuiet(closing: Closing): void {
    this.relay.whenQuiet(() => this.close(closing));
  }

  private endIdle(): void {
    if (this.start) this.client.tell({ type: 'session.ended', reason: 'IDLE' });
    this.close({ code: socketCloseCodes.idle, reason: 'nothing was said for too long' });
  }

  get hasStarted(): boolean {
    return this.start !== undefined;
  }

  receiveSound(bytes: Uint8Array): void {
    const { start } = this;
    if (!start) return this.reportViolation(outOfOrder('session.start comes before sound.'));
    const complaint = complaintAbout(bytes, start.encoding);
    if (complaint) return this.reportViolation(complaint);
    this.idle.restart();
    if (bytes.length > 0) this.relay.sound(bytes);
  }

  frame(frame: SessionFrame): void {
    this.idle.restart();
    if (!this.start) return this.reportViolation(outOfOrder(`session.start comes before ${frame.type}.`));
    this.relay.frame(frame);
  }

  end(): void {
    this.idle.restart();
    if (!this.start) return this.reportViolation(outOfOrder('session.start comes before session.end.'));
    this.relay.end();
  }

  begin(start: SessionStart): void {
    this.idle.restart();
    if (this.start) return this.reportViolation(outOfOrder('The session has begun already.'));
    this.start = start;
    clearTimeout(this.late);
    this.client.bytesPerSecond = bytesPerSecond(start);
    this.relay.begin(start).then(
      (ready) => {
        if (ready.type === 'session.ready') this.setting.onReady(ready.sessionUUID);
        this.tell(ready);
      },
      (error: unknown) => this.fail(faultOf(error)),
    );
  }

  /** Reports a protocol violation. Too many end the session. */
  reportViolation(fault: Fault): void {
    this.complain(fault);
    if (!this.violations.isOverLimit()) return;
    this.close({ code: socketCloseCodes.badFrames, reason: 'too many frames that are not understood' });
  }
}

/** Calls back once, when it was not restarted for this long. It is restarted by every frame, which costs a timer more than a number. */
class IdleTimer {
  private sinceMs = performance.now();
  private timer: NodeJS.Timeout;

  constructor(
    private readonly idleMs: number,
    private readonly onIdle: () => void,
  ) {
    this.timer = setTimeout(() => this.check(), idleMs);
  }

  restart(): void {
    this.sinceMs = performance.now();
  }

  stop(): void {
    clearTimeout(this.timer);
  }

  private check(): void {
    const leftMs = this.sinceMs + this.idleMs - performance.now();
    if (leftMs <= 0) return this.onIdle();
    this.timer = setTimeout(() => this.check(), leftMs);
  }
}

function outOfOrder(message: string): Fault {
  return new Fault('VALIDATION_FAILED', { message });
}

/** Counts protocol violations. An occasional one is forgotten after a while. */
class Violations {
  private forgottenAtMs = 0;

  constructor(private readonly now: () => number = performance.now.bind(performance)) {}

  /** Counts one, and returns whether there are now too many. */
  isOverLimit(): boolean {
    const nowMs = this.now();
    this.forgottenAtMs = Math.max(this.forgottenAtMs, nowMs) + violationForgottenMs;
    return this.forgottenAtMs - nowMs > violationsMax * violationForgottenMs;
  }
}

/** The problem with a piece of sound; undefined if there is none. */
function complaintAbout(sound: Uint8Array, encoding: 'pcm16' | 'mulaw'): Fault | undefined {
  if (encoding === 'mulaw' || sound.byteLength % 2 === 0) return undefined;
  return new Fault('VALIDATION_FAILED', { message: 'Sound as pcm16 has two bytes a sample; this frame has half a sample.' });
}
