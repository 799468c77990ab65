import path from 'node:path';
import { FrameCutter, joinSamples, Resampler } from '@parley/audio';
import { inTime, type NoiseRequest, type NoiseStream, type NoiseSuppression } from '@parley/ports';
import { CallableWorker } from '../callable-worker';
import { QuietGate } from '../quiet-gate';
import type { RnnoiseCalls } from './rnnoise.worker';

const provider = 'rnnoise';
const modelRate = 48_000;
const frameSamples = 480;
const restMs = 5000;

interface RnnoiseOptions {
  readonly answerMs?: number;
  readonly loadMs?: number;
  readonly worker?: Pick<CallableWorker<RnnoiseCalls>, 'call' | 'close'>;
}

/** RNNoise in a thread of its own, one for all calls. While the thread is not to be had, sound passes as it is. */
export class Rnnoise implements NoiseSuppression {
  readonly delayMs = 10;
  readonly sampleRates = [8000, 16_000, 24_000, 48_000];
  private readonly worker: Pick<CallableWorker<RnnoiseCalls>, 'call' | 'close'>;
  private readonly answerMs: number;
  private readonly loadMs: number;
  private isClosed = false;
  private lastId = 0;
  private restsUntilMs = 0;

  constructor({ answerMs = 1000, loadMs = 20_000, worker = rnnoiseThread() }: RnnoiseOptions = {}) {
    this.answerMs = answerMs;
    this.loadMs = loadMs;
    this.worker = worker;
  }

  async open({ sampleRate, strength, listener }: NoiseRequest): Promise<NoiseStream> {
    if (!this.sampleRates.includes(sampleRate)) throw new RangeError(`${provider} does not clean ${sampleRate} Hz`);
    if (!(strength >= 0 && strength <= 100)) throw new RangeError('the strength of noise suppression lies between 0 and 100');
    await this.attempt(() => this.worker.call('load'), this.loadMs);
    const id = (this.lastId += 1);
    const [up, down] = await Promise.all([Resampler.create(sampleRate, modelRate), Resampler.create(modelRate, sampleRate)]);
    return new NoiseLine({
      up,
      down,
      strength: strength / 100,
      clean: (frames) => this.attempt(() => this.worker.call('clean', id, strength / 100, frames), this.answerMs),
      tell: listener,
      onClose: () => this.forget(id),
    });
  }

  close(): Promise<void> {
    this.isClosed = true;
    return this.worker.close();
  }

  private get isResting(): boolean {
    return performance.now() < this.restsUntilMs;
  }

  /** A thread that is gone has forgotten by itself. */
  private forget(id: number): void {
    if (!this.isResting && !this.isClosed) this.worker.call('forget', id).catch(() => undefined);
  }

  private async attempt<T>(work: () => Promise<T>, timeoutMs: number): Promise<T | undefined> {
    if (this.isResting || this.isClosed) return undefined;
    try {
      return await inTime(work(), { provider, timeoutMs });
    } catch {
      // A thread that died or hangs is replaced by the next call, after a rest; until then callers are noisy and not mute.
      this.restsUntilMs = performance.now() + restMs;
      void this.worker.close();
      return undefined;
    }
  }
}

function rnnoiseThread(): CallableWorker<RnnoiseCalls> {
  const file = path.join(__dirname, `rnnoise.worker${path.extname(__filename)}`);
  return new CallableWorker<RnnoiseCalls>({ provider, file });
}

/** Blocks of a stream that may be in the thread; above that, sound passes as it was. */
const inWorkMax = 50;
/** What the gate looks at at a time. */
const windowMs = 20;
/** So much of the quiet that was passed over is shown to the filter before what it cleans again; it is told of once only. */
const leadInMs = 80;

interface NoiseLineOptions {
  readonly up: Resampler;
  readonly down: Resampler;
  readonly strength: number;
  /** Cleans whole frames, or answers nothing where that fails. */
  clean(frames: Int16Array): Promise<Int16Array | undefined>;
  tell(samples: Int16Array): void;
  onClose(): void;
}

/**
 * One caller's sound on its way through the filter. What the filter cannot clean comes as it was, in its place. Lasting quiet goes
 * past it: there a run costs no less than in a voice, and four times as much where the line is silent to the last bit.
 */
