import { Fourier } from '@parley/audio';

// Echo is searched for below 1 kHz, where rooms and codecs change a voice least and the search costs a sixteenth.
const searchRate = 2000;
/** The longest round trip: network, loudspeaker, room, network. */
const delayMsMax = 600;
/** The agent's sound may be reported this long after it was heard, since it is sent in blocks. */
const leadMs = 120;
const delaySamplesMax = (delayMsMax * searchRate) / 1000;
const delayThirds = [0, delaySamplesMax / 3, (2 * delaySamplesMax) / 3];
const keptSamples = 3 * searchRate;
const matchMs = 128;
/** The share of the energy that the agent's voice must explain for a window to count as echo. */
const echoShareMin = 0.55;
/** At a known delay a smaller share is enough, since chance matches have random delays: this much less than usual on this line, within these bounds. */
const belowUsual = 0.2;
const knownShareMin = 0.4;
const knownShareMax = 0.75;
/** This share in this many consecutive windows at the same delay is worth learning from. */
const likelyShareMin = 0.2;
const likelyWindows = 4;
/** On a line without echo so far, a loud match needs more windows: it is more often a caller whose voice resembles the agent's. */
const likelyWindowsTrusted = 12;
const loudPower = 0.01;
const learning = 0.1;
const steadyMs = 12;
/** An echo is at most 10 dB louder than what was played. */
const echoPowerMax = 10;
/** Reflections are searched for this long after the first echo. With more of them, any sound could be explained. */
const reflectionSamples = 200;
const reflectionsMax = 3;
const roomShareMin = 0.7;
const quiet = 12;
/** A line is trusted to have no echo once this much of the agent's voice was played without one of this strength. */
const trustMs = 1000;
/** A trusted line is searched for echo only this long after the agent's voice. An echo that arises later is still found while the agent speaks. */
const trustedDelaySamples = (200 * searchRate) / 1000;
const echoRootMin = 0.05;
const audibleRoot = 100;
const trustedShareMin = 0.8;
/** A match on a trusted line is an echo if it lasts this long: two vowels resemble each other for a tenth of a second. */
const provenWindows = 5;
/** Trust returns after this many windows without a match. */
const disprovenWindows = 2;

/** The delay of an echo, and its power relative to the agent's voice. */
export interface FoundEcho {
  readonly delayMs: number;
  readonly power: number;
}

/** Whose voice a window contains: the caller's, the agent's echo, or unclear while the agent speaks. */
export type VoiceOwner = 'caller' | 'own' | 'doubtful';

/**
 * Distinguishes the agent's echo from a caller by searching the input for what was played, at any delay. A caller who speaks over
 * the echo is detected, since the echo does not explain the sum.
 */
export class EchoGuard {
  private readonly own = new SampleTrail(new Float32Array(keptSamples));
  private readonly heard = new SampleTrail(new Float32Array(keptSamples));
  private readonly ownMeans: RunningMeans;
  private readonly heardMeans: RunningMeans;
  private ownUntil = Number.NEGATIVE_INFINITY;
  private knownDelay: number | undefined;
  private usualShare = echoShareMin;
  private likelyDelays: readonly number[] = [];
  /** Windows with and without a match since the first on a trusted line, which may be chance. Until that is clear, it is not trusted. */
  private doubt: { found: number; missed: number } | undefined;
  private foundEcho: FoundEcho | undefined;
  /** How many samples of the agent's voice were played without an echo. */
  private samplesWithoutEcho = 0;

  constructor(sampleRate: number) {
    const samplesEach = Math.round(sampleRate / searchRate);
    this.ownMeans = new RunningMeans(samplesEach);
    this.heardMeans = new RunningMeans(samplesEach);
  }

  /** Sound of the caller, in order. */
  hear(samples: Int16Array): void {
    const means = this.heardMeans.push(samples);
    this.heard.append(means);
    this.listenForEcho(means);
  }

  /** The echo, or likely echo, that the last call of `whoSpeaks` found. */
  get echo(): FoundEcho | undefined {
    return this.foundEcho;
  }

  /** Whether this line has proved to have no echo. */
  get isTrusted(): boolean {
    return this.doubt === undefined && this.hasProvedSilent;
  }

  private get hasProvedSilent(): boolean {
    return this.samplesWithoutEcho * 1000 >= trustMs * searchRate;
  }

