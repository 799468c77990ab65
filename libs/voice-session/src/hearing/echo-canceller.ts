import { AdaptiveFilter, type Split } from '@parley/audio';
import { comparedMs, echoesOf, longerMs, shorterMs } from './changed-echo';
import { type FoundEcho, SampleTrail, type VoiceOwner } from './echo-guard';
import { EchoResidual, productOf, unexplainedMax, unrelatedMin } from './echo-residual';

/** The hop size, and the length of each part of the filter. */
const hopMs = 16;
/** How long an echo lasts; later reflections are faint. */
const reachMs = 128;
/** The filter begins this long before the delay that was found, since the loudest part of an echo need not be its first. */
const aheadMs = 16;
/** When an echo is found, the filter learns from what was heard so far, in two passes and a few hops at a time, so as not to block. */
const lessonMsMax = 1500;
const lessonLeadMs = 600;
const lessonPasses = 2;
const lessonHops = 10;
/** How much of each voice is kept: the longest lesson, and what arrives during it. */
const keptMs = 2200;
/** The loudest reflection of a room varies, so an echo whose delay differs no more than this is the same echo. */
const soonerMs = 6;
const laterMs = 64;
/** Higher rates come from browsers, which cancel echoes themselves. */
const sampleRateMax = 16_000;
/** An echo that is not learned in this time never will be: two voices resembled each other, or the line distorts. */
const learningMs = 2500;
/** How long after giving up another filter is tried; it doubles each time. */
const retryMsFirst = 4000;
const retryMsMax = 64_000;
/** An echo found at another delay more often than this, and never learned, was chance. */
const movesMax = 2;
/** After this many consecutive echoes at the same delay beyond the filter, the line's delay has changed; a longer gap starts over. */
const straysMin = 4;
const strayGapMs = 300;
/** The share of an echo's power that one part of the filter may have, before anything is known. */
const uncertaintyShare = 0.3;

/** If this share of the residual is the agent's voice at another delay, the line has just changed; if the smaller share, it may have. */
const changedShare = 0.2;
const likelyChangedShare = 0.12;

/** The minimum uncertainty of the shadow (relative power), so that it learns a change within tenths of a second. */
const shadowUncertainty = 0.002;
/** The shadow is better if it leaves this much less over a few hops, and takes over if much less over more. A caller disturbs both filters. */
const betterHopsMin = 2;
const betterHops = 4;
const betterShare = 0.8;
const takeOverHops = 8;
const takeOverShare = 0.6;
const takeOverLeft = 0.6;
/** The shadow is dropped after this long without an unusual residual. */
const shadowHopsIdle = 32;

/**
 * Removes the agent's voice from the input. It works only once an echo has been found and while one is possible, so a line without
 * echo costs nothing and passes unchanged.
 */
export class EchoCanceller {
  private readonly own: SampleTrail;
  private readonly heard: SampleTrail;
  private readonly hop: number;
  /** The residual. */
  private readonly left: SampleTrail;
  private filter: AdaptiveFilter | undefined;
  /** The delay at which the filter expects the agent's voice. */
  private delay = 0;
  private lesson: { readonly from: number; at: number; times: number; heard: number; left: number } | undefined;
  /** Whether the filter explains most of what is heard, so that an echo found at another delay is a reflection or chance. */
  private explainsMost = false;
  /** Whether the filter explains nothing of what is heard, or did not in the latest lesson: a caller resembled the agent by chance. */
  private isRefuted = false;
  private lastLesson = { samples: 0, end: 0 };
  private echoFoundAt = 0;
  private isResting = true;
  /** The position up to which the input has been passed on. */
  private done = 0;
  private readonly residual: EchoResidual;
  private shadow: Shadow | undefined;
  private strays: readonly number[] = [];
  private strayedFrom = 0;
  private strayedAt = 0;
  private wasKnown = false;
  /** Whether the filter has ever known the line. If it no longer does, its shadow learns the line faster than a new filter. */
  private hasKnownLine = false;
  /** Hops in which the filter did not know the line, minus two for each in which it seemed to, which may be chance. */
  private uselessHops = 0;
  /** How often an echo was found at another delay before the previous one was learned. */
  private moves = 0;
  private retryMs = retryMsFirst;
  private retryAt = 0;

  constructor(private readonly sampleRate: number) {
    const kept = sampleRate > sampleRateMax ? 1 : this.places(keptMs);
    this.own = new SampleTrail(new Int16Array(kept));
    this.heard = new SampleTrail(new Int16Array(kept));
    this.hop = this.places(hopMs);
    this.left = new SampleTrail(new Int16Array(this.places(2 * comparedMs)));
    this.residual = new EchoResidual(sampleRate, this.hop);
  }

