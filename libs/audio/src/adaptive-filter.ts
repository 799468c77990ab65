import { RealFourier } from './fourier';

/** How much of the filter is still right a hop later. */
const stay = 0.9995;
const stayPower = stay * stay;
const powerKept = 0.8;
/** The power of a sample of an ordinary line's noise. */
const lineNoise = 64;

/** A hop of input, split into the part that was played and the rest. */
export interface Split {
  readonly echo: Float32Array;
  readonly left: Float32Array;
}

/**
 * Learns the echo of a played sound and removes it from the input: a partitioned frequency-domain filter with one part per hop,
 * each value corrected in proportion to its uncertainty (a Kalman filter, after Enzner and Vary), so that speech over the echo
 * does not disturb it.
 */
export class AdaptiveFilter {
  /** How many played samples each hop needs: the hop and the one before. */
  readonly size: number;
  private readonly fourier: RealFourier;
  private readonly bins: number;
  /**
   * The sound played in the last hops, the filter and its uncertainties: all frequencies of the first part, then those of the
   * next.
   */
  private readonly past: Complex;
  private readonly taps: Complex;
  private readonly doubts: Float64Array;
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
    /** How strong the echo may be in each part (power beside power), before anything is known. */
    doubt: number,
  ) {
    this.size = 2 ** Math.ceil(Math.log2(2 * hop));
    this.bins = this.size / 2 + 1;
    this.fourier = new RealFourier(this.size);
    this.samples = new Float64Array(this.size);
    this.past = complex(parts * this.bins);
    this.taps = complex(parts * this.bins);
    this.doubts = new Float64Array(parts * this.bins).fill(doubt);
    this.otherPower = new Float64Array(this.bins);
    this.weights = new Float64Array(this.bins);
    this.sum = complex(this.bins);
    this.left = complex(this.bins);
  }

  /** Another filter that knows the same, and doubts it at least so much: it learns faster, and is disturbed more by other sound. */
  doubting(doubt: number): AdaptiveFilter {
    const other = new AdaptiveFilter(this.hop, this.parts, doubt);
    other.past.real.set(this.past.real);
    other.past.imaginary.set(this.past.imaginary);
    other.taps.real.set(this.taps.real);
    other.taps.imaginary.set(this.taps.imaginary);
    other.otherPower.set(this.otherPower);
    other.doubts.forEach((_, at) => (other.doubts[at] = Math.max(doubt, this.doubts[at] ?? 0)));
    other.hasHeard = this.hasHeard;
    other.newest = this.newest;
    other.corrected = this.corrected;
    return other;
  }

  /** From now on it learns as fast as if it doubted everything at least so much. */
  doubtAtLeast(doubt: number): void {
    for (let at = 0; at < this.doubts.length; at++) this.doubts[at] = Math.max(doubt, this.doubts[at] ?? 0);
  }

  /** The next split does not continue the sound before it. */
  forgetSound(): void {
    this.past.real.fill(0);
    this.past.imaginary.fill(0);
  }

  /** Splits a hop of input, and learns from it. `played` has `size` samples, the last of which was played with the hop's last. */
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

  /** The residual corrects each value by its uncertainty relative to everything else that may be in the input. */
  private correct(): void {
    this.weighInput();
    for (let part = 0; part < this.parts; part++) this.correctPart(part);
  }

  /** The power of everything that may be in the input: the echo that is not known yet, other sound and the line's noise. */
  private weighInput(): void {
    const { past, doubts, otherPower, weights, bins, hop, size } = this;
    const share = hop / size;
    for (let k = 0; k < bins; k++) weights[k] = (otherPower[k] ?? 0) + lineNoise * hop;
    for (let part = 0; part < this.parts; part++) {
      const from = this.placeOf(part);
      const at = part * bins;
      for (let k = 0; k < bins; k++) {
        const a = past.real[from + k] ?? 0;
        const b = past.imaginary[from + k] ?? 0;
        weights[k] = (weights[k] ?? 0) + share * (doubts[at + k] ?? 0) * (a * a + b * b);
      }
    }
    for (let k = 0; k < bins; k++) weights[k] = 1 / (weights[k] ?? 1);
  }

  private correctPart(part: number): void {
    const { past, taps, left, doubts, weights, bins, hop, size } = this;
    const share = hop / size;
    const from = this.placeOf(part);
    const to = part * bins;
    for (let k = 0; k < bins; k++) {
      const at = to + k;
      const a = past.real[from + k] ?? 0;
      const b = past.imaginary[from + k] ?? 0;
      const leftReal = left.real[k] ?? 0;
      const leftImaginary = left.imaginary[k] ?? 0;
      const doubt = doubts[at] ?? 0;
      const step = doubt * (weights[k] ?? 0);
      const real = (taps.real[at] ?? 0) + step * (a * leftReal + b * leftImaginary);
      const imaginary = (taps.imaginary[at] ?? 0) + step * (a * leftImaginary - b * leftReal);
      taps.real[at] = real;
      taps.imaginary[at] = imaginary;
      doubts[at] =
        stayPower * (1 - share * step * (a * a + b * b)) * doubt + (1 - stayPower) * (real * real + imaginary * imaginary);
    }
  }

  /** Each part must stay one hop long in time, from which its values drift. Truncating one part per hop is enough. */
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
