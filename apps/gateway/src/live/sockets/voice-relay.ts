import { Fault, type ServerFrame, socketCloseCodes } from '@parley/contracts';
import { keptForLine, type LineSignal, type OpenLine, SpeechLine } from '@parley/messaging';
import type { SessionMeter, UsedTurn } from '../../money/session-meter';
import {
  bytesPerSecond,
  type ClientSide,
  type SessionFrame,
  closingFor,
  type Relay,
  type SessionStart,
  socketLimits,
} from './relay';

/** Signals that only clients and the gateway send on a line; they are not forwarded to a client. */
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
  'transfer.ask',
  'line.transfer',
  'transfer.failed',
  'transfer.done',
  'line.hold',
  'line.resume',
  'line.progress',
  'line.undecided',
  'turn.used',
]);

/** Frames after which somebody speaks or is being answered, and after which nobody is. */
const beginnings: ReadonlySet<string> = new Set(['speech.started', 'agent.delta', 'agent.audio.start']);
const endings: ReadonlySet<string> = new Set(['agent.done', 'session.ended']);

const tooManyWait = `At most ${keptForLine.signalsMax} text frames wait until the session is ready. Send this one again then.`;

const { endMs, lastWordsMs } = socketLimits;

/** A session's meter and opening, once its conversation is known. */
export interface Prepared {
  readonly meter: SessionMeter;
  readonly openLine: OpenLine;
  /** Called if the line was refused, so that the session is ended again. */
  refused(): Promise<void>;
}

/** Prepares a session; `onExhausted` is called when credits or a widget's daily budget run out. */
type Prepare = (start: SessionStart, onExhausted: (why: Fault) => void) => Promise<Prepared>;

/** Relays a session to the speech service: forwards everything, charges usage, and closes the socket when the session ends. */
export class VoiceRelay implements Relay {
  private line: SpeechLine | undefined;
  private prepared: Prepared | undefined;
  private isExhausted = false;
  private isOver = false;
  private isLeft = false;
  private deadline: NodeJS.Timeout | undefined;
  private isBusy = false;
  private becomeQuiet = (): void => undefined;

  /** @param isTranscription No agent answers, and only sound is accepted. */
  constructor(
    private readonly client: ClientSide,
    private readonly prepare: Prepare,
    private readonly isTranscription = false,
  ) {}

  /** Resolves once the speech service has accepted the session. Until then, input is buffered. */
  async begin(start: SessionStart): Promise<ServerFrame> {
    const line = new SpeechLine(
      {
        signal: (signal: LineSignal) => this.hear(signal),
        sound: (bytes: Uint8Array) => this.client.sound(bytes),
        moved: () => this.moved(),
        over: (fault?: Fault) => this.finish(fault),
      },
      () => bytesPerSecond(start),
    );
    this.line = line;
    const prepared = await this.prepare(start, (why) => this.exhaust(why));
    this.prepared = prepared;
    try {
      await prepared.meter.begin();
      return { type: 'session.ready', ...(await line.open(prepared.openLine)) };
    } catch (error) {
      await prepared.meter.end();
      if (!this.isLeft) await prepared.refused();
      throw error;
    }
  }

  sound(bytes: Uint8Array): void {
    this.line?.sound(bytes);
  }

  frame(frame: SessionFrame): void {
    if (this.isTranscription) return this.client.complain(new Fault('VALIDATION_FAILED', { message: onlySound(frame) }));
    if (frame.type === 'text') this.isBusy = true;
    if (!this.line?.signal(frame)) this.client.complain(new Fault('SESSION_BUSY', { message: tooManyWait }));
  }

  end(): void {
    this.line?.signal({ type: 'session.end' });
    // Of a line that is only transcribed, the last words are all that is left to come.
    this.expectEnd(this.isTranscription ? lastWordsMs : endMs);
  }

  whenQuiet(then: () => void): void {
    if (this.isBusy) this.becomeQuiet = then;
    else then();
  }

  async leave(reason: string): Promise<void> {
    this.isLeft = true;
    this.isOver = true;
    clearTimeout(this.deadline);
    await this.line?.leave({ type: 'caller.left' }, reason);
    await this.prepared?.meter.end();
  }

  private hear(signal: LineSignal): void {
    if (signal.type === 'turn.used') return this.payTurn(signal);
    if (signal.type === 'line.undecided') return this.prepared?.meter.foresee(signal.seconds);
    if (!isForClients(signal)) return;
    if (signal.type === 'usage') this.prepared?.meter.use(signal.usage);
    if (signal.type === 'agent.interrupted') this.client.dropSound();
    if (signal.type === 'session.ended') this.isOver = true;
    this.client.tell(signal);
    this.noteWhether(signal.type);
    // A turn found nothing left to hold: the agent says its last words.
    if (signal.type === 'error' && signal.code === 'CREDITS_EXHAUSTED') this.exhaust(new Fault('CREDITS_EXHAUSTED'));
    if (signal.type === 'session.ended') this.close(signal.reason);
  }

  private noteWhether(type: ServerFrame['type']): void {
    if (beginnings.has(type)) this.isBusy = true;
    // A caller whom nobody answers has said all of it once it is written.
    if (!endings.has(type) && !(this.isTranscription && type === 'transcript.final')) return;
    this.isBusy = false;
    this.becomeQuiet();
  }

  private payTurn(turn: UsedTurn): void {
    this.prepared?.meter.useTurn(turn);
    if (turn.tokens > 0) this.client.tell({ type: 'usage', usage: [{ kind: 'TTT_API', units: turn.tokens }] });
  }

  private moved(): void {
    this.client.warn('SESSION_MOVED');
    // The replica that died may have known this; the new one does not.
    if (this.isExhausted) this.line?.signal({ type: 'credits.exhausted' });
  }

  private exhaust(why: Fault): void {
    // When a widget's daily budget runs out, the conversations of all its visitors end at once.
    if (why.code !== 'CREDITS_EXHAUSTED') return this.client.fail(why);
    if (this.isExhausted) return;
    this.isExhausted = true;
    this.client.warn('CREDITS_EXHAUSTED');
    this.line?.signal({ type: 'credits.exhausted' });
    this.expectEnd(lastWordsMs);
  }

  /** The speech service ends a session after its last words. If it takes too long, the gateway ends it. */
  private expectEnd(withinMs: number): void {
    clearTimeout(this.deadline);
    this.deadline = setTimeout(() => this.finish(), withinMs);
  }

  private finish(fault?: Fault): void {
    if (this.isOver) return;
    this.isOver = true;
    if (fault) return this.client.fail(fault);
    const reason = this.isExhausted ? 'CREDITS_EXHAUSTED' : 'ENDED_BY_USER';
    this.client.tell({ type: 'session.ended', reason });
    this.close(reason);
  }

  private close(reason: string): void {
    clearTimeout(this.deadline);
    if (this.isExhausted) this.client.close(closingFor(new Fault('CREDITS_EXHAUSTED')));
    else this.client.close({ code: socketCloseCodes.ended, reason: reason.slice(0, 60) });
  }
}

function onlySound({ type }: SessionFrame): string {
  return `This socket only transcribes sound: ${type} has no meaning here. Send sound, ping or session.end.`;
}

function isForClients(signal: LineSignal): signal is ServerFrame {
  return !clientTypes.has(signal.type);
}
