import { joinSamples } from './samples';

/** Cuts a stream of blocks of any size into frames of one size. Keeps at most one unfinished frame. */
export class FrameCutter {
  private rest = new Int16Array(0);

  constructor(private readonly frameSamples: number) {
    if (!Number.isInteger(frameSamples) || frameSamples < 1) throw new RangeError('a frame has at least one sample');
  }

  /** The frames that this block completes. They may share the block's memory. */
  push(block: Int16Array): Int16Array[] {
    const samples = this.rest.length > 0 ? joinSamples([this.rest, block]) : block;
    const frames: Int16Array[] = [];
    let at = 0;
    for (; at + this.frameSamples <= samples.length; at += this.frameSamples) {
      frames.push(samples.subarray(at, at + this.frameSamples));
    }
    this.rest = samples.slice(at);
    return frames;
  }

  /** The last, unfinished frame filled up with silence; nothing when the stream ended on an edge. */
  flush(): Int16Array | undefined {
    if (this.rest.length === 0) return undefined;
    const last = new Int16Array(this.frameSamples);
    last.set(this.rest);
    this.rest = new Int16Array(0);
    return last;
  }
}

/** Samples in a frame of so many milliseconds. */
export function frameSamplesOf(sampleRate: number, frameMs = 20): number {
  return Math.round((sampleRate * frameMs) / 1000);
}
