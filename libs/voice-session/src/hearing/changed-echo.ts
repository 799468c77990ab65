import { RealFourier, type Spectrum } from '@parley/audio';

/** How much of the residual is compared. */
export const comparedMs = 128;
/** How much shorter or longer the delay may have become: a telephone is moved within a room, or a network takes another route. */
export const shorterMs = 64;
export const longerMs = 176;
/** The band that telephones transmit. */
const bottomHz = 150;
const topHz = 3600;
/** Spectra are flattened over this width, which removes formants but keeps the harmonics of a low voice. */
const flatHz = 150;
/** Frequencies with less than this share of the mean power are not amplified further. */
const silentShare = 0.003;
/** If what was played at a delay had less than this share of the mean power, that delay is not compared. */
const playedShareMin = 0.1;
/**
 * Recognizes an echo that the filter does not know, because the line changed within the last tenth of a second. The residual then contains
 * what was played, some milliseconds earlier or later than before. A caller's voice does not, however similar the two voices are.
 */
class ChangedEcho {
  private readonly fourier: RealFourier;
  private readonly samples: Float64Array;
  private readonly products: Float64Array;
  private readonly flattened: Float64Array;
  private playedSamples = 0;
  private readonly played: Spectrum;
  private readonly rest: Spectrum;
  private readonly weights: Float64Array;
  private readonly bottom: number;
  private readonly top: number;
  private readonly flatBins: number;

  constructor(sampleRate: number) {
    const longest = ((2 * comparedMs + shorterMs + longerMs) * sampleRate) / 1000;
    this.fourier = new RealFourier(2 ** Math.ceil(Math.log2(longest)));
    const { size, bins } = this.fourier;
    this.samples = new Float64Array(size);
    this.products = new Float64Array(size);
    this.flattened = new Float64Array(size);
    this.played = spectrum(bins);
    this.rest = spectrum(bins);
    this.weights = new Float64Array(bins);
    this.bottom = Math.round((bottomHz * size) / sampleRate);
    this.top = Math.min(bins - 2, Math.round((topHz * size) / sampleRate));
    this.flatBins = Math.round((flatHz * size) / sampleRate / 2);
  }

  /** Prepares what was played for any number of searches. */
  expect(played: Float32Array): void {
    const { rest, weights } = this;
    this.playedSamples = played.length;
    this.transform(played, this.played);
    this.flatten();
    for (let k = 0; k < weights.length; k++) {
      const root = Math.sqrt(weights[k] ?? 0);
      rest.real[k] = (this.played.real[k] ?? 0) * root;
      rest.imaginary[k] = (this.played.imaginary[k] ?? 0) * root;
    }
    this.fourier.inverse(rest, this.flattened);
  }

  /** The shift at which the played sound explains most of the residual, and what share. It must cover the residual there. */
  bestIn(rest: Float32Array): Likeliest {
    this.transform(rest, this.rest);
    const restPower = this.multiply();
    this.fourier.inverse(this.rest, this.products);
    const { explained, shift } = this.explainedBest(rest.length, this.playedSamples);
    return { share: restPower > 0 ? explained / restPower : 0, shift };
  }

  private transform(sound: Float32Array, into: Spectrum): void {
    this.samples.fill(0).set(sound);
    this.fourier.forward(this.samples, into);
  }

  /** Weights that give the played sound roughly the same power at all frequencies. */
  private flatten(): void {
    const { played, weights, flatBins } = this;
    const powers = played.real.map((real, k) => real ** 2 + (played.imaginary[k] ?? 0) ** 2);
    const floor = (silentShare * powers.reduce((sum, power) => sum + power, 0)) / powers.length;
    let near = 0;
    for (let k = 0; k < flatBins; k++) near += powers[k] ?? 0;
    for (let k = 0; k < weights.length; k++) {
      near += (powers[k + flatBins] ?? 0) - (powers[k - flatBins - 1] ?? 0);
      const isHeard = k >= this.bottom && k <= this.top;
      weights[k] = isHeard ? 1 / (Math.max(0, near) / (2 * flatBins + 1) + floor || 1) : 0;
    }
  }

  /** Replaces `rest` by its flattened product with `played`, and returns the power of the flattened rest. */
  private multiply(): number {
    const { played, rest, weights, fourier } = this;
    let power = 0;
    for (let k = 0; k < weights.length; k++) {
      const weight = weights[k] ?? 0;
      const a = rest.real[k] ?? 0;
      const b = rest.imaginary[k] ?? 0;
      const c = played.real[k] ?? 0;
      const d = played.imaginary[k] ?? 0;
      power += weight * (a * a + b * b);
      rest.real[k] = weight * (a * c + b * d);
      rest.imaginary[k] = weight * (a * d - b * c);
    }
    return (2 * power) / fourier.size;
  }

  /** The largest power of the residual that a single shift of the played sound explains. */
  private explainedBest(length: number, playedLength: number): { explained: number; shift: number } {
    const { flattened: samples, products } = this;
    let [power, total] = [0, 0];
    let best = { explained: 0, shift: 0 };
    for (let i = 0; i < playedLength; i++) total += (samples[i] ?? 0) ** 2;
    for (let i = 0; i < length; i++) power += (samples[i] ?? 0) ** 2;
    const powerMin = (playedShareMin * total * length) / playedLength;
    for (let shift = 0; shift + length <= playedLength; shift++) {
      const explained = power > powerMin ? (products[shift] ?? 0) ** 2 / power : 0;
      if (explained > best.explained) best = { explained, shift };
      power += (samples[shift + length] ?? 0) ** 2 - (samples[shift] ?? 0) ** 2;
    }
    return best;
  }
}

/** The largest share of the residual that is an echo, and how many samples were played before the part that it echoes. */
interface Likeliest {
  readonly share: number;
  readonly shift: number;
}

function spectrum(bins: number): Spectrum {
  return { real: new Float64Array(bins), imaginary: new Float64Array(bins), at: 0 };
}

/** One for all lines of a sample rate, since it has no state between calls. */
const ofRate = new Map<number, ChangedEcho>();

/**
 * Searches sounds for what was played, at delays that the filter does not know. Returns which share of the sounds it explains: in tests
 * 0.25 to 0.7 after a line with a loud echo has changed, and less than 0.13 for 19 in 20 callers. It works until the next call, since all
 * lines share the memory.
 */
export function echoesOf(played: Float32Array, sampleRate: number): (sound: Float32Array) => Likeliest {
  const known = ofRate.get(sampleRate) ?? new ChangedEcho(sampleRate);
  ofRate.set(sampleRate, known);
  known.expect(played);
  return (sound) => known.bestIn(sound);
}
