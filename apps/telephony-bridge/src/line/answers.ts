import type { LatencyParts } from '@parley/contracts';
import { type CallMedia, type MediaFormat, msOfBytes } from '@parley/ports';
import type { z } from 'zod';

const markEveryMs = 240;

/**
 * Asks the carrier to say how much of an answer was heard, so that history keeps no more than that. Where the carrier cannot, the
 * engine's own clock is as good.
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

  /** From here on the sound is another answer. */
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

  /** What came back for a mark. One that was cleared away says nothing of what was heard. */
  came({ name, wasCleared }: { readonly name: string; readonly wasCleared: boolean }): void {
    const [answer, playedMs] = name.split('.').map(Number);
    if (!wasCleared && answer === this.answer && playedMs !== undefined && Number.isInteger(playedMs)) this.playedTo(playedMs);
  }
}

type Parts = z.output<typeof LatencyParts>;
const names = ['endOfTurnMs', 'transcriptionMs', 'retrievalMs', 'firstTokenMs', 'firstAudioMs', 'pacingMs'] as const;

/** The mean of where the time of a call's answers went. */
export class CallLatency {
  private readonly told: Parts[] = [];

  get turns(): number {
    return this.told.length;
  }

  /** Lines that nobody asked for were not waited for. */
  add(parts: Parts): void {
    if (parts.totalMs > 0 && this.told.length < 10_000) this.told.push(parts);
  }

  mean(): Parts | undefined {
    if (this.told.length === 0) return undefined;
    const parts = Object.fromEntries(names.map((name) => [name, meanOf(this.told.map((each) => each[name]))]));
    return {
      endOfTurnMs: null,
      transcriptionMs: null,
      retrievalMs: null,
      firstTokenMs: null,
      firstAudioMs: null,
      pacingMs: null,
      ...parts,
      totalMs: meanOf(this.told.map(({ totalMs }) => totalMs)) ?? 0,
    };
  }
}

/** A part that did not happen is not a part of no length. */
function meanOf(values: readonly (number | null)[]): number | null {
  const there = values.filter((value) => value !== null);
  return there.length === 0 ? null : Math.round(there.reduce((sum, value) => sum + value, 0) / there.length);
}
