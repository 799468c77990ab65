import { setTimeout as sleep } from 'node:timers/promises';

/** The time source, which tests replace. */
export interface PacingTime {
  /** Monotonic milliseconds. */
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
  /** How far ahead of the listener frames are sent. */
  readonly leadMs?: number;
  readonly time?: PacingTime;
  readonly signal?: AbortSignal;
}

/**
 * Yields frames in real time, at most `leadMs` ahead. A late frame does not delay the next, since each has its own due time; after a
 * gap in the source the clock restarts, so that frames are not sent in a burst.
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
