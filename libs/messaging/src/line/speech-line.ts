import { setTimeout as delay } from 'node:timers/promises';
import { Fault, type LineHandover, type openVoiceSession } from '@parley/contracts';
import { within } from '@parley/ports';
import type { z } from 'zod';
import type { Channel } from './channel-end';

export type LineSignal = z.output<(typeof openVoiceSession)['signal']>;
type LineTaken = z.output<(typeof openVoiceSession)['accepted']>;

/** Opens the line of one session at any replica of the speech service that accepts it. */
export type OpenLine = (options: {
  timeoutMs: number;
  signal: AbortSignal;
  /** The latest progress of a session being resumed. */
  goesOn?: LineHandover;
}) => Promise<{ accepted: LineTaken; channel: Channel<LineSignal> }>;

/** Receives the events of a line. */
interface LineListener {
  signal(signal: LineSignal): void;
  sound(bytes: Uint8Array): void;
  /** The line was lost and reopened at another replica. */
  moved(): void;
  /** Nothing more will arrive. With a fault if no replica accepts the session any more. */
  over(fault?: Fault): void;
}

/** How long to keep trying to open a line, and after how long a second replica is asked in parallel. */
interface Patience {
  readonly withinMs: number;
  readonly besideMs: number;
}

/** One attempt to open a line. */
const openTryMs = 3_000;
/** A replica that answers too late may leave a new conversation behind, so a second one is not asked lightly. */
const opening: Patience = { withinMs: 6_000, besideMs: 2_000 };
/** An established session is tried for longer; it hears nothing meanwhile. */
const reopening: Patience = { withinMs: 10_000, besideMs: 300 };
/** Each further attempt starts after a longer delay than the last, so that busy replicas are not asked more and more often. */
const besideGrowth = 1.5;
const besideMsMax = 1_000;
/** Moves of one session within a minute; if there are more, the speech service counts as broken. */
const movesMax = 6;
/**
 * How long the speech service has to report the last usage once the other side has gone. It waits up to eight seconds for the
 * transcript of the last words, and up to eight until they are stored.
 */
const lastWordsMs = 20_000;
/** Sound and signals that wait for a line which is being opened; the oldest sound goes first, one signal more is refused. */
export const keptForLine = { soundMs: 2_000, signalsMax: 100 } as const;
const minuteMs = 60_000;
const firstPauseMs = 50;
const pauseMsMax = 800;

/**
 * A session's line to the speech service. If a replica dies or hands its sessions over, the line is lost but the session is not:
 * the line is reopened at another replica, and sound is buffered meanwhile.
 */
export class SpeechLine {
  private openLine: OpenLine | undefined;
  private channel: Channel<LineSignal> | undefined;
  /** Resolves once everything that arrived on the line has been handled. */
  private reading: Promise<void> | undefined;
  private readonly kept: KeptSpeech;
  private readonly leaving = new AbortController();
  private movedAtMs: number[] = [];
  private progress: LineHandover | undefined;
  private isEnded = false;
  private isLeft = false;

  constructor(
    private readonly listener: LineListener,
    /** The byte rate of sound to the speech service, read when sound must be buffered. */
    bytesPerSecond: () => number,
  ) {
    this.kept = new KeptSpeech(bytesPerSecond);
  }

  /** Resolves once the speech service has accepted the session. */
  async open(openLine: OpenLine): Promise<LineTaken> {
    this.openLine = openLine;
    return this.take(await this.attempt(openLine, opening));
  }

  sound(bytes: Uint8Array): void {
    if (this.channel) this.channel.send(bytes);
    else this.kept.sound(bytes);
  }

  /** Returns false if there is no line and too much already waits for one. */
  signal(signal: LineSignal): boolean {
    if (!this.channel) return this.kept.signal(signal);
    this.channel.signal(signal);
    return true;
  }

  /** Leaves the line: sends the reason, and gives the speech service a moment to report its usage. */
  async leave(farewell: LineSignal, reason: string): Promise<void> {
    this.isLeft = true;
    const { channel } = this;
    if (!channel) return this.leaving.abort(new Fault('CANCELLED'));
    if (!this.isEnded) channel.signal(farewell);
    // Waits until everything sent before the close has been read, not for the close itself: usage is reported last.
    await within<unknown>(lastWordsMs, Promise.resolve(this.reading), () => undefined);
    channel.close(reason);
  }

  private take({ accepted, channel }: { accepted: LineTaken; channel: Channel<LineSignal> }): LineTaken {
    if (this.isLeft) channel.close('whoever had the line left');
    this.channel = channel;
    this.kept.handTo(channel);
    // Whoever opens the line must learn that it is open before anything arrives on it.
    this.reading = new Promise(setImmediate).then(() => this.read(channel));
    return accepted;
  }

