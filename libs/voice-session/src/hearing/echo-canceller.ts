import { AdaptiveFilter, type Split } from '@parley/audio';
import { comparedMs, likeliestEchoIn, longerMs, shorterMs } from './changed-echo';
import { type FoundEcho, SampleTrail, type VoiceOwner } from './echo-guard';
import { EchoResidual, productOf, unexplainedMax } from './echo-residual';

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
/** An echo found so often in a row beyond the filter's reach is where the line has moved; after such a gap another row begins. */
const straysMin = 4;
const strayGapMs = 300;
/** How much of an echo's strength may be in one part of the filter before anything is known. */
const doubtShare = 0.3;

/** If so much of what is left is the agent's voice on another way than the filter's, the line has just changed; if less, it may have. */
const changedShare = 0.2;
const likelyChangedShare = 0.12;

/** The shadow doubts the filter at least so much (power beside power), so that it learns a change within tenths of a second. */
const shadowDoubt = 0.002;
/** It does better if it leaves so much less for so long, and takes over if much less for longer. A caller disturbs both. */
const betterHopsMin = 2;
const betterHops = 4;
const betterShare = 0.8;
const takeOverHops = 8;
const takeOverShare = 0.6;
const takeOverLeft = 0.6;
/** It is not needed any more after so long without anything unusual. */
const shadowHopsIdle = 32;

/**
 * Removes the agent's own voice from the input. It works once an echo has been found, and only while one can come back, so that a
 * line without an echo costs nothing and passes unchanged.
 */