  /** Whether an echo of the agent's voice is possible at this moment of the caller's sound. */
  isSpeaking(untilMs: number): boolean {
    return Math.round((untilMs * searchRate) / 1000) - this.ownUntil < delaySamplesMax;
  }

  /** The agent's sound, played at this millisecond of the caller's sound, or right after the previous block. */
  noticeOwnVoice(samples: Int16Array, atMs?: number): void {
    if (atMs !== undefined) this.own.goTo(Math.round((atMs * searchRate) / 1000));
    this.own.append(this.ownMeans.push(samples));
    this.ownUntil = this.own.end;
  }

  /** Whose voice is heard just before this moment of the caller's sound. */
  whoSpeaks(untilMs: number): VoiceOwner {
    this.foundEcho = undefined;
    const until = Math.round((untilMs * searchRate) / 1000);
    if (until - this.ownUntil >= (this.isTrusted ? trustedDelaySamples : delaySamplesMax)) return 'caller';
    const heard = this.heard.slice(until - (matchMs * searchRate) / 1000, until);
    const energy = energyOf(heard);
    if (energy < quiet * quiet * heard.length) return this.unexplained;
    const { share, delay, power } = this.bestMatch(heard, energy, until);
    this.weighDoubt(share);
    const isDoubted = this.hasProvedSilent && power > loudPower;
    if (this.likelyFor(share, delay) >= (isDoubted ? likelyWindowsTrusted : likelyWindows))
      this.foundEcho = { delayMs: (delay * 1000) / searchRate, power };
    const isSteady = this.knownDelay !== undefined && Math.abs(delay - this.knownDelay) * 1000 <= steadyMs * searchRate;
    // On a line without echo, a weak match is more likely a chance resemblance of two voices.
    if (this.isTrusted && share < trustedShareMin) return 'caller';
    if (share < (isSteady ? this.knownShareMin : echoShareMin)) {
      return this.shareOfRoom(heard, energy, until) >= roomShareMin ? this.confirmEcho() : this.unexplained;
    }
    this.usualShare += isSteady ? learning * (share - this.usualShare) : 0;
    this.knownDelay = delay;
    if (this.isTrusted) this.doubt = { found: 1, missed: 0 };
    if (!this.doubt) this.foundEcho = { delayMs: (delay * 1000) / searchRate, power };
    return this.confirmEcho();
  }

  /** Whether the match that raised the doubt lasts, as an echo does, or was chance. */
  private weighDoubt(share: number): void {
    const { doubt } = this;
    if (!doubt) return;
    if (share >= echoShareMin) doubt.found += 1;
    else doubt.missed += 1;
    if (doubt.found >= provenWindows) this.samplesWithoutEcho = 0;
    if (doubt.found >= provenWindows || doubt.missed >= disprovenWindows) this.doubt = undefined;
  }

  /** In how many consecutive windows an echo at this delay was likely. Its share may be low, but its delay stays the same. */
  private likelyFor(share: number, delay: number): number {
    const isAlike = this.likelyDelays.every((other) => Math.abs(other - delay) * 1000 <= steadyMs * searchRate);
    if (share < likelyShareMin) this.likelyDelays = [];
    else this.likelyDelays = isAlike ? [...this.likelyDelays, delay].slice(-likelyWindowsTrusted) : [delay];
    return this.likelyDelays.length;
  }

  private get unexplained(): VoiceOwner {
    return this.isTrusted ? 'caller' : 'doubtful';
  }

  private confirmEcho(): 'own' {
    if (!this.doubt) this.samplesWithoutEcho = 0;
    return 'own';
  }

  /** Counts silence during which an echo of any delay would have been heard. A caller's voice proves nothing either way. */
  private listenForEcho(heard: Float32Array): void {
    if (this.heard.end - this.ownUntil >= delaySamplesMax || this.isTrusted) return;
    const begin = this.heard.end - delaySamplesMax;
    const loudness = Math.min(
      ...delayThirds.map((from) => this.own.rootBetween(begin + from, begin + from + delaySamplesMax / delayThirds.length)),
    );
    if (loudness > audibleRoot && rootOf(heard) < loudness * echoRootMin) this.samplesWithoutEcho += heard.length;
  }

