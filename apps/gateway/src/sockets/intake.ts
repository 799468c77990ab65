import { socketLimits, usualBytesPerSecond } from './socket-limits';

const { soundAheadMsMax, soundSpeedMax, textFramesAtOnce, textFramesPerSecond } = socketLimits;

/**
 * How fast a client may talk. Sound may come a little ahead of real time, frames in a burst; after that the answer is how long
 * the socket is not to be read, so that the client's own network tells it to slow down and nothing is lost.
 */
export class Intake {
  bytesPerSecond = usualBytesPerSecond;
  private soundPaidUntilMs = 0;
  private textPaidUntilMs = 0;

  constructor(private readonly now: () => number = performance.now.bind(performance)) {}

  /** Milliseconds to wait after this much sound. */
  sound(bytes: number): number {
    const nowMs = this.now();
    const lastsMs = (bytes * 1_000) / this.bytesPerSecond / soundSpeedMax;
    this.soundPaidUntilMs = Math.max(this.soundPaidUntilMs, nowMs) + lastsMs;
    return Math.max(0, this.soundPaidUntilMs - nowMs - soundAheadMsMax);
  }

  /** Milliseconds to wait after one more text frame. */
  text(): number {
    const nowMs = this.now();
    const everyMs = 1_000 / textFramesPerSecond;
    this.textPaidUntilMs = Math.max(this.textPaidUntilMs, nowMs) + everyMs;
    return Math.max(0, this.textPaidUntilMs - nowMs - textFramesAtOnce * everyMs);
  }
}
