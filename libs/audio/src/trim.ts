/** What sound has to be louder than not to count as silence: about -54 dB of full scale. */
const quietest = 64;

/** Takes the silence from both ends of a sound that comes block by block, all but this much. */
export class SilenceTrimmer {
  private readonly kept: number;
  /** Silence that ends the sound if nothing follows. */
  private held: Int16Array[] = [];
  private heldSamples = 0;
  private hasBegun = false;
  /** Samples taken from the head so far. */
  private trimmed = 0;

  constructor(
    private readonly sampleRate: number,
    keptMs: number,
  ) {
    this.kept = Math.round((sampleRate * keptMs) / 1000);
  }

  /** How much of the head was taken. */
  get trimmedMs(): number {
    return (this.trimmed * 1000) / this.sampleRate;
  }

  /** What is certain to be part of the sound. */
  push(samples: Int16Array): Int16Array[] {
    const last = samples.findLastIndex(isLoud);
    if (last < 0) return this.hold(samples);
    const first = this.hasBegun ? 0 : samples.findIndex(isLoud);
    const before = this.hasBegun ? this.held : this.head(samples.subarray(0, first));
    this.hasBegun = true;
    this.held = [];
    this.heldSamples = 0;
    const sound = [...before, samples.subarray(first, last + 1)];
    return last + 1 < samples.length ? [...sound, ...this.hold(samples.subarray(last + 1))] : sound;
  }

  /** The end of the sound: so much of the silence behind it. */
  flush(): Int16Array[] {
    let room = this.hasBegun ? this.kept : 0;
    const left = this.held.flatMap((block) => {
      const part = block.subarray(0, room);
      room -= part.length;
      return part.length > 0 ? [part] : [];
    });
    this.held = [];
    this.heldSamples = 0;
    return left;
  }

  /** Whether a pause ends the sound is known once more of it comes, or none. */
  private hold(silence: Int16Array): Int16Array[] {
    this.held.push(silence);
    this.heldSamples += silence.length;
    if (!this.hasBegun) this.forget();
    return [];
  }

  /** Only the last of the silence before a sound can stay. */
  private forget(): void {
    while (this.held.length > 1 && this.heldSamples - (this.held[0]?.length ?? 0) >= this.kept) this.drop();
  }

  private drop(): void {
    const length = this.held.shift()?.length ?? 0;
    this.heldSamples -= length;
    this.trimmed += length;
  }

  private head(silence: Int16Array): Int16Array[] {
    const all = [...this.held, silence];
    let excess = this.heldSamples + silence.length - this.kept;
    this.trimmed += Math.max(0, excess);
    return all.flatMap((block) => {
      const cut = Math.min(block.length, Math.max(0, excess));
      excess -= cut;
      return cut < block.length ? [block.subarray(cut)] : [];
    });
  }
}

function isLoud(sample: number): boolean {
  return sample > quietest || sample < -quietest;
}
