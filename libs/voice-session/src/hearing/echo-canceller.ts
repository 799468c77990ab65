import { AdaptiveFilter, type Split } from '@parley/audio';
import { type FoundEcho, SampleTrail, type VoiceOwner } from './echo-guard';

/** The hop size, and the length of each part of the filter. */
const hopMs = 16;
/** An echo lasts so long: what a room gives back later is faint. */
const reachMs = 128;
/** The filter starts before the delay at which the echo was found: its loudest part need not be its first. */
const aheadMs = 16;
/** When an echo is found, the filter learns from what was heard so far, twice and a few hops at a time, so as not to block. */
const lessonMsMax = 1500;
const lessonLeadMs = 600;
const lessonTimes = 2;
const lessonHops = 10;
/** How much of both voices is kept: the longest lesson, and what arrives while it lasts. */
const keptMs = 2200;
/** In a room now one wall is loudest and now another: an echo that the filter reaches is the same echo. */
const soonerMs = 6;
const laterMs = 64;
/** Wider lines are those of browsers, which cancel echoes themselves. */
const sampleRateMax = 16_000;
/** An echo that is not learned after so long will not be: two voices were alike by chance, or the line distorts. */
const learningMs = 2500;
/** A filter given up is tried again after so long, and each time after twice as long as before. */
const restMsFirst = 4000;
const restMsMax = 64_000;
/** Chance keeps to no delay: an echo found anew so often, each time elsewhere, and never learned was none. */
const movesMax = 2;
/** How much of an echo's strength may be in one part of the filter before anything is known. */
const doubtShare = 0.3;

/** The residual is averaged over this many hops. */
const judgedHops = 4;
const keptHops = 16;
/** The residual of an echo decays more slowly than the echo: its power counts for a while, a tenth after 160 ms. */
const fading = 0.8;
/** The usual residual is learned quickly when it is lower; when it is higher, by a seventh of itself at most, since a caller raises it, too. */
const usualFalls = 0.1;
const usualGrows = 0.02;
const usualGrowth = 0.15;
/** In pauses there is no residual at all, which is not usual. */
const usualMin = 0.005;
/**
 * A filter for a line that has changed takes out what is not there, so that the rest resembles it, turned around; or too little, so that it
 * is left: by so much for so long. A caller's voice resembles the agent's a little by chance.
 */
const mistakenHops = 8;
const turnedLikeness = 0.4;
const leftLikeness = 0.7;
/** A filter that leaves more than this has not learned the line yet. */
const usualMax = 0.25;
/** Speech has had all its sounds after so many loud hops: two and a half seconds. */
const youngHops = 150;
/** The line's noise is the residual at its quietest; bounded below, and forgotten in some seconds. */
const quietPower = 64;
const noiseGrows = 1.01;
const noiseTimes = 3;
/** For an echo fainter than this relative to the noise, the residual cannot be measured. */
const echoOverNoise = 8;
/** Up to this multiple of the usual residual may still be echo, and a caller is above this further multiple. */
const echoTimes = 4;
const callerTimes = 12;

interface Hop {
  readonly endPlace: number;
  /** How loud the echo was here or a moment ago, and what is left of the input without it. */
  readonly echo: number;
  readonly left: number;
  /** What was taken out here, and how much of it the rest holds; negative where it was not there. */
  readonly removed: number;
  readonly shared: number;
}

/**
 * Removes the agent's own voice from the input. It works once an echo has been found, and only while one can come back, so that a
 * line without an echo costs nothing and passes unchanged.
 */
export class EchoCanceller {
  private readonly own: SampleTrail;
  private readonly heard: SampleTrail;
  private readonly hop: number;
  private filter: AdaptiveFilter | undefined;
  /** How much later than it was played the filter expects the own voice. */
  private delay = 0;
  private lesson: { readonly from: number; at: number; times: number } | undefined;
  private lastLesson = { samples: 0, end: 0 };
  private foundAt = 0;
  private isResting = true;
  /** How far the input has been passed on. */
  private done = 0;
  private recent: Hop[] = [];
  private usual = 1;
  private noise = Number.POSITIVE_INFINITY;
  private loudHops = 0;
  /** Hops in which the filter worked without knowing the line; those in which it did count against them, since chance looks like it. */
  private vainHops = 0;
  /** How often an echo was found elsewhere than the one before, which was not learned. */
  private moves = 0;
  private restMs = restMsFirst;
  private restsUntil = 0;

