import path from 'node:path';
import { FrameCutter, joinSamples, Resampler } from '@parley/audio';
import { inTime, type NoiseRequest, type NoiseStream, type NoiseSuppression } from '@parley/ports';
import { CallableWorker } from '../callable-worker';
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
      frameSamples,
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

interface NoiseLineOptions {
  readonly up: Resampler;
  readonly down: Resampler;
  readonly frameSamples: number;
  /** Cleans whole frames, or answers nothing where that fails. */
  clean(frames: Int16Array): Promise<Int16Array | undefined>;
  tell(samples: Int16Array): void;
  onClose(): void;
}

/** One caller's sound on its way through the filter. What the filter cannot clean comes as it was, in its place. */
class NoiseLine implements NoiseStream {
  private readonly cutter: FrameCutter;
  private readonly before: Int16Array;
  private last: Promise<void> = Promise.resolve();
  private inWork = 0;
  private isClosed = false;

  constructor(private readonly options: NoiseLineOptions) {
    this.cutter = new FrameCutter(options.frameSamples);
    this.before = new Int16Array(options.frameSamples);
  }

  push(samples: Int16Array): void {
    if (this.isClosed) return;
    const cut = this.cutter.push(this.options.up.push(samples).slice());
    if (cut.length === 0) return;
    const frames = joinSamples(cut);
    const asWas = this.late(frames);
    const cleaned = this.inWork < inWorkMax ? this.options.clean(frames) : Promise.resolve(undefined);
    this.inWork += 1;
    this.last = this.last.then(async () => {
      const sound = (await cleaned) ?? asWas;
      this.inWork -= 1;
      if (!this.isClosed) this.options.tell(this.options.down.push(sound));
    });
  }

  close(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.options.up.close();
    this.options.down.close();
    this.options.onClose();
  }

  /** The same sound, late by as much as the filter makes it. */
  private late(frames: Int16Array): Int16Array {
    const { frameSamples } = this.options;
    const shifted = joinSamples([this.before, frames]).slice(0, frames.length);
    this.before.set(frames.subarray(frames.length - frameSamples));
    return shifted;
  }
}
