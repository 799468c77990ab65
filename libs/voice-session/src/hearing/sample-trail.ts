/** The last samples of a stream, found by their place in it. What is older than the trail is long, or not yet there, reads as silence. */
export class SampleTrail {
  private length = 0;

  /** The ring says how much is kept, and in which form. */
  constructor(private readonly ring: Float32Array | Int16Array) {}

  /** The place of the next sample. */
  get end(): number {
    return this.length;
  }

  append(samples: ArrayLike<number>): void {
    for (let i = Math.max(0, samples.length - this.ring.length); i < samples.length; i++) {
      this.ring[(this.length + i) % this.ring.length] = samples[i] ?? 0;
    }
    this.length += samples.length;
  }

  /** Fills up with silence to this place; a place already passed is left as it is. */
  skipTo(place: number): void {
    const missing = place - this.length;
    if (missing <= 0) return;
    for (let i = Math.max(0, missing - this.ring.length); i < missing; i++) this.ring[(this.length + i) % this.ring.length] = 0;
    this.length = place;
  }

  slice(from: number, to: number): Float32Array {
    const samples = new Float32Array(Math.max(0, to - from));
    const oldest = this.length - this.ring.length;
    for (let place = Math.max(0, from, oldest); place < Math.min(to, this.length); place++) {
      samples[place - from] = this.ring[place % this.ring.length] ?? 0;
    }
    return samples;
  }
}
