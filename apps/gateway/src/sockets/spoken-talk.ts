import { Fault, type ServerFrame, socketCloseCodes } from '@parley/contracts';
import { closingFor } from './closing';
import type { SessionMeter } from './session-meter';
import { socketLimits } from './socket-limits';
import { type LineSignal, type OpenLine, SpeechLine } from './speech-line';
import type { ClientWord, Stage } from './talk';

/** What only clients or the door may say on a line. Coming from the speech service it would be nonsense to a client. */
const clientTypes: ReadonlySet<string> = new Set([
  'session.start',
  'text',
  'dtmf',
  'interrupt',
  'playback',
  'session.end',
  'ping',
  'credits.exhausted',
  'caller.left',
]);

const { endMs, farewellMs } = socketLimits;

/** What a session costs, and where it is opened; known once it is known whose it is. */
export interface Prepared {
  readonly meter: SessionMeter;
  readonly openLine: OpenLine;
}

/** A session that the speech service holds: everything goes through, what is used is paid, and its end is the socket's. */
export class SpokenTalk {
  private readonly line: SpeechLine;
  private meter: SessionMeter | undefined;
  private isExhausted = false;
  private isOver = false;
  private deadline: NodeJS.Timeout | undefined;

  constructor(
    private readonly stage: Stage,
    private readonly prepare: (onExhausted: () => void) => Promise<Prepared>,
    bytesPerSecond: number,
  ) {
    const listener = {
      signal: (signal: LineSignal) => this.hear(signal),
      sound: (bytes: Uint8Array) => stage.sound(bytes),
      moved: () => this.moved(),
      over: (fault?: Fault) => this.finish(fault),
    };
    this.line = new SpeechLine(listener, bytesPerSecond);
  }

  /** Resolves with what the speech service says of the session once it has taken it. Until then, what is said waits. */
  async begin() {
    const { meter, openLine } = await this.prepare(() => this.exhaust());
    this.meter = meter;
    try {
      await meter.begin();
      return await this.line.open(openLine);
    } catch (error) {
      await meter.end();
      throw error;
    }
  }

  sound(bytes: Uint8Array): void {
    this.line.sound(bytes);
  }

  say(word: ClientWord): void {
    if (!this.line.signal(word)) this.stage.complain(new Fault('SERVICE_UNAVAILABLE'));
  }

  end(): void {
    this.line.signal({ type: 'session.end' });
    this.expectEnd(endMs);
  }

  async leave(reason: string): Promise<void> {
    this.isOver = true;
    clearTimeout(this.deadline);
    await this.line.leave(reason);
    await this.meter?.end();
  }

  private hear(signal: LineSignal): void {
    if (!isForClients(signal)) return;
    if (signal.type === 'usage') this.meter?.use(signal.usage);
    if (signal.type === 'agent.interrupted') this.stage.dropSound();
    if (signal.type === 'session.ended') this.isOver = true;
    this.stage.tell(signal);
    if (signal.type === 'session.ended') this.close(signal.reason);
  }

  private moved(): void {
    this.stage.warn('SESSION_MOVED');
    // The replica that died may have been told, and this one not.
    if (this.isExhausted) this.line.signal({ type: 'credits.exhausted' });
  }

  private exhaust(): void {
    this.isExhausted = true;
    this.stage.warn('CREDITS_EXHAUSTED');
    this.line.signal({ type: 'credits.exhausted' });
    this.expectEnd(farewellMs);
  }

  /** The speech service ends a session with its last words; should it not, the door does without. */
  private expectEnd(withinMs: number): void {
    clearTimeout(this.deadline);
    this.deadline = setTimeout(() => this.finish(), withinMs);
  }

  private finish(fault?: Fault): void {
    if (this.isOver) return;
    this.isOver = true;
    if (fault) return this.stage.fail(fault);
    const reason = this.isExhausted ? 'CREDITS_EXHAUSTED' : 'ENDED_BY_USER';
    this.stage.tell({ type: 'session.ended', reason });
    this.close(reason);
  }

  private close(reason: string): void {
    clearTimeout(this.deadline);
    if (this.isExhausted) this.stage.close(closingFor(new Fault('CREDITS_EXHAUSTED')));
    else this.stage.close({ code: socketCloseCodes.ended, reason: reason.slice(0, 60) });
  }
}

function isForClients(signal: LineSignal): signal is ServerFrame {
  return !clientTypes.has(signal.type);
}
