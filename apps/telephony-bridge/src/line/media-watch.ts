import type { LatencyParts } from '@parley/contracts';
import { type CallMedia, type MediaFormat, msOfBytes } from '@parley/ports';
import type { z } from 'zod';
import type { CallRemark, VoiceQuality } from '../calls/call.entity';
import { isDigitalSilence } from './spoken-message';

/** Shorter calls are not judged. */
const tellingMs = 10_000;
const lookEveryMs = 1_000;
const frameMs = 20;
/** Sound delayed this much more than the promptest arrived too late to be played. */
const lateMs = 100;
/** How far ahead of real time sound may be, for fast clocks and carriers catching up after a stall. */
const aheadMsMax = 3_000;
const caughtUpMsMax = 30_000;

/** Watches whether a call's sound arrives and is sent, and how regularly. */
export class MediaWatch {
  private readonly startedAtMs = performance.now();
  private lastHeardAtMs = performance.now();
  private heardMs = 0;
  /** When the sound received so far would end if it had arrived in real time. */
  private spokenUntilMs = performance.now();
  private lateHeardMs = 0;
  private sentMs = 0;
  /** How far the sound lags behind real time: now, and at its promptest. */
  private behindMs: number | undefined;
  private minBehindMs = Number.POSITIVE_INFINITY;
  private variationMs = 0;
  private pieces = 0;
  private isAlive = false;
  private isPaused = false;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly format: MediaFormat,
    private readonly silentMs: number,
  ) {}

  /** Calls back once if nothing has arrived for too long. */
  start(onSilent: () => void): void {
    this.timer = setInterval(
      () => {
        if (this.isPaused || performance.now() - this.lastHeardAtMs < this.silentMs) return;
        this.stop();
        onSilent();
      },
      Math.min(lookEveryMs, this.silentMs),
    ).unref();
  }

  stop(): void {
    clearInterval(this.timer);
  }

  /** While the carrier has taken the call over, no sound is expected. */
  pause(): void {
    this.isPaused = true;
  }

  resume(): void {
    this.isPaused = false;
    this.behindMs = undefined;
    this.lastHeardAtMs = performance.now();
  }

  /**
   * Notes received sound. A filler advances its time, but does not show that the carrier is alive. False if sound arrives faster than
   * it can have been spoken: it is then to be dropped, or hours of it could be transcribed and charged within a minute.
   */
  heard(bytes: Uint8Array, isFiller = false): boolean {
    const ms = msOfBytes(this.format, bytes.length);
    const nowMs = performance.now();
    this.spokenUntilMs = Math.max(this.spokenUntilMs, nowMs - caughtUpMsMax);
    if (this.spokenUntilMs + ms > nowMs + aheadMsMax) return false;
    this.spokenUntilMs += ms;
    this.heardMs += ms;
    if (isFiller) return true;
    this.lastHeardAtMs = nowMs;
    this.time(ms);
    this.isAlive ||= !isDigitalSilence(bytes, this.format);
    return true;
  }

  sent(bytes: Uint8Array): void {
    this.sentMs += msOfBytes(this.format, bytes.length);
  }

  /** What is unusual about the call's sound. */
  remarks(): CallRemark[] {
    if (performance.now() - this.startedAtMs < tellingMs) return [];
    const remarks: CallRemark[] = [];
    if (!this.isAlive && this.sentMs > 0) remarks.push('ONE_WAY_AUDIO_IN');
    if (this.sentMs === 0 && this.heardMs > 0) remarks.push('ONE_WAY_AUDIO_OUT');
    return remarks;
  }

  /** The quality of the sound, as measured by the media if it sees packets, otherwise as it arrived here. */
  quality(media: Pick<CallMedia, 'reception'> | undefined): VoiceQuality {
    const isOneWay = this.remarks().some((remark) => remark.startsWith('ONE_WAY'));
    const seen = media?.reception;
    if (seen) return { ...seen, jitterMs: rounded(seen.jitterMs), isOneWay };
    const frames = Math.round(this.heardMs / frameMs);
    const lateFrames = Math.min(frames, Math.round(this.lateHeardMs / frameMs));
    return { frames, lateFrames, jitterMs: rounded(this.variationMs / Math.max(1, this.pieces)), isOneWay };
  }

  /** Measures jitter: the mean variation of the delay from piece to piece. */
  private time(ms: number): void {
    const behindMs = this.lastHeardAtMs - this.startedAtMs - this.heardMs;
    const before = this.behindMs ?? behindMs;
    this.variationMs += Math.abs(behindMs - before);
    this.pieces += 1;
    this.behindMs = behindMs;
    this.minBehindMs = Math.min(this.minBehindMs, behindMs);
    if (behindMs - this.minBehindMs <= lateMs) return;
    this.lateHeardMs += ms;
    // The reference follows slowly, so that sound permanently delayed does not count as late for the rest of the call.
    this.minBehindMs += ms / 10;
  }
}

