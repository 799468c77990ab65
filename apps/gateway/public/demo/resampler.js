const zeroCrossings = 16;
const stepsPerCrossing = 256;

/** Half of a windowed sinc: the weight of an input sample by its distance from the output sample. */
const kernel = Float32Array.from({ length: zeroCrossings * stepsPerCrossing + 2 }, (_, index) => {
  const distance = index / stepsPerCrossing;
  if (distance === 0) return 1;
  if (distance >= zeroCrossings) return 0;
  const window = 0.5 + 0.5 * Math.cos((Math.PI * distance) / zeroCrossings);
  return (Math.sin(Math.PI * distance) / (Math.PI * distance)) * window;
});

/** Converts sound from one sample rate to another, block by block without a seam. Stateful: use one per stream. */
export class Resampler {
  constructor(fromRate, toRate) {
    this.step = fromRate / toRate;
    // Below the lower of the two Nyquist frequencies, so that nothing aliases into the voice.
    this.cutoff = Math.min(1, toRate / fromRate) * (fromRate === toRate ? 1 : 0.94);
    this.reach = Math.ceil(zeroCrossings / this.cutoff);
    this.input = new Float32Array(this.reach);
    // The position of the next output sample, counted in samples of `input`.
    this.at = this.reach;
  }

  /** The output so far, which trails the input by about a millisecond. */
  push(block) {
    if (this.step === 1) return block.slice();
    const input = new Float32Array(this.input.length + block.length);
    input.set(this.input);
    input.set(block, this.input.length);
    const count = Math.max(0, Math.ceil((input.length - this.reach - this.at) / this.step));
    const output = new Float32Array(count);
    for (let index = 0; index < count; index += 1) output[index] = this.sampleAt(input, this.at + index * this.step);
    this.keep(input, this.at + count * this.step);
    return output;
  }

  sampleAt(input, position) {
    const { cutoff, reach } = this;
    const last = Math.min(Math.floor(position + reach), input.length - 1);
    let sum = 0;
    for (let index = Math.max(0, Math.ceil(position - reach)); index <= last; index += 1) {
      const distance = (index < position ? position - index : index - position) * cutoff;
      if (distance >= zeroCrossings) continue;
      const place = distance * stepsPerCrossing;
      // Truncated without a function call: this runs a million times a second.
      const below = place | 0;
      sum += input[index] * (kernel[below] + (kernel[below + 1] - kernel[below]) * (place - below));
    }
    return sum * cutoff;
  }

  keep(input, nextAt) {
    const done = Math.max(0, Math.floor(nextAt) - this.reach);
    this.input = input.slice(done);
    this.at = nextAt - done;
  }
}