class NoiseLine implements NoiseStream {
  private readonly windows: FrameCutter;
  private readonly gate = new QuietGate(windowMs);
  private readonly frames = new FrameCutter(frameSamples);
  private readonly before = new Int16Array(frameSamples);
  private readonly rate: number;
  /** The sound before the next window, as it came. */
  private recent = new Int16Array(0);
  /** Samples of the stream: those that came, and those that were told. */
  private heard = 0;
  private told = 0;
  /** Samples that went into the filter, lead-ins included, those that came out, and the first of them that shall be told. */
  private filtered = 0;
  private cleaned = 0;
  private toldFrom = 0;
  private isFiltering = false;
  private last: Promise<void> | undefined;
  private inWork = 0;
  private isClosed = false;

  constructor(private readonly options: NoiseLineOptions) {
    this.rate = options.up.fromRate;
    this.windows = new FrameCutter((this.rate * windowMs) / 1000);
  }

  push(samples: Int16Array): void {
    if (this.isClosed) return;
    for (const window of this.windows.push(samples)) {
      const sound = joinSamples([this.recent, window]);
      this.heard += window.length;
      if (this.gate.mustJudge(window, 0)) this.clean(window);
      else this.passOver(sound, this.heard);
      this.recent = sound.slice((-this.rate * leadInMs) / 1000);
    }
  }

  close(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.options.up.close();
    this.options.down.close();
    this.options.onClose();
  }

  private clean(window: Int16Array): void {
    if (!this.isFiltering) this.beginFiltering();
    const frames = this.intoFilter(window);
    if (frames.length > 0) this.inOrder(frames, (sound) => this.tellCleaned(sound));
  }

  /** The filter hears the end of the quiet before it is asked, as it would have. */
  private beginFiltering(): void {
    const toldFrom = this.filtered + this.recent.length;
    this.isFiltering = true;
    const frames = this.intoFilter(this.recent);
    this.inOrder(frames, (sound) => {
      this.toldFrom = toldFrom;
      this.tellCleaned(sound);
    });
  }

  private intoFilter(samples: Int16Array): Int16Array {
    this.filtered += samples.length;
    return joinSamples(this.frames.push(this.options.up.push(samples).slice()));
  }

  /** What is not a voice is taken away as far as the strength says. */
  private passOver(sound: Int16Array, end: number): void {
    this.isFiltering = false;
    this.inOrder(new Int16Array(0), () => {
      const lateBy = (this.rate * frameSamples) / modelRate;
      const first = sound.length - (end - this.told) - lateBy;
      const left = 1 - this.options.strength;
      const quiet = new Int16Array(end - this.told);
      for (let at = 0; at < quiet.length; at++) quiet[at] = Math.round((sound[first + at] ?? 0) * left);
      this.tell(quiet);
    });
  }

  /** Tells of one piece of sound after the other, though the filter takes its time with some. */
  private inOrder(frames: Int16Array, tell: (cleaned: Int16Array) => void): void {
    const isAtOnce = frames.length === 0;
    if (isAtOnce && this.inWork === 0) return tell(frames);
    const asWas = this.late(frames);
    const cleaned = isAtOnce || this.inWork >= inWorkMax ? undefined : this.options.clean(frames);
    this.inWork += 1;
    this.last = Promise.resolve(this.last).then(async () => {
      const sound = (await cleaned) ?? asWas;
      this.inWork -= 1;
      if (!this.isClosed) tell(sound);
    });
  }

  private tellCleaned(frames: Int16Array): void {
    const sound = this.options.down.push(frames);
    this.cleaned += sound.length;
    this.tell(sound.subarray(Math.max(0, sound.length - Math.max(0, this.cleaned - this.toldFrom))));
  }

  private tell(samples: Int16Array): void {
    this.told += samples.length;
    if (samples.length > 0) this.options.tell(samples);
  }

  /** The same sound, late by as much as the filter makes it. */
  private late(frames: Int16Array): Int16Array {
    if (frames.length === 0) return frames;
    const shifted = joinSamples([this.before, frames]).slice(0, frames.length);
    this.before.set(frames.subarray(frames.length - frameSamples));
    return shifted;
  }
}
