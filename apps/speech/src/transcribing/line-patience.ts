/** The limits of a line that is written down. */
export interface LinePatience {
  /** Nothing at all came for so long: no sound, no signal. */
  readonly idleMs: number;
  readonly lineMsMax: number;
  /** How long the last words may take once the line ends. */
  readonly lastWordsMs: number;
  /** How long a process that stops waits for the speaker to pause. */
  readonly movingMs: number;
  /** What was used is told after so much sound. */
  readonly usageSeconds: number;
}

/** The key under which they are injected. */
export const LinePatience = Symbol('line patience');

/** What suits an ordinary line. */
export const ordinaryPatience: LinePatience = {
  idleMs: 60_000,
  lineMsMax: 4 * 3_600_000,
  lastWordsMs: 10_000,
  movingMs: 3000,
  usageSeconds: 5,
};