  /** The share explained by the agent's voice together with its reflections, which follow the first echo closely. */
  private shareOfRoom(heard: Float32Array, energy: number, until: number): number {
    if (this.knownDelay === undefined) return 0;
    const rest = Float32Array.from(heard);
    const first = until - this.knownDelay;
    const own = this.own.slice(first - heard.length - reflectionSamples, first + (steadyMs * searchRate) / 1000);
    for (let reflection = 0; reflection <= reflectionsMax; reflection++) subtractBestMatch(rest, own);
    return 1 - energyOf(rest) / energy;
  }

  private get knownShareMin(): number {
    return Math.min(knownShareMax, Math.max(knownShareMin, this.usualShare - belowUsual));
  }

  /** The delay at which the agent's voice explains most of the energy, and the share it explains there. */
  private bestMatch(heard: Float32Array, energy: number, until: number): { share: number; delay: number; power: number } {
    const from = until - heard.length;
    const lead = (leadMs * searchRate) / 1000;
    const own = this.own.slice(from - delaySamplesMax, until + lead);
    const products = likeness.of(heard, own);
    let ownEnergy = 0;
    for (let i = 0; i < heard.length; i++) ownEnergy += (own[i] ?? 0) ** 2;
    let best = { share: 0, delay: 0, power: 0 };
    for (let shift = 0; shift + heard.length <= own.length; shift++) {
      if (ownEnergy > quiet * quiet * heard.length) {
        const share = (products[shift] ?? 0) ** 2 / (energy * ownEnergy);
        const power = (share * energy) / ownEnergy;
        if (share > best.share && power <= echoPowerMax) best = { share, delay: delaySamplesMax - shift, power };
      }
      ownEnergy += (own[shift + heard.length] ?? 0) ** 2 - (own[shift] ?? 0) ** 2;
    }
    return best;
  }
}

/** Cross-correlates a sound with a longer one, by one forward and one inverse transform. */
class Likeness {
  private readonly fourier = new Fourier(2048);
  private readonly real = new Float64Array(this.fourier.size);
  private readonly imaginary = new Float64Array(this.fourier.size);

  /** The correlation at every shift at which the longer sound covers the other. The next call overwrites it. */
  of(sound: Float32Array, longer: Float32Array): Float64Array {
    const { real, imaginary, fourier } = this;
    const { size } = fourier;
    if (longer.length > size) throw new RangeError(`the longer sound may have at most ${size} samples`);
    real.fill(0).set(longer);
    imaginary.fill(0).set(sound);
    fourier.forward(real, imaginary);
    for (let k = 0; k <= size / 2; k++) multiplyPair(real, imaginary, k, (size - k) % size);
    fourier.inverse(real, imaginary);
    return real;
  }
}

/** Shared by all sessions, since it keeps no state between calls. */
const likeness = new Likeness();

/** Separates two real signals that were transformed as one, and multiplies the first by the conjugate of the second. */
function multiplyPair(real: Float64Array, imaginary: Float64Array, k: number, mirror: number): void {
  const a = real[k] ?? 0;
  const b = imaginary[k] ?? 0;
  const c = real[mirror] ?? 0;
  const d = imaginary[mirror] ?? 0;
  const oneReal = (a + c) / 2;
  const oneImaginary = (b - d) / 2;
  const otherReal = (b + d) / 2;
  const otherImaginary = (c - a) / 2;
  const productReal = oneReal * otherReal + oneImaginary * otherImaginary;
  const productImaginary = oneImaginary * otherReal - oneReal * otherImaginary;
  real[k] = productReal;
  imaginary[k] = productImaginary;
  real[mirror] = productReal;
  imaginary[mirror] = -productImaginary;
}

/** Subtracts the other sound from this one at the shift where it explains most. */
function subtractBestMatch(sound: Float32Array, other: Float32Array): void {
  let best = { explained: 0, factor: 0, shift: 0 };
  for (let shift = 0; shift + sound.length <= other.length; shift++) {
    let product = 0;
    let energy = 1;
    for (let i = 0; i < sound.length; i++) {
      const sample = other[shift + i] ?? 0;
      product += (sound[i] ?? 0) * sample;
      energy += sample * sample;
    }
    const explained = (product * product) / energy;
    if (explained > best.explained) best = { explained, factor: product / energy, shift };
  }
  for (let i = 0; i < sound.length; i++) sound[i] = (sound[i] ?? 0) - best.factor * (other[best.shift + i] ?? 0);
}

/** The root mean square of these samples. */
function rootOf(samples: Float32Array): number {
  return Math.sqrt(energyOf(samples) / Math.max(1, samples.length));
}

