import { setTimeout as delay } from 'node:timers/promises';
import { Fault, openVoiceSession } from '@parley/contracts';
import type { Channel, ServiceBus } from '@parley/messaging';
import type { z } from 'zod';
import { type CallIdentity, inCallOf } from './in-call';

export type LineSignal = z.output<(typeof openVoiceSession)['signal']>;
type Opening = z.input<(typeof openVoiceSession)['opening']>;
type Accepted = z.output<(typeof openVoiceSession)['accepted']>;

/** What a line has to tell. */
export interface LineListener {
  signal(signal: LineSignal): void;
  sound(bytes: Uint8Array): void;
  /** The line was lost and stands again, at another replica. */
  moved(): void;
  /** No replica takes the session any more. */
  lost(fault: Fault): void;
}

const openMs = 6_000;
const openTryMs = 3_000;
const reopenMs = 10_000;
const reopenTryMs = 300;
const pauseMsMax = 800;
const movesMax = 6;
const minuteMs = 60_000;
const lastWordsMs = 3_000;
/** What the other side says while there is no line; the oldest goes first. */
const keptMs = 2_000;
const keptSignalsMax = 100;

/** A call's line to the speech service. A replica that dies loses the line, not the call: another one takes it on. */
export class SpeechLine {
  private channel: Channel<LineSignal> | undefined;
  private accepted: Accepted | undefined;
  private kept: (Uint8Array | LineSignal)[] = [];
  private keptBytes = 0;
  private movedAtMs: number[] = [];
  private isOver = false;
  /** What the next replica needs to go on with the call. */
  private progress: Opening['goesOn'];
  private readonly leaving = new AbortController();

  constructor(
    private readonly bus: ServiceBus,
    private readonly identity: CallIdentity,
    private readonly listener: LineListener,
  ) {}

  /** Resolves once the speech service has taken the session. What is said until then waits. */
  async open(opening: Opening): Promise<Accepted> {
    this.accepted = await this.take(opening, { withinMs: openMs, firstTryMs: openTryMs });
    return this.accepted;
  }

  sound(bytes: Uint8Array): void {
    if (this.channel) return this.channel.send(bytes);
    this.kept.push(bytes);
    this.keptBytes += bytes.byteLength;
    const bytesMax = (bytesPerSecond(this.accepted) * keptMs) / 1000;
    while (this.keptBytes > bytesMax) this.dropOldestSound();
  }

  signal(signal: LineSignal): void {
    if (this.channel) return this.channel.signal(signal);
    if (this.kept.length < keptSignalsMax + 500) this.kept.push(signal);
  }

  /** The call is over. Resolves when the speech service has told the last of what was used, or did not in time. */
  async leave(): Promise<void> {
    const { channel } = this;
    const isEnded = this.isOver;
    this.isOver = true;
    if (!channel) return this.leaving.abort(new Fault('CANCELLED'));
    if (!isEnded) channel.signal({ type: 'session.end' });
    const patience = new AbortController();
    await Promise.race([channel.closed, delay(lastWordsMs, undefined, { signal: patience.signal }).catch(() => undefined)]);
    patience.abort();
    channel.close('the call is over');
  }

  private async take(opening: Opening, { withinMs, firstTryMs }: Patience): Promise<Accepted> {
    const { accepted, channel } = await this.attempt(opening, { withinMs, firstTryMs });
    if (this.leaving.signal.aborted) channel.close('the call is over');
    this.channel = channel;
    for (const item of this.kept.splice(0)) {
      if (item instanceof Uint8Array) channel.send(item);
      else channel.signal(item);
    }
    this.keptBytes = 0;
    // Whoever opened the line learns of that before it hears anything on it.
    setImmediate(() => void this.read(channel, { ...opening, sessionUUID: accepted.sessionUUID }));
    return accepted;
  }

  private async read(channel: Channel<LineSignal>, opening: Opening): Promise<void> {
    for await (const item of channel.incoming) {
      if ('frame' in item) this.listener.sound(item.frame);
      else this.hear(item.signal);
    }
    if (this.isOver) return;
    this.channel = undefined;
    await this.move(opening);
  }

  private hear(signal: LineSignal): void {
    if (signal.type === 'line.progress') {
      this.progress = signal;
      return;
    }
    if (signal.type === 'session.ended') this.isOver = true;
    this.listener.signal(signal);
  }

  private async move(opening: Opening): Promise<void> {
    try {
      this.countMove();
      await this.take({ ...opening, goesOn: this.progress }, { withinMs: reopenMs, firstTryMs: reopenTryMs });
      this.listener.moved();
    } catch (error) {
      if (!this.isOver) this.listener.lost(error instanceof Fault ? error : new Fault('INTERNAL', { cause: error }));
    }
  }

  private countMove(): void {
    const nowMs = Date.now();
    this.movedAtMs = [...this.movedAtMs.filter((atMs) => nowMs - atMs < minuteMs), nowMs];
    if (this.movedAtMs.length > movesMax)
      throw new Fault('SERVICE_UNAVAILABLE', { cause: new Error('the line is lost again and again') });
  }

  /** Tries until somebody takes the line, somebody refuses it for good, or the time is over. */
  private async attempt(opening: Opening, { withinMs, firstTryMs }: Patience) {
    const { signal } = this.leaving;
    const untilMs = Date.now() + withinMs;
    let timeoutMs = firstTryMs;
    for (let pauseMs = 50; ; pauseMs = Math.min(pauseMsMax, pauseMs * 2)) {
      try {
        return await inCallOf(this.identity, () => this.bus.open(openVoiceSession, opening, { timeoutMs }), signal);
      } catch (error) {
        if (!isPassing(error) || signal.aborted || Date.now() + pauseMs >= untilMs) throw error;
      }
      timeoutMs = Math.min(openTryMs, timeoutMs * 2);
      await delay(pauseMs, undefined, { signal });
    }
  }

  private dropOldestSound(): void {
    const at = this.kept.findIndex((item) => item instanceof Uint8Array);
    const [oldest] = at < 0 ? [] : this.kept.splice(at, 1);
    this.keptBytes = oldest instanceof Uint8Array ? this.keptBytes - oldest.byteLength : 0;
  }
}

interface Patience {
  readonly withinMs: number;
  readonly firstTryMs: number;
}

const widestBytesPerSecond = 96_000;

function bytesPerSecond(accepted: Accepted | undefined): number {
  if (!accepted) return widestBytesPerSecond;
  return accepted.sampleRate * (accepted.encoding === 'pcm16' ? 2 : 1);
}

/** Whether the same question may be answered in a moment. */
export function isPassing(error: unknown): boolean {
  return error instanceof Fault && (error.code === 'SERVICE_UNAVAILABLE' || error.code === 'DEADLINE_EXCEEDED');
}