export class EchoCanceller {
  private readonly own: SampleTrail;
  private readonly heard: SampleTrail;
  private readonly hop: number;
  /** What was left of the input by the filter. */
  private readonly left: SampleTrail;
  private filter: AdaptiveFilter | undefined;
  /** How much later than it was played the filter expects the own voice. */
  private delay = 0;
  private lesson: { readonly from: number; at: number; times: number; heard: number; left: number } | undefined;
  /** Whether the filter explains most of what is heard, so that an echo found elsewhere is a wall or chance. */
  private isRight = false;
  private lastLesson = { samples: 0, end: 0 };
  private foundAt = 0;
  private isResting = true;
  /** How far the input has been passed on. */
  private done = 0;
  private readonly residual: EchoResidual;
  private shadow: Shadow | undefined;
  private strays: readonly number[] = [];
  private strayedFrom = 0;
  private strayedAt = 0;
  private wasKnown = false;
  /** Whether the filter knew the line once: if it does not any more, its shadow learns it faster than another filter would. */
  private isTaught = false;
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
    this.left = new SampleTrail(new Int16Array(this.places(2 * comparedMs)));
    this.residual = new EchoResidual(sampleRate, this.hop);
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
    if (this.isResting) this.wake(filter);
    this.isResting = false;
    const cleaned = new Int16Array(Math.floor((this.heard.end - this.done) / this.hop) * this.hop);
    for (let at = 0; at < cleaned.length; at += this.hop) cleaned.set(this.cancel(filter), at);
    return cleaned;
  }

  /** An echo was found, up to now; or none. */
  found(echo: FoundEcho | undefined): void {
    if (!echo) return this.noteStray(undefined);
    const { delayMs, power } = echo;
    if (this.sampleRate > sampleRateMax || this.lesson || this.heard.end < this.restsUntil) return;
    const delay = Math.max(0, this.places(delayMs - aheadMs));
    const isSame =
      this.filter !== undefined && delay >= this.delay - this.places(soonerMs) && delay <= this.delay + this.places(laterMs);
    this.noteStray(isSame || this.reaches(delayMs) ? undefined : delay);
    if ((this.isKnown || this.isTaught || (!isSame && this.isRight)) && this.strays.length < straysMin) return;
    // The next lesson is worth it when there is twice as much to learn from.
    const { samples, end } = this.lastLesson;
    if (isSame && this.heard.end - end < Math.min(samples, this.places(lessonMsMax))) return;
    if (!isSame) {
      this.moves += this.filter ? 1 : 0;
      if (this.moves > movesMax) return this.giveUp();
      this.delay = delay;
      this.foundAt = this.heard.end;
    }
    this.residual.beginAnew();
    this.shadow = undefined;
    this.isTaught = false;
    this.filter = new AdaptiveFilter(this.hop, Math.ceil(reachMs / hopMs), power * doubtShare);
    // Of a line that has moved, nothing before that is worth learning.
    const leads =
      this.strays.length < straysMin ? this.foundAt - this.places(lessonLeadMs) : this.strayedFrom - this.places(comparedMs);
    const from = Math.max(0, leads, this.heard.end - this.places(lessonMsMax));
    this.lesson = { from, at: from, times: lessonTimes, heard: 0, left: 0 };
  }

  /** Whose voice is left up to this moment, where the line is known well enough to tell. */
  remainder(untilMs: number): VoiceOwner | undefined {
    if (this.lesson || !(this.isKnown || this.isTaught)) return undefined;
    const until = this.places(untilMs);
    const owner = this.residual.whose(until);
    if (owner === undefined || owner === 'own') return owner;
    if (this.shadow?.isBetter && this.residual.mayBeEcho) return 'own';
    return this.ownerOfRest(until) ?? owner;
  }

  /** A shadow needs some tenths of a second to learn a line that has changed, and a loud echo may be taken for a voice meanwhile. */
  private ownerOfRest(until: number): VoiceOwner | undefined {
    const from = until - this.places(comparedMs);
    const longest = this.delay + this.places(longerMs);
    const rest = this.left.slice(from, until);
    const played = this.own.slice(from - longest, until - this.delay + this.places(shorterMs));
    const { share } = likeliestEchoIn(rest, played, this.sampleRate);
    if (share < changedShare) return share < likelyChangedShare ? undefined : 'doubtful';
    const power = (share * productOf(rest, rest) * played.length) / (productOf(played, played) * rest.length);
    if (this.filter && !this.shadow?.isEager)
      this.shadow = new Shadow(this.filter.doubting(Math.max(shadowDoubt, power * doubtShare)), true);
    // The rest also holds, turned around, what is taken out and not there any more: where the echo is now, the whole of the input tells.
    const { shift } = likeliestEchoIn(this.heard.slice(from, until), played, this.sampleRate);
    this.found({ delayMs: ((longest - shift) * 1000) / this.sampleRate, power });
    return 'own';
  }

  /** Whether what is heard now may be an echo from beyond the filter's reach, by how many windows in a row. */
  get straying(): number {
    return this.strays.length;
  }

  /** Whether an echo was found so recently that similar sound has to be taken for more of it. */
  get isLearning(): boolean {
    return this.filter !== undefined && !this.isKnown && this.heard.end - this.foundAt < this.places(learningMs);
  }

  private get isKnown(): boolean {
    return this.filter !== undefined && !this.lesson && this.residual.isKnown;
  }

  private places(ms: number): number {
    return Math.round((ms * this.sampleRate) / 1000);
  }

  /** What was heard meanwhile was not filtered. */
  private wake(filter: AdaptiveFilter): void {
    filter.forgetSound();
    this.shadow = undefined;
  }

  /** Continues a lesson. False when there is none. */
  private study(filter: AdaptiveFilter): boolean {
    const { lesson } = this;
    if (!lesson) return false;
    for (let hops = 0; hops < lessonHops && lesson.times > 0; hops++) {
      const { echo, left } = this.split(filter, lesson.at);
      lesson.heard += productOf(echo, echo) + 2 * productOf(echo, left) + productOf(left, left);
      lesson.left += productOf(left, left);
      lesson.at += this.hop;
      if (lesson.at + this.hop <= this.heard.end) continue;
      lesson.times -= 1;
      lesson.at = lesson.from;
      if (lesson.times > 0) [lesson.heard, lesson.left] = [0, 0];
      filter.forgetSound();
    }
    if (lesson.times > 0) return true;
    this.lastLesson = { samples: this.heard.end - lesson.from, end: this.heard.end };
    this.strays = [];
    this.isRight = lesson.left < unexplainedMax * lesson.heard;
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
    const left = samplesOf(split.left);
    this.left.goTo(this.done);
    this.left.append(left);
    this.shadow?.note(split, this.split(this.shadow.filter, this.done));
    this.done += this.hop;
    this.residual.note(split, this.done, this.shadow?.isBetter ?? false);
    this.isRight = this.residual.explainsMost;
    this.watchLine(filter);
    this.noteKnown();
    if (this.vainHops * hopMs >= learningMs) this.giveUp();
    return left;
  }

  /** An echo that the filter reaches has not moved, though a filter for it alone would begin sooner. */
  private reaches(delayMs: number): boolean {
    const delay = this.places(delayMs) - this.delay;
    return this.filter !== undefined && delay >= 0 && delay <= this.places(aheadMs + laterMs);
  }

  /** A known line that gives an echo from beyond the filter, always as late, has moved. A caller's voice is alike by chance, at any delay. */
  private noteStray(delay: number | undefined): void {
    const isSteady = this.strays.every((other) => Math.abs(other - (delay ?? 0)) <= this.places(soonerMs));
    const goesOn = isSteady && this.heard.end - this.strayedAt <= this.places(strayGapMs);
    this.strayedAt = this.heard.end;
    if (!goesOn) this.strayedFrom = this.heard.end;
    if (delay === undefined) this.strays = [];
    else this.strays = goesOn ? [...this.strays, delay] : [delay];
  }

  private noteKnown(): void {
    const { isKnown } = this;
    this.vainHops = isKnown ? Math.max(0, this.vainHops - 2) : this.vainHops + 1;
    if (isKnown) {
      this.moves = 0;
      this.isTaught = true;
    }
    // A line that was known has changed: what it gives back is still the agent's voice.
    if (this.wasKnown && !isKnown) this.foundAt = this.heard.end;
    this.wasKnown = isKnown;
  }

  /** A filter that explains nothing costs as much as one that does, for the rest of the call. */
  private giveUp(): void {
    this.filter = undefined;
    this.shadow = undefined;
    this.isTaught = false;
    this.strays = [];
    this.vainHops = 0;
    this.moves = 0;
    this.restsUntil = this.heard.end + this.places(this.restMs);
    this.restMs = Math.min(restMsMax, this.restMs * 2);
  }

  private split(filter: AdaptiveFilter, at: number): Split {
    const end = at + this.hop;
    return filter.split(this.own.slice(end - this.delay - filter.size, end - this.delay), this.heard.slice(at, end));
  }

  /** While more is left than usual, a shadow finds out whether the line has changed: it then leaves less, and takes over. */
  private watchLine(filter: AdaptiveFilter): void {
    const { residual } = this;
    const isUnusual = residual.isUnusual || (this.isTaught && !residual.isKnown);
    if (isUnusual) this.shadow ??= new Shadow(filter.doubting(shadowDoubt));
    const { shadow } = this;
    if (!shadow) return;
    if (shadow.mayTakeOver && residual.mayBeEcho) {
      this.filter = shadow.filter;
      residual.expectAtLeast(shadow.share);
      this.shadow = undefined;
    } else if (shadow.isIdle(isUnusual)) this.shadow = undefined;
  }
}

