import { createRequire } from 'node:module';
import path from 'node:path';
import { FrameCutter, joinSamples, QuietGate, Resampler, VoiceClarity } from '@parley/audio';
import { type NoiseRequest, type NoiseStream, type NoiseSuppression } from '@parley/ports';
import { CallableWorker, gatheringMs, PatientThread } from '../callable-worker';
import type { NoiseBatch, RnnoiseCalls } from './rnnoise.worker';

const provider = 'rnnoise';
const modelRate = 48_000;
const frameSamples = 480;
/** How long blocks of several streams are collected, twice as long for many, since waking two threads costs more than the work itself. */
const gatherMsUsual = 8;
/** The delays before a dead thread is replaced, and before a slow one is used again. */
const restMsDead = 5000;
const restMsLate = 500;

interface RnnoiseOptions {
  readonly gatherMs?: number;
  /** Sound that takes longer to clean passes unchanged, until the thread has answered. */
  readonly answerMs?: number;
  /** A thread that takes longer is ended, and another one is started. */
  readonly hangMs?: number;
  readonly loadMs?: number;
  readonly worker?: Pick<CallableWorker<RnnoiseCalls>, 'call' | 'close'>;
}

/** Frames waiting for the thread, and the callback for the result, which is undefined after a failure. */
interface Uncleaned {
  readonly stream: number;
  readonly strength: number;
  readonly frames: Int16Array;
  settle(cleaned: Int16Array | undefined): void;
}

/** RNNoise in a worker thread shared by all calls. While the thread is unavailable, sound passes unchanged. */
export class Rnnoise implements NoiseSuppression {
  readonly delayMs = 10;
  readonly sampleRates = [8000, 16_000, 24_000, 48_000];
  private readonly worker: Pick<CallableWorker<RnnoiseCalls>, 'call' | 'close'>;
  private readonly thread: PatientThread;
  private readonly answerMs: number;
  private readonly loadMs: number;
  private readonly gatherMs: number;
  private readonly lines = new Set<DenoisedStream>();
  private waiting: Uncleaned[] = [];
  private gathering: NodeJS.Timeout | undefined;
  private isAsking = false;
  private isClosed = false;
  private lastId = 0;

  constructor(options: RnnoiseOptions = {}) {
    const { gatherMs = gatherMsUsual, answerMs = 1000, hangMs = 10_000, loadMs = 20_000, worker = rnnoiseThread() } = options;
    this.answerMs = answerMs;
    this.loadMs = loadMs;
    this.gatherMs = gatherMs;
    this.worker = worker;
    // Meanwhile sound passes uncleaned.
    this.thread = new PatientThread({
      provider,
      hangMs,
      leave: () => this.worker.close(),
      restMs: (end) => (end === 'late' ? restMsLate : restMsDead),
    });
  }

  async open({ sampleRate, strength, listener }: NoiseRequest): Promise<NoiseStream> {
    if (!this.sampleRates.includes(sampleRate)) throw new RangeError(`${provider} does not clean ${sampleRate} Hz`);
    if (!(strength >= 0 && strength <= 100)) throw new RangeError('the strength of noise suppression lies between 0 and 100');
    await this.attempt(() => this.worker.call('load'), this.loadMs);
    const stream = (this.lastId += 1);
    const [up, down] = await Promise.all([Resampler.create(sampleRate, modelRate), Resampler.create(modelRate, sampleRate)]);
    const line = new DenoisedStream({
      up,
      down,
      strength: strength / 100,
      clean: (frames, settle) => this.gather({ stream, strength: strength / 100, frames, settle }),
      deliver: listener,
      onClose: () => {
        this.lines.delete(line);
        this.forget(stream);
      },
    });
    this.lines.add(line);
    return line;
  }

  close(): Promise<void> {
    this.isClosed = true;
    clearTimeout(this.gathering);
    return this.worker.close();
  }

  private gather(sound: Uncleaned): void {
    this.waiting.push(sound);
    if (!this.isAsking) this.askSoon();
  }

  private askSoon(): void {
    const waitMs = gatheringMs(this.lines.size, this.gatherMs, { nowMs: performance.now() });
    if (waitMs === 0) return void this.ask();
    this.gathering ??= setTimeout(() => void this.ask(), waitMs);
  }

  /** Runs one batch at a time. What arrives meanwhile is collected for the next. */
  private async ask(): Promise<void> {
    clearTimeout(this.gathering);
    this.gathering = undefined;
    const batch = this.waiting;
    this.waiting = [];
    this.isAsking = true;
    const cleaned = await this.attempt(() => this.worker.call('clean', batchOf(batch)), this.answerMs);
    this.isAsking = false;
    let at = 0;
    for (const { frames, settle } of batch) settle(cleaned?.subarray(at, (at += frames.length)));
    if (this.waiting.length > 0) this.askSoon();
  }

