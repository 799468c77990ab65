import { inTime } from '@parley/ports';

interface Patience {
  readonly provider: string;
  /** So long after it was late, a thread that has still not answered is left behind. */
  readonly hangMs: number;
  /** Ends the thread, which fails its calls; the next one starts another. */
  leave(): Promise<void>;
  /** How long it rests once it has answered late or failed, after so many failures in a row. */
  restMs(end: 'late' | 'failed', failuresBefore: number): number;
}

/** So few calls seldom meet in a run of a model, and a run out of cold caches costs eight hot ones. */
export const fewLines = 4;

/**
 * How long what a thread is asked about is gathered. A single line has no others to wait for. Many lines wait for the next tick of one
 * grid, so that all threads are asked, and answer, while the process is awake anyway.
 */
export function gatheringMs(lines: number, usualMs: number, nowMs: number): number {
  if (lines === 1 || usualMs === 0) return 0;
  const gridMs = 2 * usualMs;
  return lines > fewLines ? gridMs - (nowMs % gridMs) : usualMs;
}

/**
 * How a model's thread is asked: no answer in time is none, and it is not asked again until it has answered and rested. A busy machine
 * is slow, and a new thread would make it slower: only a hung one is replaced.
 */
export class PatientThread {
  private failures = 0;
  private restsUntilMs = 0;
  private reason: string | undefined;
  private isGone = false;

  constructor(private readonly patience: Patience) {}

  get isResting(): boolean {
    return performance.now() < this.restsUntilMs;
  }

  /** Why it gave no answer last; nothing once it has given one. */
  get trouble(): string | undefined {
    return this.reason;
  }

  /** It failed, and has forgotten all that it knew, unless it answers again. */
  get hasFailed(): boolean {
    return this.isGone;
  }

  /** Nothing where it fails or is late. */
  async ask<T>(work: () => Promise<T>, timeoutMs: number): Promise<T | undefined> {
    const answer = work();
    try {
      const known = await inTime(answer, { provider: this.patience.provider, timeoutMs });
      this.failures = 0;
      this.reason = undefined;
      this.isGone = false;
      return known;
    } catch (failure) {
      this.reason = failure instanceof Error ? failure.message : String(failure);
      this.rest(answer);
      return undefined;
    }
  }

  private rest(answer: Promise<unknown>): void {
    const { hangMs, leave, restMs } = this.patience;
    const failuresBefore = this.failures;
    this.failures += 1;
    this.restsUntilMs = Number.POSITIVE_INFINITY;
    const hanging = setTimeout(() => void leave(), hangMs).unref();
    const settled = (end: 'late' | 'failed') => (): void => {
      clearTimeout(hanging);
      this.isGone = end === 'failed';
      this.restsUntilMs = performance.now() + restMs(end, failuresBefore);
    };
    answer.then(settled('late'), settled('failed'));
  }
}
