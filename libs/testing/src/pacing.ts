import { setTimeout as sleep } from 'node:timers/promises';

/** Time as the pacing sees it, so that tests need not wait. */
export interface PacingTime {
  /** Milliseconds of a clock that never jumps back. */
  now(): number;
  wait(ms: number, signal?: AbortSignal): Promise<void>;
}

/** The machine's monotonic time. */
const machineTime: PacingTime = {
  now: () => performance.now(),
  wait: async (ms, signal) => {
    await sleep(ms, undefined, { signal });
  },
};

interface PacingOptions {
  readonly frameMs?: number;
  /** How far ahead of the listener the line may run. */
  readonly leadMs?: number;
  readonly time?: PacingTime;
  readonly signal?: AbortSignal;
}

/**
 * Paces frames at the speed of hearing, never more than the lead ahead. A late frame does not delay the next, since each is due
 * at its own time; after a gap in the source the clock restarts instead of rushing.
 */
export async function* paced<Frame>(frames: AsyncIterable<Frame>, options: PacingOptions = {}): AsyncGenerator<Frame> {
  const { frameMs = 20, leadMs = 60, time = machineTime, signal } = options;
  let dueMs = Number.NEGATIVE_INFINITY;
  for await (const frame of frames) {
    const nowMs = time.now();
    dueMs = Math.max(dueMs, nowMs - leadMs);
    if (dueMs > nowMs) await time.wait(dueMs - nowMs, signal);
    yield frame;
    dueMs += frameMs;
  }
}
