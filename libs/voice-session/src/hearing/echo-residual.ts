import { Fourier, type Split } from '@parley/audio';
import type { VoiceOwner } from './echo-guard';

/** Each band is compared separately, up to the top of a telephone line: in some, a caller exceeds the echo long before being louder overall. */
const bandHz = 500;
const bottomHz = 100;
const topHz = 4000;
const bands = topHz / bandHz;

/** The residual is averaged over this many hops. */
const judgedHops = 4;
const keptHops = 16;
/** The residual decays more slowly than the echo, so the echo's power is made to decay more slowly too: to a tenth in 160 ms. */
const echoDecay = 0.8;
/** Nothing is learned from pauses, in which an echo leaves no residual: this share of the decayed power must be present. */
const presentShare = 0.25;
/** How fast the usual residual is learned: quickly if it falls or the line has changed, slowly if it rises, hardly at all from a caller. */
const fallRate = 0.1;
const followRate = 0.05;
const growRate = 0.02;
const growthMax = 0.03;
const usualMin = 0.002;
/** A filter that leaves a larger share than this explains too little of what is heard. */
export const unexplainedMax = 0.5;
/** What a filter leaves more of than this share has nothing to do with what was played. */
export const unrelatedMin = 0.8;
/** A filter that usually leaves a larger share of the echo has not learned the line yet. */
const usualMax = 0.25;
/**
 * On a line that has changed, the filter subtracts an echo that is not there, so the residual resembles it inverted, or it subtracts
 * too little, so the residual resembles it. It counts above these correlations, over this many hops, since a caller's voice correlates a
 * little by chance.
 */
const likenessHops = 8;
const invertedLikenessMin = 0.4;
const remainingLikenessMin = 0.7;
/** A shadow filter that takes over is expected to leave at most this share. */
const expectedMax = 0.2;
/** An echo becomes at most 10 dB louder. */
const changedTimesMax = 10;
/** After this many loud hops, more than a second and a half, speech has produced most of its sounds. */
const firstSpeechHops = 100;
/** The noise of the line is the residual at its quietest, with a lower bound, forgotten over some seconds. */
const noisePowerMin = 4;
const noiseGrowth = 1.01;
const noiseTimes = 3;
/** The residual of an echo fainter than this, relative to the noise, cannot be measured. */
const echoOverNoise = 8;
/** How far the residual exceeds the usual, as a sum of log power ratios over the bands: an echo below the first, a caller above the second. */
const echoExcess = 4;
const callerExcess = 6;

interface Hop {
  readonly endPlace: number;
  /** Powers in each band: the echo's, with its decay, and the residual's. */
  readonly echo: Float64Array;
  readonly left: Float64Array;
  /** The energy of the subtracted echo and of the residual, and their correlation, which is negative if that echo was not there. */
  readonly removed: number;
  readonly rest: number;
  readonly shared: number;
}

