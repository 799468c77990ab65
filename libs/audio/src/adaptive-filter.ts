import { RealFourier } from './fourier';

/** How much of the filter is assumed to be still valid one hop later. */
const transition = 0.9995;
const transitionPower = transition * transition;
const powerKept = 0.8;
/** The power per sample of the noise of an ordinary line. */
const lineNoise = 64;

/** A hop of input, split into the echo and the residual. */
export interface Split {
  readonly echo: Float32Array;
  readonly left: Float32Array;
}

/**
 * Learns the echo of a played sound and removes it from the input: a partitioned frequency-domain filter with one part per hop,
 * each value corrected in proportion to its uncertainty (a Kalman filter, after Enzner and Vary), so that speech over the echo does
 * not disturb it.
 */
export class AdaptiveFilter {
  /** How many played samples each split needs: two hops, rounded up to a power of two. */
  readonly size: number;
  private readonly fourier: RealFourier;
  private readonly bins: number;
  /**
   * The sound played in the last hops, the filter and its uncertainties: all frequencies of the first part, then those of the
   * next.
   */
  private readonly past: Complex;
  private readonly taps: Complex;
  private readonly uncertainties: Float64Array;
  private readonly otherPower: Float64Array;
  /** One divided by the power of everything that may be in the input. */
  private readonly weights: Float64Array;
  private readonly samples: Float64Array;
  private readonly sum: Complex;
  private readonly left: Complex;
  private hasHeard = false;
  private newest = 0;
  private corrected = 0;

  constructor(
    private readonly hop: number,
    private readonly parts: number,
    /** The initial uncertainty: how strong the echo may be in each part, as relative power. */
    uncertainty: number,
  ) {
    this.size = 2 ** Math.ceil(Math.log2(2 * hop));
    this.bins = this.size / 2 + 1;
    this.fourier = new RealFourier(this.size);
    this.samples = new Float64Array(this.size);
    this.past = complex(parts * this.bins);
    this.taps = complex(parts * this.bins);
    this.uncertainties = new Float64Array(parts * this.bins).fill(uncertainty);
    this.otherPower = new Float64Array(this.bins);
    this.weights = new Float64Array(this.bins);
    this.sum = complex(this.bins);
    this.left = complex(this.bins);
  }

  /** A copy with at least this uncertainty, which learns faster but is disturbed more by other sound. */
  withUncertainty(uncertainty: number): AdaptiveFilter {
    const other = new AdaptiveFilter(this.hop, this.parts, uncertainty);
    other.past.real.set(this.past.real);
    other.past.imaginary.set(this.past.imaginary);
    other.taps.real.set(this.taps.real);
    other.taps.imaginary.set(this.taps.imaginary);
    other.otherPower.set(this.otherPower);
    other.uncertainties.forEach((_, at) => (other.uncertainties[at] = Math.max(uncertainty, this.uncertainties[at] ?? 0)));
    other.hasHeard = this.hasHeard;
    other.newest = this.newest;
    other.corrected = this.corrected;
    return other;
  }

  /** Raises every uncertainty to at least this. */
  raiseUncertainty(uncertainty: number): void {
    for (let at = 0; at < this.uncertainties.length; at++)
      this.uncertainties[at] = Math.max(uncertainty, this.uncertainties[at] ?? 0);
  }

  /** Forgets the played sound, because the next split does not continue it. */
  forgetSound(): void {
    this.past.real.fill(0);
    this.past.imaginary.fill(0);
  }

  /** Splits a hop of input and learns from it. `played` has `size` samples and ends at the same time as the hop. */
  split(played: Float32Array, heard: Float32Array): Split {
    this.takePlayed(played);
    const echo = this.echo();
    const left = heard.map((sample, i) => sample - (echo[i] ?? 0));
    this.takeLeft(left);
    this.correct();
    this.shorten(this.corrected);
    this.corrected = (this.corrected + 1) % this.parts;
    return { echo, left };
  }

  private takePlayed(played: Float32Array): void {
    const { samples, past, bins } = this;
    this.newest = (this.newest + this.parts - 1) % this.parts;
    samples.set(played);
    this.fourier.forward(samples, { ...past, at: this.newest * bins });
  }

