const blockMs = 10;
/** A click is over within one block. */
const loudBlocks = 2;
const loudRootMin = 45;
const rise = 2.2;
/** What has risen goes on until it is as quiet as this again, or a noise that wavers would rise again and again. */
const fall = 1.6;
/** How fast the quiet is taken to have become louder, in a second and a half by a factor of two. */
const quietGrowth = 1.005;
const quietLearning = 0.3;

/** Notices sound of any kind that stands out of the quiet before it, within twenty milliseconds. */
export class SoundRise {
  private readonly blockSamples: number;
  private sum = 0;
  private count = 0;
  private quiet = loudRootMin / rise;
  private loudRun = 0;

  constructor(sampleRate: number) {
    this.blockSamples = (sampleRate * blockMs) / 1000;
  }

  /** Whether sound rose within these samples. */
  push(samples: Int16Array): boolean {
    let hasRisen = false;
    for (const sample of samples) {
      this.sum += sample * sample;
      if (++this.count < this.blockSamples) continue;
      if (this.isRise(Math.sqrt(this.sum / this.count))) hasRisen = true;
      this.sum = 0;
      this.count = 0;
    }
    return hasRisen;
  }

  private isRise(root: number): boolean {
    const threshold = Math.max(loudRootMin, this.quiet * (this.loudRun > 0 ? fall : rise));
    this.loudRun = root > threshold ? this.loudRun + 1 : 0;
    this.quiet = root < this.quiet ? this.quiet + (root - this.quiet) * quietLearning : this.quiet * quietGrowth;
    return this.loudRun === loudBlocks;
  }
}