/** Learns what an echo filter usually leaves of an echo on its line. If more is left, somebody else speaks. */
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

  /** Starts again for a new filter. */
  reset(): void {
    this.loudHops = 0;
    this.recent = [];
    this.usual.fill(1);
    this.usualOverall = 1;
  }

  /** A filter that leaves this share has taken over. Part of that may be a caller's voice, so the line still counts as known. */
  expectAtLeast(left: number): void {
    const share = Math.min(left, expectedMax);
    this.usual.forEach((usual, band) => (this.usual[band] = Math.max(usual, share)));
    this.usualOverall = Math.max(Math.min(this.usualOverall, expectedMax), share);
    this.recent = [];
    this.loudHops = 0;
  }

  /** Adds a hop that ends at this position. `hasChanged`: another filter leaves less, so the residual is echo. */
  note({ echo, left }: Split, endPlace: number, hasChanged: boolean): void {
    const powers = this.spectra.of(left, echo);
    const before = this.recent.at(-1);
    const faded = powers.echo.map((power, band) => Math.max(power, (before?.echo[band] ?? 0) * echoDecay));
    const [removed, rest, shared] = [productOf(echo, echo), productOf(left, left), productOf(left, echo)];
    this.recent.push({ endPlace, echo: faded, left: powers.left, removed, rest, shared });
    if (this.recent.length > keptHops) this.recent.shift();
    this.learn(powers.echo, hasChanged && this.mayBeEcho);
  }

  /** Whose voice is left at this position; undefined if it was not filtered. */
  ownerAt(until: number): VoiceOwner | undefined {
    const judged = this.recent.filter(({ endPlace }) => endPlace > until - judgedHops * this.hop && endPlace <= until + this.hop);
    if (judged.length === 0) return undefined;
    const excess = this.excessOf(judged) / (1 + this.inexperience);
    if (excess <= echoExcess || this.isMistaken) return 'own';
    return excess <= callerExcess ? 'doubtful' : 'caller';
  }

  /** Whether the filter knows the line well enough for its residual to mean anything. */
  get isKnown(): boolean {
    return this.usualOverall <= usualMax;
  }

  /** Whether the residual may be the echo of a changed line. A much louder one is a caller who resembles the agent by chance. */
  get mayBeEcho(): boolean {
    const [echo, left] = [0, 1].map((which) =>
      this.recent.slice(-judgedHops).reduce((sum, hop) => sum + totalOf(which === 0 ? hop.echo : hop.left), 0),
    );
    return (left ?? 0) <= changedTimesMax * (echo ?? 0);
  }

  /** Whether the filter removes most of what is heard. */
  get explainsMost(): boolean {
    return this.leavesLessThan(unexplainedMax);
  }

  /** Whether the filter, running for a quarter of a second or more, removes next to nothing of what is heard. */
  get explainsNothing(): boolean {
    return this.recent.length === keptHops && !this.leavesLessThan(unrelatedMin);
  }

  private leavesLessThan(share: number): boolean {
    const [removed, rest, shared] = this.recentPowers(keptHops);
    return rest < share * (removed + rest + 2 * shared);
  }

  /** Whether more is left than usual, since somebody speaks or the line has changed. */
  get isUnusual(): boolean {
    return this.excessOf(this.recent.slice(-judgedHops)) > echoExcess;
  }

  /** Falls from 1 to 0 during the filter's first speech, since it leaves more of sounds that are new to it. */
  private get inexperience(): number {
    return this.isKnown ? Math.max(0, 1 - this.loudHops / firstSpeechHops) : 1;
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

  /** The correlation of the residual with the subtracted echo in recent hops, from -1 to 1. */
  private get likeness(): number {
    const [removed, rest, shared] = this.recentPowers(likenessHops);
    return shared / Math.sqrt(Math.max(1, removed * rest));
  }

  /** Sums over recent hops. */
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
    return this.mayBeEcho && (likeness < -invertedLikenessMin || likeness > remainingLikenessMin);
  }

  private learn(echoNow: Float64Array, hasChanged: boolean): void {
    const judged = this.recent.slice(-judgedHops);
    const isUnusual = this.excessOf(judged) > callerExcess;
    const change = (usual: number, share: number): number => {
      if (share < usual) return Math.max(fallRate, 1 / (this.loudHops + 2)) * (share - usual);
      if (hasChanged || this.isMistaken) return followRate * (share - usual);
      const grown = growRate * (share - usual);
      return isUnusual ? Math.min(grown, growthMax * usual) : grown;
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
    const noise = Math.max(noisePowerMin * this.hop * this.hop, Math.min((this.noise[band] ?? 0) * noiseGrowth, left));
    this.noise[band] = noise;
    return noise;
  }
}

/** The power in each band of two continuous sounds, by one transform of both. */
class BandSpectra {
  private readonly fourier: Fourier;
  private readonly window: Float64Array;
  private readonly left: Float64Array;
  private readonly echo: Float64Array;
  private readonly real: Float64Array;
  private readonly imaginary: Float64Array;
  /** The first bin of each band, and the one after the last band. */
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

  /** Both sounds are real, so they are the even and the odd part of the transform. */
  private addBand(powers: { left: Float64Array; echo: Float64Array }, band: number): void {
    const { real, imaginary, fourier, edges } = this;
    let [left, echo] = [0, 0];
    for (let k = edges[band] ?? 0; k < (edges[band + 1] ?? 0); k++) {
      const a = real[k] ?? 0;
      const b = imaginary[k] ?? 0;
      const c = real[fourier.size - k] ?? 0;
      const d = imaginary[fourier.size - k] ?? 0;
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