  /** Where the sound played this many hops ago is stored. */
  private placeOf(part: number): number {
    return ((this.newest + part) % this.parts) * this.bins;
  }

  private echo(): Float32Array {
    const { past, taps, samples, bins, size, hop } = this;
    const { real, imaginary } = this.sum;
    real.fill(0);
    imaginary.fill(0);
    for (let part = 0; part < this.parts; part++) {
      const from = this.placeOf(part);
      const at = part * bins;
      for (let k = 0; k < bins; k++) {
        const a = past.real[from + k] ?? 0;
        const b = past.imaginary[from + k] ?? 0;
        const c = taps.real[at + k] ?? 0;
        const d = taps.imaginary[at + k] ?? 0;
        real[k] = (real[k] ?? 0) + a * c - b * d;
        imaginary[k] = (imaginary[k] ?? 0) + a * d + b * c;
      }
    }
    this.fourier.inverse({ real, imaginary, at: 0 }, samples);
    return new Float32Array(samples.subarray(size - hop));
  }

  private takeLeft(rest: Float32Array): void {
    const { left, samples, size, hop, bins, otherPower } = this;
    samples.fill(0).set(rest, size - hop);
    this.fourier.forward(samples, { ...left, at: 0 });
    const kept = this.hasHeard ? powerKept : 0;
    this.hasHeard = true;
    for (let k = 0; k < bins; k++) {
      const power = (left.real[k] ?? 0) ** 2 + (left.imaginary[k] ?? 0) ** 2;
      otherPower[k] = kept * (otherPower[k] ?? 0) + (1 - kept) * power;
    }
  }

  /** Corrects each value by the residual, in proportion to its uncertainty relative to everything else in the input. */
  private correct(): void {
    this.weighInput();
    for (let part = 0; part < this.parts; part++) this.correctPart(part);
  }

  /** Estimates the power of the input: the uncertain part of the echo, other sound and the line's noise. */
  private weighInput(): void {
    const { past, uncertainties, otherPower, weights, bins, hop, size } = this;
    const share = hop / size;
    for (let k = 0; k < bins; k++) weights[k] = (otherPower[k] ?? 0) + lineNoise * hop;
    for (let part = 0; part < this.parts; part++) {
      const from = this.placeOf(part);
      const at = part * bins;
      for (let k = 0; k < bins; k++) {
        const a = past.real[from + k] ?? 0;
        const b = past.imaginary[from + k] ?? 0;
        weights[k] = (weights[k] ?? 0) + share * (uncertainties[at + k] ?? 0) * (a * a + b * b);
      }
    }
    for (let k = 0; k < bins; k++) weights[k] = 1 / (weights[k] ?? 1);
  }

  private correctPart(part: number): void {
    const { past, taps, left, uncertainties, weights, bins, hop, size } = this;
    const share = hop / size;
    const from = this.placeOf(part);
    const to = part * bins;
    for (let k = 0; k < bins; k++) {
      const at = to + k;
      const a = past.real[from + k] ?? 0;
      const b = past.imaginary[from + k] ?? 0;
      const leftReal = left.real[k] ?? 0;
      const leftImaginary = left.imaginary[k] ?? 0;
      const uncertainty = uncertainties[at] ?? 0;
      const step = uncertainty * (weights[k] ?? 0);
      const real = (taps.real[at] ?? 0) + step * (a * leftReal + b * leftImaginary);
      const imaginary = (taps.imaginary[at] ?? 0) + step * (a * leftImaginary - b * leftReal);
      taps.real[at] = real;
      taps.imaginary[at] = imaginary;
      uncertainties[at] =
        transitionPower * (1 - share * step * (a * a + b * b)) * uncertainty +
        (1 - transitionPower) * (real * real + imaginary * imaginary);
    }
  }

  /** Truncates a part to one hop in time, since corrections extend it. One part per hop is enough. */
  private shorten(part: number): void {
    const { samples, taps, bins, hop } = this;
    const spectrum = { ...taps, at: part * bins };
    this.fourier.inverse(spectrum, samples);
    samples.fill(0, hop);
    this.fourier.forward(samples, spectrum);
  }
}

interface Complex {
  readonly real: Float64Array;
  readonly imaginary: Float64Array;
}

function complex(length: number): Complex {
  return { real: new Float64Array(length), imaginary: new Float64Array(length) };
}
