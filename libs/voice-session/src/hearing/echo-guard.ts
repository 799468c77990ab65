import { Fourier } from '@parley/audio';

// Echo is looked for below 1 kHz: there rooms and codecs change a voice least, and it costs a sixteenth.
const searchRate = 2000;
/** The longest way round: network, loudspeaker, room, network. */
const delayMsMax = 600;
/** Own sound may be noticed so much after it was heard, since it is handed over in blocks. */
const leadMs = 120;
const longestWay = (delayMsMax * searchRate) / 1000;
const ways = [0, longestWay / 3, (2 * longestWay) / 3];
const keptSamples = 3 * searchRate;
const matchMs = 128;
/** How much of the energy must be explained by the own voice, for all of it to count as echo. */
const echoShareMin = 0.55;
/** Where the delay is known less is enough, since chance does not keep to one delay: so much less than is usual on this line. */
const belowUsual = 0.2;
const knownShareMin = 0.4;
const knownShareMax = 0.75;
/** So much in each of so many windows, always as late, is worth learning from. */
const likelyShareMin = 0.2;
const likelyWindows = 4;
/** A loud one is doubted on a line that gave nothing back before: it is more often a caller whose voice is like the agent's. */
const likelyWindowsTrusted = 12;
const loudPower = 0.01;
const learning = 0.1;
const steadyMs = 12;
/** Reflections are looked for so long after the first echo. The more are allowed, the more they explain of anything. */
const reflectionSamples = 200;
const reflectionsMax = 3;
const roomShareMin = 0.7;
const quiet = 12;
/** A line that gave nothing back of so much of the own voice has no echo; weaker ones than this are found when they matter. */
const trustMs = 1000;
/** Such a line is searched only while the own voice sounds, and so long after it: should an echo arise, it is found in the midst of it. */
const trustedWay = (200 * searchRate) / 1000;
const echoRootMin = 0.05;
const audibleRoot = 100;
const trustedShareMin = 0.8;

/** How an echo comes back: so long behind the own voice, and so strong (power beside power). */
export interface FoundEcho {
  readonly delayMs: number;
  readonly power: number;
}

/** Whose voice a window holds: the caller's, the agent's echo, or unknown while the agent speaks. */
export type VoiceOwner = 'caller' | 'own' | 'doubtful';

/**
 * Tells the agent's echo from a caller: searches the input for what was played, at any delay. A caller who speaks over the echo
 * is no longer explained by it, and detected.
 */
export class EchoGuard {
  private readonly own = new SampleTrail(new Float32Array(keptSamples));
  private readonly heard = new SampleTrail(new Float32Array(keptSamples));
  private readonly ownMeans: RunningMeans;
  private readonly heardMeans: RunningMeans;
  private ownUntil = Number.NEGATIVE_INFINITY;
  private knownDelay: number | undefined;
  private usualShare = echoShareMin;
  private likely: readonly number[] = [];
  private foundEcho: FoundEcho | undefined;
  /** How much of the own voice was played without anything of it coming back, in samples. */
  private unanswered = 0;

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

  /** What the last question found of an echo, or of what may well be one. */
  get echo(): FoundEcho | undefined {
    return this.foundEcho;
  }

  /** Whether this line was found to return nothing of what is played. */
  get isTrusted(): boolean {
    return this.unanswered * 1000 >= trustMs * searchRate;
  }

  /** Whether the own voice is played at this moment of the caller's sound, or was a moment ago. */
  isSpeaking(untilMs: number): boolean {
    return Math.round((untilMs * searchRate) / 1000) - this.ownUntil < longestWay;
  }

  /** Sound that is played while this millisecond of the caller's sound is spoken, or right behind the last. */
  noticeOwnVoice(samples: Int16Array, atMs?: number): void {
    if (atMs !== undefined) this.own.goTo(Math.round((atMs * searchRate) / 1000));
    this.own.append(this.ownMeans.push(samples));
    this.ownUntil = this.own.end;
  }

