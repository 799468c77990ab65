import type { SpeexResampler } from '@echogarden/speex-resampler-wasm/simd';
import { joinSamples } from './encodings';

const quality = 5;
const blockSamples = 4096;

let loading: Promise<SpeexResampler> | undefined;

async function load(): Promise<SpeexResampler> {
  const { default: initialize } = await import('@echogarden/speex-resampler-wasm/simd');
  return initialize();
}

/** Whether this rate can be resampled. */
export function isResamplable(sampleRate: number): boolean {
  return Number.isInteger(sampleRate) && sampleRate >= 4000 && sampleRate <= 192_000;
}

/**
 * Resamples a stream without clicks between blocks. Each stream needs its own. Its memory is not garbage-collected, so it must be
 * closed.
 */
export class Resampler {
  private state: number;
  private readonly memory: number;
  private readonly outputSamplesMax: number;
  private reused = new Int16Array(0);

  private constructor(
    private readonly speex: SpeexResampler,
    readonly fromRate: number,
    readonly toRate: number,
  ) {
    this.outputSamplesMax = Math.ceil((blockSamples * toRate) / fromRate) + 64;
    this.memory = speex._malloc(8 + 2 * (blockSamples + this.outputSamplesMax));
    this.state = speex._speex_resampler_init(1, fromRate, toRate, quality, this.memory);
    if (this.memory === 0 || this.state === 0) throw new Error('no memory for another resampler');
    speex._speex_resampler_skip_zeros(this.state);
  }

  /** The first call loads the module. Equal rates cost nothing. */
  static async create(fromRate: number, toRate: number): Promise<Resampler> {
    for (const rate of [fromRate, toRate]) {
      if (!isResamplable(rate)) throw new RangeError(`${rate} is not a sample rate between 4000 and 192000`);
    }
    loading ??= load();
    return new Resampler(await loading, fromRate, toRate);
  }

  /** The samples at the other rate, with a few milliseconds held back by the filter. */
  push(samples: Int16Array): Int16Array {
    if (this.state === 0) throw new Error('this resampler is closed');
    if (this.fromRate === this.toRate) return samples;
    const parts: Int16Array[] = [];
    for (let at = 0; at < samples.length;) {
      const { used, output } = this.process(samples.subarray(at, at + blockSamples));
      at += used;
      parts.push(output.slice());
      if (used === 0 && output.length === 0) break;
    }
    return parts.length === 1 && parts[0] ? parts[0] : joinSamples(parts);
  }

  /** The same, in memory that the next call overwrites: for frames of sound that are read at once. */
  pushReusing(samples: Int16Array): Int16Array {
    if (this.state === 0 || this.fromRate === this.toRate || samples.length > blockSamples) return this.push(samples);
    const { used, output } = this.process(samples);
    if (used < samples.length) return joinSamples([output.slice(), this.push(samples.subarray(used))]);
    if (this.reused.length < output.length) this.reused = new Int16Array(output.length);
    this.reused.set(output);
    return this.reused.length === output.length ? this.reused : this.reused.subarray(0, output.length);
  }

  /** What the filter still holds back at the end of the stream. */
  flush(): Int16Array {
    if (this.fromRate === this.toRate) return new Int16Array(0);
    return this.push(new Int16Array(this.speex._speex_resampler_get_input_latency(this.state)));
  }

  /** Frees its memory; closing twice is harmless. */
  close(): void {
    if (this.state === 0) return;
    this.speex._speex_resampler_destroy(this.state);
    this.speex._free(this.memory);
    this.state = 0;
  }

  /** The output is a view of the module's memory, valid until anything else happens in it. */
  private process(samples: Int16Array): { used: number; output: Int16Array } {
    const { speex, memory } = this;
    const input = memory + 8;
    const output = input + 2 * blockSamples;
    speex.HEAPU32[memory / 4] = samples.length;
    speex.HEAPU32[memory / 4 + 1] = this.outputSamplesMax;
    speex.HEAP16.set(samples, input / 2);
    const code = speex._speex_resampler_process_int(this.state, 0, input, memory, output, memory + 4);
    if (code !== 0) throw new Error(`the resampler failed with code ${code}`);
    const used = speex.HEAPU32[memory / 4] ?? 0;
    const made = speex.HEAPU32[memory / 4 + 1] ?? 0;
    return { used, output: speex.HEAP16.subarray(output / 2, output / 2 + made) };
  }
}

/** Resamples a whole sound. */
export async function resample(samples: Int16Array, fromRate: number, toRate: number): Promise<Int16Array> {
  const resampler = await Resampler.create(fromRate, toRate);
  try {
    return joinSamples([resampler.push(samples), resampler.flush()]);
  } finally {
    resampler.close();
  }
}