function rounded(ms: number): number {
  return Math.round(ms * 100) / 100;
}

const markEveryMs = 240;

/**
 * Asks the carrier to report how much of an answer was heard, so that history does not keep more. If the carrier cannot, the session
 * relies on its clock.
 */
export class PlaybackMarks {
  private answer = 0;
  private sentMs = 0;
  private markedMs = 0;

  constructor(
    private readonly media: Pick<CallMedia, 'mark' | 'capabilities'>,
    private readonly format: MediaFormat,
    private readonly playedTo: (playedMs: number) => void,
  ) {}

  /** A new answer begins. */
  begin(): void {
    this.answer += 1;
    this.sentMs = 0;
    this.markedMs = 0;
  }

  sent(bytes: Uint8Array): void {
    this.sentMs += msOfBytes(this.format, bytes.length);
    if (this.media.capabilities.marks !== 'carrier' || this.sentMs - this.markedMs < markEveryMs) return;
    this.markedMs = this.sentMs;
    this.media.mark(`${this.answer}.${Math.round(this.sentMs)}`);
  }

  /** Handles a returned mark. A cleared one does not tell what was heard. */
  came({ name, wasCleared }: { readonly name: string; readonly wasCleared: boolean }): void {
    const [answer, playedMs] = name.split('.').map(Number);
    if (!wasCleared && answer === this.answer && playedMs !== undefined && Number.isInteger(playedMs)) this.playedTo(playedMs);
  }
}

type Parts = z.output<typeof LatencyParts>;
const names = ['endOfTurnMs', 'transcriptionMs', 'retrievalMs', 'firstTokenMs', 'firstAudioMs', 'pacingMs'] as const;

/** The mean latency of a call's answers, by part. */
export class CallLatency {
  private readonly latencies: Parts[] = [];

  get turns(): number {
    return this.latencies.length;
  }

  /** Adds an answer; what the agent says unasked has no latency. */
  add(parts: Parts): void {
    if (parts.totalMs > 0 && this.latencies.length < 10_000) this.latencies.push(parts);
  }

  mean(): Parts | undefined {
    if (this.latencies.length === 0) return undefined;
    const parts = Object.fromEntries(names.map((name) => [name, meanOf(this.latencies.map((each) => each[name]))]));
    return {
      endOfTurnMs: null,
      transcriptionMs: null,
      retrievalMs: null,
      firstTokenMs: null,
      firstAudioMs: null,
      pacingMs: null,
      ...parts,
      totalMs: meanOf(this.latencies.map(({ totalMs }) => totalMs)) ?? 0,
    };
  }
}

/** The mean of the values that are present. */
function meanOf(values: readonly (number | null)[]): number | null {
  const there = values.filter((value) => value !== null);
  return there.length === 0 ? null : Math.round(there.reduce((sum, value) => sum + value, 0) / there.length);
}