function energyOf(samples: Float32Array): number {
  let energy = 0;
  for (const sample of samples) energy += sample * sample;
  return energy;
}

/** Downsamples by averaging, which is filter enough for correlation. */
class RunningMeans {
  private sum = 0;
  private count = 0;
  private means = new Float32Array(0);

  constructor(private readonly samplesEach: number) {}

  /** The next call overwrites the result: every frame of a call passes here twice. */
  push(samples: Int16Array): Float32Array {
    const length = Math.floor((this.count + samples.length) / this.samplesEach);
    if (this.means.length < length) this.means = new Float32Array(length);
    const means = this.means.length === length ? this.means : this.means.subarray(0, length);
    let { sum, count } = this;
    let made = 0;
    for (let i = 0; i < samples.length; i++) {
      sum += samples[i] ?? 0;
      count += 1;
      if (count < this.samplesEach) continue;
      means[made++] = sum / this.samplesEach;
      sum = 0;
      count = 0;
    }
    this.sum = sum;
    this.count = count;
    return means;
  }
}

/** The latest samples of a stream, by position. Older or future positions read as silence. */
export class SampleTrail {
  private length = 0;

  /** @param ring Determines how much is kept, and in which format. */
  constructor(private readonly ring: Float32Array | Int16Array) {}

  /** The position of the next sample. */
  get end(): number {
    return this.length;
  }

  append(samples: Float32Array | Int16Array): void {
    const { ring } = this;
    const newest = samples.subarray(Math.max(0, samples.length - ring.length));
    const from = (this.length + samples.length - newest.length) % ring.length;
    ring.set(newest.subarray(0, ring.length - from), from);
    if (from + newest.length > ring.length) ring.set(newest.subarray(ring.length - from));
    this.length += samples.length;
  }

  /** Pads with silence up to this position, or drops what follows it. */
  goTo(place: number): void {
    const { ring } = this;
    const missing = place - this.length;
    if (missing < 0) this.length = place;
    if (missing <= 0) return;
    const silent = Math.min(missing, ring.length);
    const from = (place - silent) % ring.length;
    ring.fill(0, from, from + silent);
    if (from + silent > ring.length) ring.fill(0, 0, from + silent - ring.length);
    this.length = place;
  }

  /** The root mean square between two positions. */
  rootBetween(from: number, to: number): number {
    const { ring } = this;
    const first = Math.max(0, from, this.length - ring.length);
    let energy = 0;
    let at = first % ring.length;
    for (let rest = Math.min(to, this.length) - first; rest > 0; rest--) {
      const sample = ring[at] ?? 0;
      energy += sample * sample;
      at = at + 1 === ring.length ? 0 : at + 1;
    }
    return Math.sqrt(energy / Math.max(1, to - from));
  }

  /** The largest absolute sample between two positions. */
  peakBetween(from: number, to: number): number {
    const { ring } = this;
    let peak = 0;
    for (let place = Math.max(0, from, this.length - ring.length); place < Math.min(to, this.length); place++)
      peak = Math.max(peak, Math.abs(ring[place % ring.length] ?? 0));
    return peak;
  }

  slice(from: number, to: number): Float32Array {
    return this.copied(from, to, new Float32Array(Math.max(0, to - from)));
  }

  /** The same as 16-bit samples. */
  samples(from: number, to: number): Int16Array {
    return this.copied(from, to, new Int16Array(Math.max(0, to - from)));
  }

  /** The same, in memory that is used again and again. */
  samplesInto(memory: Int16Array, from: number, to: number): Int16Array {
    return this.copied(from, to, memory.subarray(0, Math.max(0, to - from)).fill(0));
  }

  private copied<Samples extends Float32Array | Int16Array>(from: number, to: number, samples: Samples): Samples {
    const { ring } = this;
    const first = Math.max(0, from, this.length - ring.length);
    const known = Math.min(to, this.length) - first;
    if (known <= 0) return samples;
    const at = first % ring.length;
    samples.set(ring.subarray(at, at + known), first - from);
    if (at + known > ring.length) samples.set(ring.subarray(0, at + known - ring.length), first - from + ring.length - at);
    return samples;
  }
}

/** A voice that resembles the agent's at a delay beyond the filter may be an echo that has moved; found twice at the same delay, it is one. */
export function owningStray(residualOwner: VoiceOwner, windows: number): VoiceOwner {
  if (windows === 0) return residualOwner;
  return windows > 1 ? 'own' : 'doubtful';
}
