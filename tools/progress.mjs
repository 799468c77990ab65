// How long something that fills a folder may go on: as long as the folder grows, however slow a busy machine is. Plain Node, version 20
// or later.
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';

const lookEveryMs = 1_000;

/** What is said of work that stood still. */
export const stoodStill = (stallMs) => `it made no progress for ${stallMs / 1_000} s`;

/** Whether a reason says that work only stood still, so that another attempt may succeed. */
export const isStall = (reason) => /made no progress for \d/.test(reason ?? '');

/** Judges what is seen of growing work. Time in which a starved process could not look is not held against the work. */
export class Progress {
  #size = -1;
  #quietMs = 0;
  #lookedAtMs;

  constructor(stallMs, nowMs) {
    this.stallMs = stallMs;
    this.#lookedAtMs = nowMs;
  }

  /** Takes a look; returns whether the work has stood still for too long. */
  isStalled(size, nowMs) {
    const sinceMs = Math.min(nowMs - this.#lookedAtMs, 2 * lookEveryMs);
    this.#lookedAtMs = nowMs;
    this.#quietMs = size === this.#size ? this.#quietMs + sinceMs : 0;
    this.#size = size;
    return this.#quietMs >= this.stallMs;
  }
}

/** A signal that aborts once the folder has not changed for `stallMs`, or `interrupted` aborts. Close it afterwards. */
export function whileGrowing(folder, { stallMs, interrupted }) {
  const stalled = new AbortController();
  const progress = new Progress(stallMs, performance.now());
  const look = async () => {
    if (progress.isStalled(await sizeOf(folder), performance.now())) stalled.abort(new Error(stoodStill(stallMs)));
  };
  const timer = setInterval(() => void look(), lookEveryMs);
  return {
    signal: interrupted ? AbortSignal.any([interrupted, stalled.signal]) : stalled.signal,
    isStalled: () => stalled.signal.aborted,
    close: () => clearInterval(timer),
  };
}

/** Bytes and entries; what vanishes meanwhile counts as nothing. */
async function sizeOf(folder) {
  const names = await readdir(folder, { recursive: true }).catch(() => []);
  const sizes = await Promise.all(
    names.map((name) =>
      stat(path.join(folder, name)).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  );
  return sizes.reduce((sum, size) => sum + size, names.length);
}