  constructor(private readonly sampleRate: number) {
    const kept = sampleRate > sampleRateMax ? 1 : this.places(keptMs);
    this.own = new SampleTrail(new Int16Array(kept));
    this.heard = new SampleTrail(new Int16Array(kept));
    this.hop = this.places(hopMs);
  }

  /** Sound that is played while this millisecond of the caller's sound is spoken, or right behind the last. */
  noticeOwnVoice(samples: Int16Array, atMs?: number): void {
    if (atMs !== undefined) this.own.goTo(this.places(atMs));
    this.own.append(samples);
  }

  /** The caller's sound, in order, without the agent's: the same samples, some of them up to a hop later. */
  hear(samples: Int16Array): Int16Array {
    this.heard.append(samples);
    const { filter } = this;
    if (!filter || this.study(filter) || this.own.end < this.done - this.delay - this.places(reachMs))
      return this.handOn(samples);
    if (this.isResting) filter.forgetSound();
    this.isResting = false;
    const cleaned = new Int16Array(Math.floor((this.heard.end - this.done) / this.hop) * this.hop);
    for (let at = 0; at < cleaned.length; at += this.hop) cleaned.set(this.cancel(filter), at);
    return cleaned;
  }

  /** An echo was found, up to now. */
  found({ delayMs, power }: FoundEcho): void {
    if (this.sampleRate > sampleRateMax || this.lesson || this.isKnown || this.heard.end < this.restsUntil) return;
    const delay = Math.max(0, this.places(delayMs - aheadMs));
    const isSame =
      this.filter !== undefined && delay >= this.delay - this.places(soonerMs) && delay <= this.delay + this.places(laterMs);
    // The next lesson is worth it when there is twice as much to learn from.
    const { samples, end } = this.lastLesson;
    if (isSame && this.heard.end - end < Math.min(samples, this.places(lessonMsMax))) return;
    if (!isSame) {
      this.moves += this.filter ? 1 : 0;
      if (this.moves > movesMax) return this.giveUp();
      this.delay = delay;
      this.foundAt = this.heard.end;
      this.loudHops = 0;
    }
    this.usual = 1;
    this.filter = new AdaptiveFilter(this.hop, Math.ceil(reachMs / hopMs), power * doubtShare);
    const from = Math.max(0, this.foundAt - this.places(lessonLeadMs), this.heard.end - this.places(lessonMsMax));
    this.lesson = { from, at: from, times: lessonTimes };
  }

  /** Whose voice is left up to this moment, where the line is known well enough to tell. */
  remainder(untilMs: number): VoiceOwner | undefined {
    if (!this.isKnown) return undefined;
    const until = this.places(untilMs);
    const judged = this.recent.filter(({ endPlace }) => endPlace > until - judgedHops * this.hop && endPlace <= until + this.hop);
    if (judged.length === 0) return undefined;
    const { echo, left } = sumOf(judged);
    const others = left - noiseTimes * this.noise * judged.length;
    if (others <= echoTimes * this.usual * echo) return 'own';
    return others <= callerTimes * this.usual * echo ? 'doubtful' : 'caller';
  }

  /** Whether it knows this echo too little, so that an unknown sound may be part of it. */
  get isYoung(): boolean {
    return this.loudHops < youngHops;
  }

  /** Whether an echo was found so recently that similar sound has to be taken for more of it. */
  get isLearning(): boolean {
    return this.filter !== undefined && !this.isKnown && this.heard.end - this.foundAt < this.places(learningMs);
  }

  private get isKnown(): boolean {
    return this.filter !== undefined && !this.lesson && this.usual <= usualMax;
  }

  private places(ms: number): number {
    return Math.round((ms * this.sampleRate) / 1000);
  }

