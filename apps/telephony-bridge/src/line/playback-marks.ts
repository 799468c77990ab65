import { type CallMedia, type MediaFormat, msOfBytes } from '@parley/ports';

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
