/** A gap longer than this means that the caller's sound paused; a shorter one, that packets were late. */
const gapMs = 200;

/**
 * Places the caller's sound on the session's timeline. Late packets do not move what was said: the earliest arrival since
 * the last gap tells when sample zero was spoken.
 */
export class CallerTimeline {
  private samples = 0;
  private offsetMs: number | undefined;

  constructor(readonly sampleRate: number) {}

  /** So many samples have arrived; the last of them was spoken at most now. */
  heard(samples: number, nowMs: number): void {
    this.samples += samples;
    const startMs = nowMs - (this.samples * 1000) / this.sampleRate;
    const isGap = this.offsetMs !== undefined && startMs - this.offsetMs > gapMs;
    if (this.offsetMs === undefined || startMs < this.offsetMs || isGap) this.offsetMs = startMs;
  }

  /** Where the block of so many samples that arrived last begins. */
  lastBlockMs(samples: number): number {
    return this.sessionMs(((this.samples - samples) * 1000) / this.sampleRate);
  }

  /** The moment of the session at which this moment of the sound was spoken. */
  sessionMs(soundMs: number): number {
    return (this.offsetMs ?? 0) + soundMs;
  }
}