  /** Continues a lesson. False when there is none. */
  private study(filter: AdaptiveFilter): boolean {
    const { lesson } = this;
    if (!lesson) return false;
    for (let hops = 0; hops < lessonHops && lesson.times > 0; hops++) {
      this.split(filter, lesson.at);
      lesson.at += this.hop;
      if (lesson.at + this.hop <= this.heard.end) continue;
      lesson.times -= 1;
      lesson.at = lesson.from;
      filter.forgetSound();
    }
    if (lesson.times > 0) return true;
    this.lastLesson = { samples: this.heard.end - lesson.from, end: this.heard.end };
    this.lesson = undefined;
    return true;
  }

  private handOn(samples: Int16Array): Int16Array {
    this.isResting = true;
    const from = this.done;
    this.done = this.heard.end;
    return this.done - from === samples.length ? samples : this.heard.samples(from, this.done);
  }

  private cancel(filter: AdaptiveFilter): Int16Array {
    const split = this.split(filter, this.done);
    this.done += this.hop;
    const removed = powerOf(split.echo);
    const echo = Math.max(removed, (this.recent.at(-1)?.echo ?? 0) * fading);
    const shared = productOf(split.left, split.echo);
    this.recent.push({ endPlace: this.done, echo, left: powerOf(split.left), removed, shared });
    if (this.recent.length > keptHops) this.recent.shift();
    this.learnUsual();
    this.vainHops = this.isKnown ? Math.max(0, this.vainHops - 2) : this.vainHops + 1;
    if (this.isKnown) this.moves = 0;
    if (this.vainHops * hopMs >= learningMs) this.giveUp();
    return samplesOf(split.left);
  }

  /** A filter that explains nothing costs as much as one that does, for the rest of the call. */
  private giveUp(): void {
    this.filter = undefined;
    this.vainHops = 0;
    this.moves = 0;
    this.restsUntil = this.heard.end + this.places(this.restMs);
    this.restMs = Math.min(restMsMax, this.restMs * 2);
  }

  private split(filter: AdaptiveFilter, at: number): Split {
    const end = at + this.hop;
    return filter.split(this.own.slice(end - this.delay - filter.size, end - this.delay), this.heard.slice(at, end));
  }

  private learnUsual(): void {
    const judged = this.recent.slice(-judgedHops);
    const { echo, left } = sumOf(judged);
    this.noise = Math.max(quietPower * this.hop, Math.min(this.noise * noiseGrows, left / judged.length));
    const noise = this.noise * judged.length;
    if (echo < echoOverNoise * noise) return;
    this.loudHops += 1;
    const share = Math.min(1, Math.max(0, left - noise) / echo);
    this.usual = Math.max(usualMin, this.usual + this.changeTowards(share));
  }

  /** A caller is no part of what is usual, however long they speak; the rest on a changed line is, at once where it is turned around. */
  private changeTowards(share: number): number {
    const change = share - this.usual;
    const { removed, shared, left } = sumOf(this.recent.slice(-mistakenHops));
    const likeness = shared / Math.max(1, Math.sqrt(removed * left));
    if (change < 0 || likeness < -turnedLikeness) return usualFalls * change;
    return likeness > leftLikeness ? usualGrows * change : Math.min(usualGrows * change, usualGrowth * this.usual);
  }
}

function sumOf(hops: readonly Hop[]): Omit<Hop, 'endPlace'> {
  const sum = { echo: 0, left: 0, removed: 0, shared: 0 };
  for (const { echo, left, removed, shared } of hops) {
    sum.echo += echo;
    sum.left += left;
    sum.removed += removed;
    sum.shared += shared;
  }
  return sum;
}

function powerOf(samples: Float32Array): number {
  return productOf(samples, samples);
}

function productOf(one: Float32Array, other: Float32Array): number {
  let product = 0;
  for (let i = 0; i < one.length; i++) product += (one[i] ?? 0) * (other[i] ?? 0);
  return product;
}

function samplesOf(sound: Float32Array): Int16Array {
  const samples = new Int16Array(sound.length);
  for (let i = 0; i < sound.length; i++) samples[i] = Math.max(-32_768, Math.min(32_767, Math.round(sound[i] ?? 0)));
  return samples;
}
