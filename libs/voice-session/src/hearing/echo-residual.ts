import { Fourier, type Split } from '@parley/audio';
import type { VoiceOwner } from './echo-guard';

/** A caller stands out of an echo in some bands long before they are as loud as it: each is compared by itself, up to the top of a telephone line. */
const bandHz = 500;
const bottomHz = 100;
const topHz = 4000;
const bands = topHz / bandHz;

/** The residual is averaged over this many hops. */
const judgedHops = 4;
const keptHops = 16;
/** The residual of an echo decays more slowly than the echo: its power counts for a while, a tenth after 160 ms. */
const fading = 0.8;
/** In a pause nothing is left of an echo, which is not usual: so much of it has to be there now. */
const presentShare = 0.25;
/** The usual residual is learned quickly at first, when it is lower or the line has changed; slowly when it is higher, and hardly from a caller. */
const usualFalls = 0.1;
const usualFollows = 0.05;
const usualGrows = 0.02;
const usualGrowth = 0.03;
const usualMin = 0.002;
/** A filter that leaves more of what is heard explains too little of it. */
export const unexplainedMax = 0.5;
/** A filter that leaves more than this has not learned the line yet. */
const usualMax = 0.25;
/**
 * A filter for a line that has changed takes out what is not there, so that the rest resembles it, turned around; or too little, so that it
 * is left: by so much for so long. A caller's voice resembles the agent's a little by chance.
 */
const mistakenHops = 8;
const turnedLikeness = 0.4;
const leftLikeness = 0.7;
/** Another filter that has taken over is expected to leave this at most. */
const usualExpectedMax = 0.2;
/** By so much (10 dB) an echo may become louder. */
const changedTimesMax = 10;
/** Speech has had most of its sounds after so many loud hops: more than a second and a half. */
const youngHops = 100;
/** The line's noise is the residual at its quietest; bounded below, and forgotten in some seconds. */
const quietPower = 4;
const noiseGrows = 1.01;
const noiseTimes = 3;
/** For an echo fainter than this relative to the noise, the residual cannot be measured. */
const echoOverNoise = 8;
/** How far the residual exceeds what is usual, summed over the bands in nepers of power: of an echo below the first, of a caller above the second. */
const echoExcess = 4;
const callerExcess = 6;

interface Hop {
  readonly endPlace: number;
  /** In each band: how loud the echo was here or a moment ago, and what is left of the input without it. */
  readonly echo: Float64Array;
  readonly left: Float64Array;
  /** What was taken out here, what is left, and how much the rest holds of what was taken out; negative where it was not there. */
  readonly removed: number;
  readonly rest: number;
  readonly shared: number;
}

/** Knows what an echo filter usually leaves of an echo on its line, and so whether more is left than that: somebody else speaks. */
export class EchoResidual {
  private readonly spectra: BandSpectra;
  private recent: Hop[] = [];
  private readonly usual = new Float64Array(bands).fill(1);
  private usualOverall = 1;
  private readonly noise = new Float64Array(bands).fill(Number.POSITIVE_INFINITY);
  private loudHops = 0;

  constructor(
    sampleRate: number,
    private readonly hop: number,
  ) {
    this.spectra = new BandSpectra(sampleRate, hop);
  }

  /** Another filter, of which nothing is known. */
  beginAnew(): void {
    this.loudHops = 0;
    this.recent = [];
    this.usual.fill(1);
    this.usualOverall = 1;
  }

  /** A filter that leaves this share of the echo has taken over. Part of it may be a caller, so the line stays known. */
  expectAtLeast(left: number): void {
    const share = Math.min(left, usualExpectedMax);
    this.usual.forEach((usual, band) => (this.usual[band] = Math.max(usual, share)));
    this.usualOverall = Math.max(Math.min(this.usualOverall, usualExpectedMax), share);
    this.recent = [];
    this.loudHops = 0;
  }

  /** A hop of sound, up to this place. `hasChanged`: another filter does better here, so that what is left is echo. */
  note({ echo, left }: Split, endPlace: number, hasChanged: boolean): void {
    const powers = this.spectra.of(left, echo);
    const before = this.recent.at(-1);
    const faded = powers.echo.map((power, band) => Math.max(power, (before?.echo[band] ?? 0) * fading));
    const [removed, rest, shared] = [productOf(echo, echo), productOf(left, left), productOf(left, echo)];
    this.recent.push({ endPlace, echo: faded, left: powers.left, removed, rest, shared });
    if (this.recent.length > keptHops) this.recent.shift();
    this.learn(powers.echo, hasChanged && this.mayBeEcho);
  }