function samplesOf(sound: Float32Array): Int16Array {
  const samples = new Int16Array(sound.length);
  for (let i = 0; i < sound.length; i++) samples[i] = Math.max(-32_768, Math.min(32_767, Math.round(sound[i] ?? 0)));
  return samples;
}

/** A filter beside the one in use that learns faster. A caller disturbs it as well, so it leaves less only where the line has changed. */
class Shadow {
  private recent: { readonly echo: number; readonly left: number; readonly leftByShadow: number }[] = [];
  private hopsIdle = 0;

  /** An eager one doubts what it knows as much as a filter that knows nothing. */
  constructor(
    readonly filter: AdaptiveFilter,
    readonly isEager = false,
  ) {}

  note(split: Split, byShadow: Split): void {
    this.filter.doubtAtLeast(shadowDoubt);
    const echo = productOf(byShadow.echo, byShadow.echo);
    const leftByShadow = productOf(byShadow.left, byShadow.left);
    this.recent = [...this.recent.slice(1 - takeOverHops), { echo, left: productOf(split.left, split.left), leftByShadow }];
  }

  get isBetter(): boolean {
    return this.recent.length >= betterHopsMin && this.leavesOf(betterHops) < betterShare;
  }

  get mayTakeOver(): boolean {
    return this.recent.length >= takeOverHops && this.leavesOf(takeOverHops) < takeOverShare && this.share < takeOverLeft;
  }

  /** How much of what is heard it leaves. */
  get share(): number {
    const left = sumOf(this.recent, 'leftByShadow');
    return left / Math.max(1, left + sumOf(this.recent, 'echo'));
  }

  /** A hop in which as much was left as usual, or not. True once there were only such ones for long. */
  isIdle(isUnusual: boolean): boolean {
    this.hopsIdle = isUnusual ? 0 : this.hopsIdle + 1;
    return this.hopsIdle > shadowHopsIdle;
  }

  /** How much of what the filter in use leaves. */
  private leavesOf(hops: number): number {
    const judged = this.recent.slice(-hops);
    return sumOf(judged, 'leftByShadow') / Math.max(1, sumOf(judged, 'left'));
  }
}

function sumOf<Key extends string>(hops: readonly Readonly<Record<Key, number>>[], key: Key): number {
  return hops.reduce((sum, hop) => sum + hop[key], 0);
}