  private async read(channel: Channel<LineSignal>): Promise<void> {
    await channel.read({ frame: (bytes) => this.listener.sound(bytes), signal: (signal) => this.hear(signal) });
    this.channel = undefined;
    if (this.isLeft || this.isEnded) this.listener.over();
    else void this.move();
  }

  private hear(signal: LineSignal): void {
    if (signal.type === 'line.progress') return this.note(signal);
    if (signal.type === 'session.ended') this.isEnded = true;
    this.listener.signal(signal);
  }

  private note({ elapsedMs, usualPauseMs, asked, waiting }: LineHandover): void {
    const known = { ...(usualPauseMs !== undefined && { usualPauseMs }), ...(asked !== undefined && { asked }) };
    this.progress = { elapsedMs, ...known, ...(waiting && { waiting }) };
  }

  private async move(): Promise<void> {
    const { openLine } = this;
    if (!openLine) return;
    try {
      this.countMove();
      this.take(await this.attempt(openLine, reopening));
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

  private attempt(openLine: OpenLine, patience: Patience): Promise<Opened> {
    const goesOn = this.progress && { goesOn: this.progress };
    return openAtAnyReplica((options) => openLine({ ...options, ...goesOn }), patience, this.leaving.signal);
  }
}

type Opened = Awaited<ReturnType<OpenLine>>;

/**
 * Retries until a replica accepts the line, refuses it for good, or time runs out. The broker picks the replica, and picks one
 * that hangs as often as any other, so if one does not answer soon, the next is asked in parallel. The first to accept wins.
 */
async function openAtAnyReplica(openLine: OpenLine, { withinMs, besideMs }: Patience, left: AbortSignal): Promise<Opened> {
  const untilMs = Date.now() + withinMs;
  const over = new AbortController();
  const tries = new Set<AbortController>();
  const won = Promise.withResolvers<Opened>();
  let latestFault: unknown = new Fault('DEADLINE_EXCEEDED');
  const attemptOnce = async (): Promise<void> => {
    // Each attempt has its own signal, which also ends its line: when one has won, the others are aborted.
    const own = new AbortController();
    tries.add(own);
    try {
      const timeoutMs = Math.max(1, Math.min(openTryMs, untilMs - Date.now()));
      const opened = await openLine({ timeoutMs, signal: AbortSignal.any([left, own.signal]) });
      if (over.signal.aborted) return opened.channel.close('another replica was sooner');
      tries.delete(own);
      over.abort();
      won.resolve(opened);
    } catch (error) {
      latestFault = error;
      if (!isTemporary(error)) won.reject(error);
    }
  };
  const keepAsking = async (): Promise<void> => {
    let pauseMs = firstPauseMs;
    for (let waitMs = besideMs; Date.now() < untilMs; waitMs = Math.min(waitMs * besideGrowth, besideMsMax)) {
      const isAnswered = await within(
        waitMs,
        attemptOnce().then(() => true),
        () => over.signal.aborted,
      );
      if (!isAnswered) continue;
      await delay(pauseMs, undefined, { signal: AbortSignal.any([left, over.signal]) });
      pauseMs = Math.min(pauseMsMax, pauseMs * 2);
    }
    won.reject(latestFault);
  };
  keepAsking().catch(won.reject);
  try {
    return await won.promise;
  } finally {
    over.abort();
    for (const each of tries) each.abort(new Fault('CANCELLED'));
  }
}

/** Whether the same request may succeed in a moment. */
export function isTemporary(error: unknown): boolean {
  return error instanceof Fault && (error.code === 'SERVICE_UNAVAILABLE' || error.code === 'DEADLINE_EXCEEDED');
}

/** Buffers what is sent while there is no line: the last seconds of sound, and every other frame up to a limit. */
class KeptSpeech {
  private items: ({ readonly frame: Uint8Array } | { readonly signal: LineSignal })[] = [];
  private soundBytes = 0;
  private signals = 0;

  constructor(private readonly bytesPerSecond: () => number) {}

  sound(frame: Uint8Array): void {
    this.items.push({ frame });
    this.soundBytes += frame.byteLength;
    const bytesMax = (this.bytesPerSecond() * keptForLine.soundMs) / 1_000;
    while (this.soundBytes > bytesMax) this.dropOldestSound();
  }

  /** Returns false if there is no room. */
  signal(signal: LineSignal): boolean {
    if (this.signals >= keptForLine.signalsMax) return false;
    this.signals += 1;
    this.items.push({ signal });
    return true;
  }

  /** Sends everything in the order in which it arrived. */
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