  /** Whose voice is heard up to this moment of the caller's sound. */
  whoSpeaks(untilMs: number): VoiceOwner {
    this.foundEcho = undefined;
    const until = Math.round((untilMs * searchRate) / 1000);
    if (until - this.ownUntil >= (this.isTrusted ? trustedWay : longestWay)) return 'caller';
    const heard = this.heard.slice(until - (matchMs * searchRate) / 1000, until);
    const energy = energyOf(heard);
    if (energy < quiet * quiet * heard.length) return this.unexplained;
    const { share, delay, power } = this.bestMatch(heard, energy, until);
    const isDoubted = this.isTrusted && power > loudPower;
    if (this.likelyFor(share, delay) >= (isDoubted ? likelyWindowsTrusted : likelyWindows))
      this.foundEcho = { delayMs: (delay * 1000) / searchRate, power };
    const isSteady = this.knownDelay !== undefined && Math.abs(delay - this.knownDelay) * 1000 <= steadyMs * searchRate;
    // Two voices are alike by chance sooner than a line without echo gets one.
    if (this.isTrusted && share < trustedShareMin) return 'caller';
    if (share < (isSteady ? this.knownShareMin : echoShareMin)) {
      return this.shareOfRoom(heard, energy, until) >= roomShareMin ? this.found() : this.unexplained;
    }
    this.usualShare += isSteady ? learning * (share - this.usualShare) : 0;
    this.knownDelay = delay;
    this.foundEcho = { delayMs: (delay * 1000) / searchRate, power };
    return this.found();
  }

  /** For how many windows there may have been an echo at this delay: a room returns little at once, but always at the same delay. */
  private likelyFor(share: number, delay: number): number {
    const isAlike = this.likely.every((other) => Math.abs(other - delay) * 1000 <= steadyMs * searchRate);
    if (share < likelyShareMin) this.likely = [];
    else this.likely = isAlike ? [...this.likely, delay].slice(-likelyWindowsTrusted) : [delay];
    return this.likely.length;
  }

  private get unexplained(): VoiceOwner {
    return this.isTrusted ? 'caller' : 'doubtful';
  }

  private found(): 'own' {
    this.unanswered = 0;
    return 'own';
  }

  /** Quiet at a time when an echo of any delay would be heard speaks against one. A caller's voice says nothing either way. */
  private listenForEcho(heard: Float32Array): void {
    if (this.heard.end - this.ownUntil >= longestWay || this.isTrusted) return;
    const begin = this.heard.end - longestWay;
    const loudness = Math.min(...ways.map((from) => this.own.rootBetween(begin + from, begin + from + longestWay / ways.length)));
    if (loudness > audibleRoot && rootOf(heard) < loudness * echoRootMin) this.unanswered += heard.length;
  }

  /** What the own voice explains together with its reflections, which follow the first echo closely. */
  private shareOfRoom(heard: Float32Array, energy: number, until: number): number {
    if (this.knownDelay === undefined) return 0;
    const left = Float32Array.from(heard);
    const first = until - this.knownDelay;
    const own = this.own.slice(first - heard.length - reflectionSamples, first + (steadyMs * searchRate) / 1000);
    for (let reflection = 0; reflection <= reflectionsMax; reflection++) subtractLikest(left, own);
    return 1 - energyOf(left) / energy;
  }

  private get knownShareMin(): number {
    return Math.min(knownShareMax, Math.max(knownShareMin, this.usualShare - belowUsual));
  }

  /** The share of the energy that the own voice explains at the delay that explains most. */
  private bestMatch(heard: Float32Array, energy: number, until: number): { share: number; delay: number; power: number } {
    const from = until - heard.length;
    const lead = (leadMs * searchRate) / 1000;
    const own = this.own.slice(from - longestWay, until + lead);
    const products = likeness.of(heard, own);
    let ownEnergy = 0;
    for (let i = 0; i < heard.length; i++) ownEnergy += (own[i] ?? 0) ** 2;
    let best = { share: 0, delay: 0, power: 0 };
    for (let shift = 0; shift + heard.length <= own.length; shift++) {
      if (ownEnergy > quiet * quiet * heard.length) {
        const share = (products[shift] ?? 0) ** 2 / (energy * ownEnergy);
        if (share > best.share) best = { share, delay: longestWay - shift, power: (share * energy) / ownEnergy };
      }
      ownEnergy += (own[shift + heard.length] ?? 0) ** 2 - (own[shift] ?? 0) ** 2;
    }
    return best;
  }
}

