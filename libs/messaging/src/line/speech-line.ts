import { setTimeout as delay } from 'node:timers/promises';
import { Fault, type LineProgress, type openVoiceSession, within } from '@parley/contracts';
import type { z } from 'zod';
import type { Channel } from '../service-bus';

export type LineSignal = z.output<(typeof openVoiceSession)['signal']>;
type LineTaken = z.output<(typeof openVoiceSession)['accepted']>;

/** Opens the line of one session at whichever replica of the speech service takes it. */
export type OpenLine = (options: {
  timeoutMs: number;
  signal: AbortSignal;
  /** The latest progress of a session that is being resumed. */
  goesOn?: LineProgress;
}) => Promise<{ accepted: LineTaken; channel: Channel<LineSignal> }>;

/** What a line has to tell. */
interface LineListener {
  signal(signal: LineSignal): void;
  sound(bytes: Uint8Array): void;
  /** The line was lost and reopened at another replica. */
  moved(): void;
  /** Nothing more will come. With a fault, because no replica takes the session any more. */
  over(fault?: Fault): void;
}

/** How long to keep trying to open a line, and how long the first attempt may take. */
interface Patience {
  readonly withinMs: number;
  readonly firstTryMs: number;
}

/** One attempt to open a line, and all of them; for a session that lasts, a little longer. */
const openTryMs = 3_000;
const openMs = 6_000;
const reopenMs = 10_000;
/** The first attempt of a session that lasts; each next one twice that. A replica that hangs is asked as often as others. */
const reopenTryMs = 300;
/** Moves of one session within a minute; one more and its speech service is taken for broken. */
const movesMax = 6;
/** How long the speech service has to report the last usage once the other side has gone. */
const lastWordsMs = 3_000;
/** Sound and signals that wait for a line which is being opened; the oldest sound goes first, one signal more is refused. */
const keptSoundMs = 2_000;
const keptSignalsMax = 100;
const minuteMs = 60_000;
const firstPauseMs = 50;
const pauseMsMax = 800;

/**
 * A session's line to the speech service. When a replica dies or hands its sessions over, the line is lost but the session is
 * not: the line is reopened at another replica, and audio is buffered meanwhile.
 */
export class SpeechLine {
  private openLine: OpenLine | undefined;
  private channel: Channel<LineSignal> | undefined;
  /** Ends when everything that came on the line was heard. */
  private reading: Promise<void> | undefined;
  private readonly kept: KeptSpeech;
  private readonly leaving = new AbortController();
  private movedAtMs: number[] = [];
  private progress: LineProgress | undefined;
  private isEnded = false;
  private isLeft = false;

  constructor(
    private readonly listener: LineListener,
    /** The rate of sound to the speech service; read when some of it has to be buffered. */
    bytesPerSecond: () => number,
  ) {
    this.kept = new KeptSpeech(bytesPerSecond);
  }

  /** Resolves once the speech service has taken the session. */
  async open(openLine: OpenLine): Promise<LineTaken> {
    this.openLine = openLine;
    return this.take(await this.attempt(openLine, { withinMs: openMs, firstTryMs: openTryMs }));
  }

  sound(bytes: Uint8Array): void {
    if (this.channel) this.channel.send(bytes);
    else this.kept.sound(bytes);
  }

  /** False when there is no line and too much waits for one already. */
  signal(signal: LineSignal): boolean {
    if (!this.channel) return this.kept.signal(signal);
    this.channel.signal(signal);
    return true;
  }

  /** Leaves the line: sends the reason, and gives the speech service a moment to report what was used. */
  async leave(farewell: LineSignal, reason: string): Promise<void> {
    this.isLeft = true;
    const { channel } = this;
    if (!channel) return this.leaving.abort(new Fault('CANCELLED'));
    if (!this.isEnded) channel.signal(farewell);
    // Waits for what was sent before the close to be read, not for the close itself: usage is reported last.
    await within<unknown>(lastWordsMs, Promise.resolve(this.reading), () => undefined);
    channel.close(reason);
  }

  private take({ accepted, channel }: { accepted: LineTaken; channel: Channel<LineSignal> }): LineTaken {
    if (this.isLeft) channel.close('whoever had the line left');
    this.channel = channel;
    this.kept.handTo(channel);
    // The opener learns that the line is open before it hears anything on it.
    this.reading = new Promise(setImmediate).then(() => this.read(channel));
    return accepted;
  }