  /** Releases a stream in the thread, unless the thread is dead and has lost it anyway. */
  private forget(stream: number): void {
    this.waiting = this.waiting.filter((sound) => sound.stream !== stream);
    if (!this.thread.hasFailed && !this.isClosed) this.worker.call('forget', stream).catch(() => undefined);
  }

  private async attempt<T>(work: () => Promise<T>, timeoutMs: number): Promise<T | undefined> {
    return this.thread.isResting || this.isClosed ? undefined : this.thread.ask(work, timeoutMs);
  }
}

/** Batches all waiting frames, grouped by stream and in order. */
function batchOf(asked: readonly Uncleaned[]): NoiseBatch {
  return {
    streams: Int32Array.from(asked, ({ stream }) => stream),
    strengths: Float32Array.from(asked, ({ strength }) => strength),
    lengths: Int32Array.from(asked, ({ frames }) => frames.length),
    samples: joinSamples(asked.map(({ frames }) => frames)),
  };
}

const filterFile = '@sapphi-red/web-noise-suppressor/rnnoise_simd.wasm';

/** The worker thread. Only the compiled filter of the package is used, and none of its code. */
export function rnnoiseThread(): CallableWorker<RnnoiseCalls> {
  const file = path.join(__dirname, `rnnoise.worker${path.extname(__filename)}`);
  return new CallableWorker<RnnoiseCalls>({ provider, file, workerData: createRequire(__filename).resolve(filterFile) });
}

/** How many blocks of a stream may be in the thread; beyond that, sound passes unchanged. */
const inWorkMax = 50;
/** The window that is checked for quiet. */
const windowMs = 20;
/** How much skipped sound is fed to the filter before it cleans again; its output is discarded. */
const leadInMs = 80;
/** How many windows are received before the kept sound is moved back to the beginning of its memory. */
const windowsBetweenMoves = 20;

interface NoiseLineOptions {
  readonly up: Resampler;
  readonly down: Resampler;
  readonly strength: number;
  /** Cleans whole frames; the result is undefined after a failure. */
  clean(frames: Int16Array, settle: (cleaned: Int16Array | undefined) => void): void;
  deliver(samples: Int16Array): void;
  onClose(): void;
}

/** A piece of sound that is emitted in order once it is ready. */
interface DenoisingStep {
  sound: Int16Array | undefined;
  deliver(sound: Int16Array): void;
}

/**
 * Cleans one stream. What cannot be cleaned passes unchanged, in order. Lasting quiet bypasses the filter, since a run costs as much
 * then as for a voice, and four times as much on digital silence. So do voices without noise.
 */
class DenoisedStream implements NoiseStream {
  private readonly windows: FrameCutter;
  private readonly gate = new QuietGate(windowMs);
  private readonly frames = new FrameCutter(frameSamples);
  private readonly rate: number;
  private readonly windowSamples: number;
  private readonly lateBy: number;
  /** Received sound. Its end is kept, in memory that holds more, since to move it for every window costs more than all the rest. */
  private readonly received: Int16Array;
  private receivedEnd: number;
  private readonly recentSamples: number;
  /** The buffer for emitted quiet; receivers must not keep it. */
  private quiet: Int16Array;
  /** The last input of the filter. */
  private before: Int16Array = new Int16Array(0);
  /** Stream positions in samples: received, and emitted. */
  private heard = 0;
  private delivered = 0;
  /** Samples given to the filter, including lead-ins; those returned; and the first one to emit. */
  private filtered = 0;
  private cleaned = 0;
  private deliveredFrom = 0;
  private isFiltering = false;
  private readonly clarity = new VoiceClarity(windowMs);
  private isQuiet = true;
  private readonly steps: DenoisingStep[] = [];
  private isClosed = false;

  constructor(private readonly options: NoiseLineOptions) {
    this.rate = options.up.fromRate;
    this.lateBy = (this.rate * frameSamples) / modelRate;
    this.windowSamples = (this.rate * windowMs) / 1000;
    this.windows = new FrameCutter(this.windowSamples);
    this.recentSamples = (this.rate * leadInMs) / 1000 + this.windowSamples;
    this.received = new Int16Array(this.recentSamples + windowsBetweenMoves * this.windowSamples);
    this.receivedEnd = this.recentSamples;
    this.quiet = new Int16Array(this.recentSamples);
  }

  push(samples: Int16Array): void {
    if (this.isClosed) return;
    for (const window of this.windows.push(samples)) {
      this.keep(window);
      this.heard += window.length;
      this.treat(window);
    }
  }