/** How alike a sound is to each stretch of a longer one, by one transform of both and one back. */
class Likeness {
  private readonly fourier = new Fourier(2048);
  private readonly real = new Float64Array(this.fourier.size);
  private readonly imaginary = new Float64Array(this.fourier.size);

  /** The sum of the products at every shift at which the longer one covers the sound. It is overwritten by the next question. */
  of(sound: Float32Array, longer: Float32Array): Float64Array {
    const { real, imaginary, fourier } = this;
    const { size } = fourier;
    if (longer.length > size) throw new RangeError(`likeness is looked for within ${size} samples`);
    real.fill(0).set(longer);
    imaginary.fill(0).set(sound);
    fourier.forward(real, imaginary);
    for (let k = 0; k <= size / 2; k++) multiplyPair(real, imaginary, k, (size - k) % size);
    fourier.inverse(real, imaginary);
    return real;
  }
}

/** One for all sessions: it remembers nothing between two questions. */
const likeness = new Likeness();

/** Separates two real signals transformed as one, and multiplies the first by the conjugate of the second. */
function multiplyPair(real: Float64Array, imaginary: Float64Array, k: number, mirror: number): void {
  const [a, b, c, d] = [real[k] ?? 0, imaginary[k] ?? 0, real[mirror] ?? 0, imaginary[mirror] ?? 0];
  const [oneReal, oneImaginary] = [(a + c) / 2, (b - d) / 2];
  const [otherReal, otherImaginary] = [(b + d) / 2, (c - a) / 2];
  const productReal = oneReal * otherReal + oneImaginary * otherImaginary;
  const productImaginary = oneImaginary * otherReal - oneReal * otherImaginary;
  real[k] = productReal;
  imaginary[k] = productImaginary;
  real[mirror] = productReal;
  imaginary[mirror] = -productImaginary;
}

/** Takes out of a sound what another explains of it at the place where it explains most. */
function subtractLikest(sound: Float32Array, other: Float32Array): void {
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

/** The loudness of these samples, as a sample value. */
function rootOf(samples: Float32Array): number {
  return Math.sqrt(energyOf(samples) / Math.max(1, samples.length));
}

function energyOf(samples: Float32Array): number {
  let energy = 0;
  for (const sample of samples) energy += sample * sample;
  return energy;
}

/** Fewer samples, each the mean of several: filter enough for looking for likeness. */
class RunningMeans {
  private sum = 0;
  private count = 0;

  constructor(private readonly samplesEach: number) {}

  push(samples: Int16Array): Float32Array {
    const means = new Float32Array(Math.floor((this.count + samples.length) / this.samplesEach));
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

/** The last samples of a stream, by position. Older than the trail, or not yet there, reads as silence. */
export class SampleTrail {
  private length = 0;

  /** The ring says how much is kept, and in which form. */
  constructor(private readonly ring: Float32Array | Int16Array) {}

  /** The place of the next sample. */
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

  /** Pads with silence to this position, or drops what is after it. */
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

  /** The loudness between two places, as a sample value. */
  rootBetween(from: number, to: number): number {
    const { ring } = this;
    const first = Math.max(0, from, this.length - ring.length);
    let energy = 0;
    let at = first % ring.length;
    for (let left = Math.min(to, this.length) - first; left > 0; left--) {
      const sample = ring[at] ?? 0;
      energy += sample * sample;
      at = at + 1 === ring.length ? 0 : at + 1;
    }
    return Math.sqrt(energy / Math.max(1, to - from));
  }

  /** The largest sample between two places, of either sign. */
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

  /** The same as samples of a sound. */
  samples(from: number, to: number): Int16Array {
    return this.copied(from, to, new Int16Array(Math.max(0, to - from)));
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
