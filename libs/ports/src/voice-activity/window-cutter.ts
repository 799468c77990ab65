/** Cuts a stream into windows of one size, each in memory of its own, and counts where they begin. */
export class WindowCutter {
  private readonly rest: Int16Array;
  private filled = 0;
  private cut = 0;

  constructor(
    private readonly windowSamples: number,
    private readonly sampleRate: number,
  ) {
    this.rest = new Int16Array(windowSamples);
  }

  /** Calls once for each window that these samples complete. */
  push(samples: Int16Array, each: (window: Int16Array, startMs: number) => void): void {
    for (let at = 0; at < samples.length; ) {
      const part = samples.subarray(at, at + this.windowSamples - this.filled);
      this.rest.set(part, this.filled);
      this.filled += part.length;
      at += part.length;
      if (this.filled < this.windowSamples) return;
      each(this.rest.slice(), (this.cut * 1000) / this.sampleRate);
      this.cut += this.windowSamples;
      this.filled = 0;
    }
  }
}
