const frameMs = 20;
const pauseMs = 400;
/** After this long without an answer a caller asks again; the turn is not counted. */
const patienceMs = 6000;
/** Within a frame, callers speak at different moments, as packets of many calls would arrive. */
const phases = 4;
const stepsMax = 40;

export const questionFrames = 40;
/**
 * The sample value that fills a frame. The last frame of a question is the loudest, so that losing an earlier one does not lose
 * the question.
 */
export const samples = { silent: 0, asking: 8000, last: 16_000 } as const;
export type FrameKind = keyof typeof samples;
export const answerMs = 2000;

/** The measurements of many calls. */
export interface Talked {
  readonly latenciesMs: number[];
  frames: number;
  sinceMs: number;
  lateFrames: number;
  /** Late frames in each second of the run: those that occur together have one cause. */
  readonly lateAt: number[];
  unanswered: number;
}

/** The caller's end of a call on any kind of line: asks, hears the whole answer, and asks again. */
export class Talker {
  private loudLeft = 0;
  private nextMs: number;
  private askedAtMs: number | undefined;
  /** The wait for the last answer. */
  waitedMs = Number.NaN;
  private answer: { untilMs: number; leftMs: number } | undefined;

  constructor(
    private readonly send: (frame: FrameKind) => void,
    private readonly scene: { readonly startMs: number; readonly talked: Talked; readonly questionFrames?: number },
  ) {
    this.nextMs = scene.startMs;
  }

  push(nowMs: number): void {
    if (this.loudLeft === 0 && nowMs >= this.nextMs) this.ask();
    if (this.askedAtMs !== undefined && nowMs - this.askedAtMs > patienceMs) this.giveUp(nowMs);
    const isLast = this.loudLeft === 1;
    this.send(isLast ? 'last' : this.loudLeft > 0 ? 'asking' : 'silent');
    this.loudLeft = Math.max(0, this.loudLeft - 1);
    if (isLast) this.askedAtMs = performance.now();
  }

  /** Records a piece of the agent's sound; a carrier that needs leading silence receives that first. */
  heard(ms: number, isSilent: boolean, wasFilledIn?: boolean): void {
    const nowMs = performance.now();
    if (this.askedAtMs === undefined && !this.answer) return;
    this.answer ??= { untilMs: nowMs, leftMs: answerMs };
    if (wasFilledIn === undefined) this.play(this.answer, ms, nowMs);
    else this.count(ms, wasFilledIn, nowMs);
    if (isSilent || wasFilledIn) return;
    if (this.askedAtMs !== undefined) {
      this.waitedMs = nowMs - this.askedAtMs;
      this.scene.talked.latenciesMs.push(this.waitedMs);
      this.askedAtMs = undefined;
      this.nextMs = nowMs + answerMs + pauseMs;
    }
    this.answer.leftMs -= ms;
    if (this.answer.leftMs <= 0) this.answer = undefined;
  }

  /** The listener plays what has arrived; a piece that arrives after the buffer ran empty is late. */
  private play(answer: { untilMs: number; leftMs: number }, ms: number, nowMs: number): void {
    this.count(ms, nowMs > answer.untilMs, nowMs);
    answer.untilMs = Math.max(answer.untilMs, nowMs) + ms;
  }

  private count(ms: number, isLate: boolean, nowMs: number): void {
    const { talked } = this.scene;
    talked.frames += ms / frameMs;
    if (!isLate) return;
    const second = Math.floor((nowMs - talked.sinceMs) / 1000);
    talked.lateFrames += 1;
    talked.lateAt[second] = (talked.lateAt[second] ?? 0) + 1;
  }

  private ask(): void {
    this.loudLeft = this.scene.questionFrames ?? questionFrames;
    this.answer = undefined;
    this.nextMs = Number.POSITIVE_INFINITY;
  }

  private giveUp(nowMs: number): void {
    this.askedAtMs = undefined;
    this.scene.talked.unanswered += 1;
    this.nextMs = nowMs;
  }
}

/**
 * Sends callers' frames in real time: a late tick catches up, by at most a fifth of a second. Returns a function that stops it.
 */
export function keepTalking(talkers: readonly Talker[]): () => void {
  const startMs = performance.now();
  let sent = 0;
  const timer = setInterval(() => {
    const until = sent + stepsMax;
    for (; sent < until && sent * (frameMs / phases) <= performance.now() - startMs; sent++) {
      for (let i = sent % phases; i < talkers.length; i += phases) talkers[i]?.push(performance.now());
    }
  }, frameMs / phases);
  return () => clearInterval(timer);
}