  close(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.options.up.close();
    this.options.down.close();
    this.options.onClose();
  }

  private keep(window: Int16Array): void {
    const { received, receivedEnd } = this;
    if (receivedEnd + window.length > received.length) {
      received.copyWithin(0, receivedEnd - this.recentSamples, receivedEnd);
      this.receivedEnd = this.recentSamples;
    }
    received.set(window, this.receivedEnd);
    this.receivedEnd += window.length;
  }

  /** The newest window, preceded by the sound before it, unfiltered. */
  private get recent(): Int16Array {
    return this.received.subarray(this.receivedEnd - this.recentSamples, this.receivedEnd);
  }

  private treat(window: Int16Array): void {
    const wasQuiet = this.isQuiet;
    this.isQuiet = !this.gate.mustJudge(window, 0);
    const isClear = this.clarity.isClear(this.gate.loudness, { begins: wasQuiet && !this.isQuiet });
    if (this.isQuiet) this.passOver(1 - this.options.strength);
    else if (isClear) this.passOver(1);
    else this.clean(window);
  }

  private clean(window: Int16Array): void {
    if (!this.isFiltering) this.beginFiltering();
    const frames = this.intoFilter(window);
    if (frames.length > 0) this.inOrder(frames, (sound) => this.tellCleaned(sound));
  }

  /** Primes the filter with the end of the quiet, as if it had filtered all of it. */
  private beginFiltering(): void {
    const { recent } = this;
    const end = recent.length - this.windowSamples;
    const leadIn = recent.subarray(Math.max(0, end - (this.heard - this.windowSamples)), end);
    const deliveredFrom = this.filtered + leadIn.length;
    this.isFiltering = true;
    this.inOrder(this.intoFilter(leadIn), (sound) => {
      this.deliveredFrom = deliveredFrom;
      this.tellCleaned(sound);
    });
  }

  private intoFilter(samples: Int16Array): Int16Array {
    this.filtered += samples.length;
    return joinSamples(this.frames.push(this.options.up.push(samples)));
  }

  /** Bypasses the filter for the window, attenuated to this share. */
  private passOver(left: number): void {
    this.isFiltering = false;
    if (this.steps.length === 0) return this.deliverPassed(this.recent, { end: this.heard, left });
    const { heard } = this;
    const sound = this.recent.slice();
    this.steps.push({ sound, deliver: () => this.deliverPassed(sound, { end: heard, left }) });
  }

  private deliverPassed(sound: Int16Array, { end, left }: { end: number; left: number }): void {
    const first = sound.length - (end - this.delivered) - this.lateBy;
    if (this.quiet.length < end - this.delivered) this.quiet = new Int16Array(end - this.delivered);
    const quiet = this.quiet.subarray(0, end - this.delivered);
    if (left === 1 && first >= 0) quiet.set(sound.subarray(first, first + quiet.length));
    else for (let at = 0; at < quiet.length; at++) quiet[at] = Math.round((sound[first + at] ?? 0) * left);
    this.deliver(quiet);
  }

  /** Emits sound in order, although the filter delays some of it. */
  private inOrder(frames: Int16Array, deliver: DenoisingStep['deliver']): void {
    if (frames.length === 0 && this.steps.length === 0) return deliver(frames);
    const { before } = this;
    const step: DenoisingStep = { sound: frames.length === 0 ? frames : undefined, deliver };
    this.steps.push(step);
    if (frames.length === 0) return;
    this.before = frames;
    const settle = (cleaned: Int16Array | undefined): void => {
      step.sound = cleaned ?? shifted(before, frames);
      this.tellSettled();
    };
    if (this.steps.length > inWorkMax) settle(undefined);
    else this.options.clean(frames, settle);
  }

  private tellSettled(): void {
    for (let [next] = this.steps; next?.sound; [next] = this.steps) {
      this.steps.shift();
      if (!this.isClosed) next.deliver(next.sound);
    }
  }

  private tellCleaned(frames: Int16Array): void {
    const sound = this.options.down.push(frames);
    this.cleaned += sound.length;
    this.deliver(sound.subarray(Math.max(0, sound.length - Math.max(0, this.cleaned - this.deliveredFrom))));
  }

  private deliver(samples: Int16Array): void {
    this.delivered += samples.length;
    if (samples.length > 0) this.options.deliver(samples);
  }
}

/** Delays sound by one frame, like the filter. */
function shifted(before: Int16Array, frames: Int16Array): Int16Array {
  const late = new Int16Array(frames.length);
  late.set(before.subarray(-frameSamples), frameSamples - Math.min(frameSamples, before.length));
  late.set(frames.subarray(0, frames.length - frameSamples), frameSamples);
  return late;
}