  /** Whose voice is left up to this place; undefined where nothing of it was filtered. */
  whose(until: number): VoiceOwner | undefined {
    const judged = this.recent.filter(({ endPlace }) => endPlace > until - judgedHops * this.hop && endPlace <= until + this.hop);
    if (judged.length === 0) return undefined;
    const excess = this.excessOf(judged) / (1 + this.youth);
    if (excess <= echoExcess || this.isMistaken) return 'own';
    return excess <= callerExcess ? 'doubtful' : 'caller';
  }

  /** Whether the filter knows its line well enough for its residual to tell anything. */
  get isKnown(): boolean {
    return this.usualOverall <= usualMax;
  }

  /** Whether what is left may be an echo on a changed line: lines do not become so much louder, and callers are alike by chance. */
  get mayBeEcho(): boolean {
    const [echo, left] = [0, 1].map((which) =>
      this.recent.slice(-judgedHops).reduce((sum, hop) => sum + totalOf(which === 0 ? hop.echo : hop.left), 0),
    );
    return (left ?? 0) <= changedTimesMax * (echo ?? 0);
  }

  /** Whether the filter takes out most of what is heard. */
  get explainsMost(): boolean {
    const [removed, rest, shared] = this.recentPowers(keptHops);
    return rest < unexplainedMax * (removed + rest + 2 * shared);
  }

  /** Whether more is left than usual: somebody speaks, or the line has changed. */
  get isUnusual(): boolean {
    return this.excessOf(this.recent.slice(-judgedHops)) > echoExcess;
  }

  /** From 1 to 0 while the filter hears its first speech: of sounds that are new to it, it leaves more. */
  private get youth(): number {
    return this.isKnown ? Math.max(0, 1 - this.loudHops / youngHops) : 1;
  }

  private excessOf(hops: readonly Hop[]): number {
    let excess = 0;
    for (let band = 0; band < bands; band++) {
      const { echo, left } = sumIn(band, hops);
      const expected = noiseTimes * (this.noise[band] ?? 0) * hops.length + (this.usual[band] ?? 1) * echo;
      excess += Math.max(0, Math.log(left / expected));
    }
    return excess;
  }

  /** How much what was left in the last hops resembles what was taken out, from -1 to 1. */
  private get likeness(): number {
    const [removed, rest, shared] = this.recentPowers(mistakenHops);
    return shared / Math.sqrt(Math.max(1, removed * rest));
  }

  /** What was taken out in the last hops, what was left, and how much that holds of it. */
  private recentPowers(hops: number): [removed: number, rest: number, shared: number] {
    let [removed, rest, shared] = [0, 0, 0];
    for (const hop of this.recent.slice(-hops)) {
      removed += hop.removed;
      rest += hop.rest;
      shared += hop.shared;
    }
    return [removed, rest, shared];
  }

  private get isMistaken(): boolean {
    const { likeness } = this;
    return this.mayBeEcho && (likeness < -turnedLikeness || likeness > leftLikeness);
  }

  private learn(echoNow: Float64Array, hasChanged: boolean): void {
    const judged = this.recent.slice(-judgedHops);
    const isUnusual = this.excessOf(judged) > callerExcess;
    const change = (usual: number, share: number): number => {
      if (share < usual) return Math.max(usualFalls, 1 / (this.loudHops + 2)) * (share - usual);
      if (hasChanged || this.isMistaken) return usualFollows * (share - usual);
      const grown = usualGrows * (share - usual);
      return isUnusual ? Math.min(grown, usualGrowth * usual) : grown;
    };
    let [echoOverall, leftOverall, noiseOverall, presentOverall] = [0, 0, 0, 0];
    for (let band = 0; band < bands; band++) {
      const { echo, left } = sumIn(band, judged);
      const noise = this.learnNoise(band, left / judged.length) * judged.length;
      const present = echoNow[band] ?? 0;
      echoOverall += echo;
      leftOverall += Math.max(0, left - noise);
      noiseOverall += noise;
      presentOverall += present;
      if (echo < echoOverNoise * noise || present * judged.length < presentShare * echo) continue;
      const usual = this.usual[band] ?? 1;
      this.usual[band] = Math.max(usualMin, usual + change(usual, Math.min(1, Math.max(0, left - noise) / echo)));
    }
    if (echoOverall < echoOverNoise * noiseOverall || presentOverall * judged.length < presentShare * echoOverall) return;
    this.loudHops += 1;
    const share = Math.min(1, leftOverall / echoOverall);
    this.usualOverall = Math.max(usualMin, this.usualOverall + change(this.usualOverall, share));
  }

