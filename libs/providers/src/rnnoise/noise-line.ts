import { FrameCutter, joinSamples, type Resampler } from '@parley/audio';
import type { NoiseStream } from '@parley/ports';

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
export class NoiseLine implements NoiseStream {
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