  private async read(channel: Channel<LineSignal>): Promise<void> {
    for await (const item of channel.incoming) {
      if ('frame' in item) this.listener.sound(item.frame);
      else this.hear(item.signal);
    }
    this.channel = undefined;
    if (this.isLeft || this.isEnded) this.listener.over();
    else void this.move();
  }

  private hear(signal: LineSignal): void {
    if (signal.type === 'line.progress') return this.note(signal);
    if (signal.type === 'session.ended') this.isEnded = true;
    this.listener.signal(signal);
  }

  private note({ elapsedMs, usualPauseMs }: LineProgress): void {
    this.progress = { elapsedMs, ...(usualPauseMs !== undefined && { usualPauseMs }) };
  }

  private async move(): Promise<void> {
    const { openLine } = this;
    if (!openLine) return;
    try {
      this.countMove();
      this.take(await this.attempt(openLine, { withinMs: reopenMs, firstTryMs: reopenTryMs }));
      this.listener.moved();
    } catch (error) {
      if (this.isLeft) return this.listener.over();
      this.listener.over(error instanceof Fault ? error : new Fault('INTERNAL', { cause: error }));
    }
  }

  private countMove(): void {
    const nowMs = Date.now();
    this.movedAtMs = [...this.movedAtMs.filter((atMs) => nowMs - atMs < minuteMs), nowMs];
    if (this.movedAtMs.length <= movesMax) return;
    throw new Fault('SERVICE_UNAVAILABLE', { cause: new Error('the line is lost again and again') });
  }

  /** Retries until a replica takes the line, refuses it for good, or time runs out. */
  private async attempt(openLine: OpenLine, { withinMs, firstTryMs }: Patience): Promise<Awaited<ReturnType<OpenLine>>> {
    const { signal } = this.leaving;
    const untilMs = Date.now() + withinMs;
    let tryMs = firstTryMs;
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMsMax, pauseMs * 2)) {
      try {
        const timeoutMs = Math.max(1, Math.min(tryMs, untilMs - Date.now()));
        return await openLine({ timeoutMs, signal, ...(this.progress && { goesOn: this.progress }) });
      } catch (error) {
        if (!isPassing(error) || this.isLeft || Date.now() + pauseMs >= untilMs) throw error;
      }
      tryMs = Math.min(openTryMs, tryMs * 2);
      await delay(pauseMs, undefined, { signal });
    }
  }
}

/** Whether the same question may be answered in a moment. */
export function isPassing(error: unknown): boolean {
  return error instanceof Fault && (error.code === 'SERVICE_UNAVAILABLE' || error.code === 'DEADLINE_EXCEEDED');
}

/** Buffers what is said while there is no line: the last seconds of sound, and every other frame up to a limit. */
class KeptSpeech {
  private items: ({ readonly frame: Uint8Array } | { readonly signal: LineSignal })[] = [];
  private soundBytes = 0;
  private signals = 0;

  constructor(private readonly bytesPerSecond: () => number) {}

  sound(frame: Uint8Array): void {
    this.items.push({ frame });
    this.soundBytes += frame.byteLength;
    const bytesMax = (this.bytesPerSecond() * keptSoundMs) / 1_000;
    while (this.soundBytes > bytesMax) this.dropOldestSound();
  }

  /** False when there is no room. */
  signal(signal: LineSignal): boolean {
    if (this.signals >= keptSignalsMax) return false;
    this.signals += 1;
    this.items.push({ signal });
    return true;
  }

  /** Says everything in the order in which it came. */
  handTo(channel: Channel<LineSignal>): void {
    for (const item of this.items.splice(0)) {
      if ('frame' in item) channel.send(item.frame);
      else channel.signal(item.signal);
    }
    this.soundBytes = 0;
    this.signals = 0;
  }

  private dropOldestSound(): void {
    const index = this.items.findIndex((item) => 'frame' in item);
    const [oldest] = this.items.splice(index, 1);
    if (oldest && 'frame' in oldest) this.soundBytes -= oldest.frame.byteLength;
  }
}