  /** The agent's sound, played at this millisecond of the caller's sound, or right after the previous block. */
  noticeOwnVoice(samples: Int16Array, atMs?: number): void {
    if (atMs !== undefined) this.own.goTo(this.places(atMs));
    this.own.append(samples);
  }

  /** Returns the caller's sound without the agent's. It may lag by up to a hop. */
  hear(samples: Int16Array): Int16Array {
    this.heard.append(samples);
    const { filter } = this;
    if (!filter || this.continueLesson(filter) || this.own.end < this.done - this.delay - this.places(reachMs))
      return this.passOn(samples);
    if (this.isResting) this.resume(filter);
    this.isResting = false;
    const cleaned = new Int16Array(Math.floor((this.heard.end - this.done) / this.hop) * this.hop);
    for (let at = 0; at < cleaned.length; at += this.hop) cleaned.set(this.cancel(filter), at);
    return cleaned;
  }

  /** Reports the echo that the guard found up to now, if any. */
  found(echo: FoundEcho | undefined): void {
    if (!echo) return this.noteStray(undefined);
    const { delayMs, power } = echo;
    if (this.sampleRate > sampleRateMax || this.lesson || this.heard.end < this.retryAt) return;
    const delay = Math.max(0, this.places(delayMs - aheadMs));
    const isSame =
      this.filter !== undefined && delay >= this.delay - this.places(soonerMs) && delay <= this.delay + this.places(laterMs);
    const isReached = this.reaches(delayMs);
    this.noteStray(isSame || isReached ? undefined : delay);
    if ((this.isKnown || this.hasKnownLine || (!isSame && this.explainsMost)) && this.strays.length < straysMin) return;
    // Another lesson is worthwhile only with twice as much sound to learn from.
    const { samples, end } = this.lastLesson;
    if (isSame && this.heard.end - end < Math.min(samples, this.places(lessonMsMax))) return;
    if (!isSame) {
      // Another reflection may be the loudest at times. It has not moved, though a filter made for it can begin sooner.
      this.moves += this.filter && !isReached ? 1 : 0;
      if (this.moves > movesMax) return this.giveUp();
      this.delay = delay;
      this.echoFoundAt = this.heard.end;
    }
    this.residual.reset();
    this.shadow = undefined;
    this.hasKnownLine = false;
    this.filter = new AdaptiveFilter(this.hop, Math.ceil(reachMs / hopMs), power * uncertaintyShare);
    // After the line has changed, nothing before the change is worth learning.
    const leads =
      this.strays.length < straysMin ? this.echoFoundAt - this.places(lessonLeadMs) : this.strayedFrom - this.places(comparedMs);
    const from = Math.max(0, leads, this.heard.end - this.places(lessonMsMax));
    this.lesson = { from, at: from, times: lessonPasses, heard: 0, left: 0 };
  }

  /** Whose voice is left at this moment; undefined if the line is not known well enough. */
  residualOwner(untilMs: number): VoiceOwner | undefined {
    if (this.lesson || !(this.isKnown || this.hasKnownLine)) return undefined;
    const until = this.places(untilMs);
    const owner = this.residual.ownerAt(until);
    if (owner === undefined || owner === 'own') return owner;
    if (this.shadow?.isBetter && this.residual.mayBeEcho) return 'own';
    return this.ownerOfRest(until) ?? owner;
  }

  /** Recognizes an echo on a line that has just changed: a shadow needs tenths of a second to learn it, and it may sound like a voice. */
  private ownerOfRest(until: number): VoiceOwner | undefined {
    const from = until - this.places(comparedMs);
    const longest = this.delay + this.places(longerMs);
    const rest = this.left.slice(from, until);
    const played = this.own.slice(from - longest, until - this.delay + this.places(shorterMs));
    const likeliestIn = echoesOf(played, this.sampleRate);
    const { share } = likeliestIn(rest);
    if (share < changedShare) return share < likelyChangedShare ? undefined : 'doubtful';
    const power = (share * productOf(rest, rest) * played.length) / (productOf(played, played) * rest.length);
    if (this.filter && !this.shadow?.isEager)
      this.shadow = new Shadow(this.filter.withUncertainty(Math.max(shadowUncertainty, power * uncertaintyShare)), true);
    // The residual also contains, inverted, the echo that is no longer there. Only the whole input shows where the echo is now.
    const { shift } = likeliestIn(this.heard.slice(from, until));
    this.found({ delayMs: ((longest - shift) * 1000) / this.sampleRate, power });
    return 'own';
  }

  /** In how many consecutive windows an echo was found beyond the filter. */
  get straysInRow(): number {
    return this.strays.length;
  }