  private learnNoise(band: number, left: number): number {
    const noise = Math.max(quietPower * this.hop * this.hop, Math.min((this.noise[band] ?? 0) * noiseGrows, left));
    this.noise[band] = noise;
    return noise;
  }
}

/** The power in each band of two sounds that go on from hop to hop, by one transform of both. */
class BandSpectra {
  private readonly fourier: Fourier;
  private readonly window: Float64Array;
  private readonly left: Float64Array;
  private readonly echo: Float64Array;
  private readonly real: Float64Array;
  private readonly imaginary: Float64Array;
  /** The first value of each band, and the one after the last band. */
  private readonly edges: readonly number[];

  constructor(
    sampleRate: number,
    private readonly hop: number,
  ) {
    this.fourier = new Fourier(2 ** Math.ceil(Math.log2(2 * hop)));
    const { size } = this.fourier;
    this.window = Float64Array.from({ length: 2 * hop }, (_, i) => 0.5 - 0.5 * Math.cos((Math.PI * (i + 0.5)) / hop));
    this.left = new Float64Array(2 * hop);
    this.echo = new Float64Array(2 * hop);
    this.real = new Float64Array(size);
    this.imaginary = new Float64Array(size);
    this.edges = Array.from({ length: bands + 1 }, (_, band) =>
      Math.round((Math.max(bottomHz, band * bandHz) * size) / sampleRate),
    );
  }

  of(left: Float32Array, echo: Float32Array): { left: Float64Array; echo: Float64Array } {
    const { real, imaginary, fourier, window, hop } = this;
    shiftIn(this.left, left, hop);
    shiftIn(this.echo, echo, hop);
    real.fill(0);
    imaginary.fill(0);
    for (let i = 0; i < window.length; i++) {
      real[i] = (this.left[i] ?? 0) * (window[i] ?? 0);
      imaginary[i] = (this.echo[i] ?? 0) * (window[i] ?? 0);
    }
    fourier.forward(real, imaginary);
    const powers = { left: new Float64Array(bands), echo: new Float64Array(bands) };
    for (let band = 0; band < bands; band++) this.addBand(powers, band);
    return powers;
  }

  /** Both sounds are real, so that they are apart in the even and the odd part of the transform. */
  private addBand(powers: { left: Float64Array; echo: Float64Array }, band: number): void {
    const { real, imaginary, fourier, edges } = this;
    let [left, echo] = [0, 0];
    for (let k = edges[band] ?? 0; k < (edges[band + 1] ?? 0); k++) {
      const [a, b, c, d] = [real[k] ?? 0, imaginary[k] ?? 0, real[fourier.size - k] ?? 0, imaginary[fourier.size - k] ?? 0];
      left += (a + c) ** 2 + (b - d) ** 2;
      echo += (b + d) ** 2 + (a - c) ** 2;
    }
    powers.left[band] = left / 4;
    powers.echo[band] = echo / 4;
  }
}

function shiftIn(kept: Float64Array, samples: Float32Array, hop: number): void {
  kept.copyWithin(0, hop);
  kept.set(samples, hop);
}

function totalOf(powers: Float64Array): number {
  return powers.reduce((sum, power) => sum + power, 0);
}

function sumIn(band: number, hops: readonly Hop[]): { echo: number; left: number } {
  let [echo, left] = [0, 0];
  for (const hop of hops) {
    echo += hop.echo[band] ?? 0;
    left += hop.left[band] ?? 0;
  }
  return { echo, left };
}

export function productOf(one: Float32Array, other: Float32Array): number {
  let product = 0;
  for (let i = 0; i < one.length; i++) product += (one[i] ?? 0) * (other[i] ?? 0);
  return product;
}
