/** One session of a contestant, from its caller's side. */
interface Caller {
  /** 20 ms of the caller's sound at 16 kHz. */
  hear(frame: Int16Array): void;
}

interface Measured {
  readonly latenciesMs: number[];
  readonly bargeInsMs: number[];
  readonly cpuShareOfSession: number;
  readonly bytesOfSession: number;
}

export const sampleRate = 16_000;
/** The length of one question in frames: after this many loud frames in a row it has ended. */
export const questionFrames = 40;
export const answerMs = 2000;

const frameMs = 20;
/** Within a frame, sessions are served one after the other, as packets of many callers would arrive. */
const phases = 4;
const stepsMax = 40;
const pauseMs = 400;
const bargeInAfterMs = 800;
const bargeInEvery = 3;
/** After this long without an answer a caller asks again; the turn is not counted. */
const patienceMs = 6000;
const loud = new Int16Array((sampleRate * frameMs) / 1000).fill(8000);
const quiet = new Int16Array((sampleRate * frameMs) / 1000);

interface Scene {
  readonly startMs: number;
  readonly interrupts: boolean;
  readonly measured: Pick<Measured, 'latenciesMs' | 'bargeInsMs'>;
}

/** A caller: asks, waits for the answer, hears it to the end or interrupts it, and asks again. */
class Talker {
  private loudLeft = 0;
  private nextMs: number;
  private turns = 0;
  private askedAtMs: number | undefined;
  private interruptedAtMs: number | undefined;

  constructor(
    private readonly caller: Caller,
    private readonly scene: Scene,
  ) {
    this.nextMs = scene.startMs;
  }

  push(nowMs: number): void {
    if (this.loudLeft === 0 && nowMs >= this.nextMs) {
      this.loudLeft = questionFrames;
      this.nextMs = Number.POSITIVE_INFINITY;
      if (this.interrupts) this.interruptedAtMs = nowMs;
    }
    if (this.askedAtMs !== undefined && nowMs - this.askedAtMs > patienceMs) this.askAgain(nowMs);
    const isLast = this.loudLeft === 1;
    const frame = this.loudLeft > 0 ? loud : quiet;
    this.loudLeft = Math.max(0, this.loudLeft - 1);
    if (isLast) this.askedAtMs = performance.now();
    this.caller.hear(frame);
  }

  /** The agent's sound has begun; it will last this long unless it is stopped. */
  noticeSound(nowMs: number): void {
    if (this.askedAtMs === undefined) return;
    this.scene.measured.latenciesMs.push(nowMs - this.askedAtMs);
    this.askedAtMs = undefined;
    this.turns++;
    this.nextMs = nowMs + (this.interrupts ? bargeInAfterMs : answerMs + pauseMs);
  }

  /** The agent fell silent in the middle of its answer. */
  noticeSilence(nowMs: number): void {
    if (this.interruptedAtMs === undefined) return;
    this.scene.measured.bargeInsMs.push(nowMs - this.interruptedAtMs);
    this.interruptedAtMs = undefined;
  }

  private askAgain(nowMs: number): void {
    this.askedAtMs = undefined;
    this.interruptedAtMs = undefined;
    this.turns++;
    this.nextMs = nowMs;
  }

  private get interrupts(): boolean {
    return this.scene.interrupts && this.turns % bargeInEvery === 2;
  }
}

interface Load {
  readonly sessions: number;
  readonly seconds: number;
  readonly interrupts: boolean;
  open(talker: { noticeSound(nowMs: number): void; noticeSilence(nowMs: number): void }): Promise<Caller>;
}

/** Lets this many callers talk for this long; returns how they were served. The first turns are not counted. */
export async function measure({ sessions, seconds, interrupts, open }: Load): Promise<Measured> {
  const measured: Scene['measured'] = { latenciesMs: [], bargeInsMs: [] };
  globalThis.gc?.();
  const bytesBefore = process.memoryUsage().rss;
  const talkers: Talker[] = [];
  for (let i = 0; i < sessions; i++) {
    const startMs = performance.now() + 500 + ((i * 397) % 3000);
    const talker: { it?: Talker } = {};
    const noticeSound = (ms: number): void => talker.it?.noticeSound(ms);
    const noticeSilence = (ms: number): void => talker.it?.noticeSilence(ms);
    const caller = await open({ noticeSound, noticeSilence });
    talker.it = new Talker(caller, { startMs, interrupts, measured });
    talkers.push(talker.it);
  }
  const stop = feed(talkers);
  await passed(5);
  measured.latenciesMs.length = 0;
  const cpu = process.cpuUsage();
  const fromMs = performance.now();
  await passed(seconds);
  const { user, system } = process.cpuUsage(cpu);
  const cpuShareOfSession = (user + system) / 1000 / (performance.now() - fromMs) / sessions;
  globalThis.gc?.();
  const bytesOfSession = (process.memoryUsage().rss - bytesBefore) / sessions;
  stop();
  return { ...measured, cpuShareOfSession, bytesOfSession };
}

/**
 * Sends frames in real time: a late tick catches up, so that every caller speaks in real time, but by at most a fifth of a second
 * at a time; otherwise a contestant slower than real time would get no CPU.
 */
function feed(talkers: readonly Talker[]): () => void {
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

function passed(seconds: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, seconds * 1000));
}