  /** Whether doubtful sound has to be taken for an echo that is still being learned. */
  get mayLeaveEcho(): boolean {
    return this.isLearning && !this.isRefuted;
  }

  /** Whether an echo was found recently and is not learned yet. */
  get isLearning(): boolean {
    return this.filter !== undefined && !this.isKnown && this.heard.end - this.echoFoundAt < this.places(learningMs);
  }

  private get isKnown(): boolean {
    return this.filter !== undefined && !this.lesson && this.residual.isKnown;
  }

  private places(ms: number): number {
    return Math.round((ms * this.sampleRate) / 1000);
  }

  /** Restarts after a gap in which nothing was filtered. */
  private resume(filter: AdaptiveFilter): void {
    filter.forgetSound();
    this.shadow = undefined;
  }

  /** Continues the lesson. False if there is none. */
  private continueLesson(filter: AdaptiveFilter): boolean {
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
    this.explainsMost = lesson.left < unexplainedMax * lesson.heard;
    this.isRefuted = lesson.left > unrelatedMin * lesson.heard;
    this.lesson = undefined;
    return true;
  }

  private passOn(samples: Int16Array): Int16Array {
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
    this.explainsMost = this.residual.explainsMost;
    this.isRefuted = this.isRefuted ? !this.explainsMost : this.residual.explainsNothing;
    this.watchLine(filter);
    this.noteKnown();
    if (this.uselessHops * hopMs >= learningMs) this.giveUp();
    return left;
  }

  /** Whether the filter covers this delay. Such an echo has not moved, even if a filter made for it would begin earlier. */
  private reaches(delayMs: number): boolean {
    const delay = this.places(delayMs) - this.delay;
    return this.filter !== undefined && delay >= 0 && delay <= this.places(aheadMs + laterMs);
  }

  /** Counts echoes beyond the filter at the same delay: then the line's delay has changed. Chance resemblances have random delays. */
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
    this.uselessHops = isKnown ? Math.max(0, this.uselessHops - 2) : this.uselessHops + 1;
    if (isKnown) {
      this.moves = 0;
      this.hasKnownLine = true;
    }
    // The line has changed, but what resembles the agent is still its echo.
    if (this.wasKnown && !isKnown) this.echoFoundAt = this.heard.end;
    this.wasKnown = isKnown;
  }

  /** Drops the filter for a while, since a useless one costs as much as a useful one. */
  private giveUp(): void {
    this.filter = undefined;
    this.shadow = undefined;
    this.hasKnownLine = false;
    this.strays = [];
    this.uselessHops = 0;
    this.moves = 0;
    this.retryAt = this.heard.end + this.places(this.retryMs);
    this.retryMs = Math.min(retryMsMax, this.retryMs * 2);
  }

  private split(filter: AdaptiveFilter, at: number): Split {
    const end = at + this.hop;
    return filter.split(this.own.slice(end - this.delay - filter.size, end - this.delay), this.heard.slice(at, end));
  }

  /** While more is left than usual, a shadow filter learns the line as it is now, and takes over if it leaves less. */
  private watchLine(filter: AdaptiveFilter): void {
    const { residual } = this;
    const isUnusual = residual.isUnusual || (this.hasKnownLine && !residual.isKnown);
    if (isUnusual) this.shadow ??= new Shadow(filter.withUncertainty(shadowUncertainty));
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

/** A second filter that learns faster. A caller disturbs it too, so it leaves less only if the line has changed. */
class Shadow {
  private recent: { readonly echo: number; readonly left: number; readonly leftByShadow: number }[] = [];
  private hopsIdle = 0;

  /** @param isEager It starts as uncertain as a filter that has learned nothing. */
  constructor(
    readonly filter: AdaptiveFilter,
    readonly isEager = false,
  ) {}

  note(split: Split, byShadow: Split): void {
    this.filter.raiseUncertainty(shadowUncertainty);
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

  /** The share of what is heard that it leaves. */
  get share(): number {
    const left = sumOf(this.recent, 'leftByShadow');
    return left / Math.max(1, left + sumOf(this.recent, 'echo'));
  }

  /** Notes whether the residual of a hop is unusual. True after a long run of usual ones. */
  isIdle(isUnusual: boolean): boolean {
    this.hopsIdle = isUnusual ? 0 : this.hopsIdle + 1;
    return this.hopsIdle > shadowHopsIdle;
  }

  /** What it leaves, relative to the filter in use. */
  private leavesOf(hops: number): number {
    const judged = this.recent.slice(-hops);
    return sumOf(judged, 'leftByShadow') / Math.max(1, sumOf(judged, 'left'));
  }
}

function sumOf<Key extends string>(hops: readonly Readonly<Record<Key, number>>[], key: Key): number {
  return hops.reduce((sum, hop) => sum + hop[key], 0);
}
