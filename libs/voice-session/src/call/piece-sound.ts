import { joinSamples, Resampler } from '@parley/audio';
import type { SpeechBlock } from '@parley/ports';
import type { Slice } from '../session/actions';

/** No sentence takes longer to say; a voice that goes on is stopped. */
const pieceSecondsMax = 60;

/** The sound of one sentence at the rate of the line, kept until nobody can want it again. */
export class PieceSound {
  readonly stop = new AbortController();
  private readonly blocks: Int16Array[] = [];
  private samples = 0;
  private resampler: Resampler | undefined;

  constructor(private readonly sampleRate: number) {}

  get hasRoom(): boolean {
    return this.samples < pieceSecondsMax * this.sampleRate;
  }

  /** The block as the line takes it; undefined when it comes at a rate that has not come before. */
  take({ samples, sampleRate }: SpeechBlock): Int16Array | undefined {
    if (sampleRate === this.sampleRate) return this.keep(samples);
    return this.resampler?.fromRate === sampleRate ? this.keep(this.resampler.push(samples)) : undefined;
  }

  async takeAtNewRate({ samples, sampleRate }: SpeechBlock): Promise<Int16Array> {
    this.resampler?.close();
    this.resampler = await Resampler.create(sampleRate, this.sampleRate);
    if (!this.stop.signal.aborted) return this.keep(this.resampler.push(samples));
    this.resampler.close();
    return new Int16Array(0);
  }

  /** What the filter still held back. */
  flush(): Int16Array {
    const rest = this.resampler?.flush() ?? new Int16Array(0);
    this.resampler?.close();
    this.resampler = undefined;
    return this.keep(rest);
  }

  /** A stretch of it. What was not made is silence, which keeps the line's count true. */
  cut({ from, samples }: Slice): Int16Array {
    const out = new Int16Array(samples);
    let at = 0;
    for (const block of this.blocks) {
      const start = Math.max(from, at);
      const end = Math.min(from + samples, at + block.length);
      if (end > start) out.set(block.subarray(start - at, end - at), start - from);
      at += block.length;
      if (at >= from + samples) break;
    }
    return out;
  }

  close(): void {
    this.stop.abort();
    this.resampler?.close();
    this.resampler = undefined;
    this.blocks.length = 0;
  }

  private keep(samples: Int16Array): Int16Array {
    if (samples.length > 0) this.blocks.push(samples);
    this.samples += samples.length;
    return samples;
  }
}

/** One block of sound for the line: stretches of sentences, and silence to fill the last frame. */
export function joinSlices(sounds: ReadonlyMap<number, PieceSound>, slices: readonly Slice[], padding: number): Int16Array {
  const parts = slices.map((slice) => sounds.get(slice.piece)?.cut(slice) ?? new Int16Array(slice.samples));
  const [only] = parts;
  if (parts.length === 1 && padding === 0 && only) return only;
  return joinSamples([...parts, new Int16Array(padding)]);
}

/** FNV-1a over the samples: enough to see whether a voice said the same thing twice. */
export function soundHash(samples: Int16Array): string {
  let hash = 0x811c9dc5;
  for (const sample of samples) hash = Math.imul(hash ^ (sample & 0xffff), 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, '0');
}
