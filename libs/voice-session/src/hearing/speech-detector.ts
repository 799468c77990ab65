import type { SampleTrail } from './echo-guard';
import type { VoiceWindow } from '@parley/ports';

export interface SpeechDetectorOptions {
  /** Windows above this probability may begin a voice. */
  readonly startAbove?: number;
  /** Windows below this may end one; in between, the state stays as it is. */
  readonly stopBelow?: number;
  readonly speechMinMs?: number;
  readonly silenceMinMs?: number;
}

/** A window, and whether its sound may be the agent's echo. */
export interface GuardedWindow extends VoiceWindow {
  readonly isDoubtful?: boolean;
  /** When the sound ended. The model notices the end of a voice up to a tenth of a second later. */
  readonly quietFromMs?: number;
}

export type SpeechEdge = { readonly kind: 'speech-started' | 'speech-stopped'; readonly atMs: number };

const startAboveInDoubt = 0.8;
const speechMinMsInDoubt = 120;

/** Derives the beginning and end of voices from the fluctuating probabilities of windows. */
export class SpeechDetector {
  private readonly options: Required<SpeechDetectorOptions>;
  private isSpeech = false;
  /** When the current run of windows that may change the state began. */
  private runStartMs: number | undefined;

  constructor(options: SpeechDetectorOptions = {}) {
    this.options = { startAbove: 0.5, stopBelow: 0.35, speechMinMs: 50, silenceMinMs: 150, ...options };
  }

  /** The beginning or end of a voice that this window confirmed, with the slightly earlier time at which it happened. */
  hear(window: GuardedWindow): SpeechEdge | undefined {
    return this.isSpeech ? this.listenForEnd(window) : this.listenForStart(window);
  }

  private listenForStart({ startMs, endMs, probability, isDoubtful = false }: GuardedWindow): SpeechEdge | undefined {
    const { startAbove, stopBelow, speechMinMs } = this.options;
    if (probability >= (isDoubtful ? startAboveInDoubt : startAbove)) this.runStartMs ??= startMs;
    else if (probability < stopBelow) this.runStartMs = undefined;
    if (this.runStartMs === undefined || endMs - this.runStartMs < (isDoubtful ? speechMinMsInDoubt : speechMinMs))
      return undefined;
    return this.turn('speech-started', this.runStartMs);
  }

  private listenForEnd({ startMs, endMs, probability, quietFromMs = endMs }: GuardedWindow): SpeechEdge | undefined {
    const { stopBelow, silenceMinMs } = this.options;
    if (probability >= stopBelow) this.runStartMs = undefined;
    else this.runStartMs ??= startMs;
    if (this.runStartMs === undefined) return undefined;
    if (endMs - Math.min(this.runStartMs, quietFromMs) < silenceMinMs) return undefined;
    // In noise there is no quiet, so the windows determine where the voice ended.
    return this.turn('speech-stopped', quietFromMs < endMs ? quietFromMs : this.runStartMs);
  }

  /** Forgets the current voice. */
  forget(): void {
    this.isSpeech = false;
    this.runStartMs = undefined;
  }

  private turn(kind: SpeechEdge['kind'], atMs: number): SpeechEdge {
    this.isSpeech = kind === 'speech-started';
    this.runStartMs = undefined;
    return { kind, atMs };
  }
}

const blockMs = 10;
/** The quietest block of this length gives the noise level of a line. */
const endBlockMs = 5;

/** A voice has ended once it is 30 dB below its loudest moment, or no louder than the line's noise. */
const overShare = 0.03;
const overPeakMin = 18;
const overNoise = 2.5;

/** A stretch of sound that begins within a voice, and the loudest sample of that voice. */
interface VoiceEnd {
  readonly from: number;
  readonly to: number;
  readonly loudest: number;
}

/**
 * Where the last sound of a voice ends. It is compared by peaks, since the hum at the end of many words has a high mean but low
 * peaks beside a vowel. Noise is compared by its mean, since it has single high samples.
 */
export function lastSoundIn(trail: SampleTrail, { from, to, loudest }: VoiceEnd, sampleRate: number): number {
  if (searched.samples.length < to - from) searched.samples = new Int16Array(to - from);
  const samples = trail.samplesInto(searched.samples, from, to);
  const blockSamples = (sampleRate * endBlockMs) / 1000;
  const { roots, blocks, softest, peak } = blocksOf(samples, blockSamples);
  const audibleMin = Math.max(overPeakMin, Math.max(loudest, peak) * overShare);
  const noise = softest * overNoise;
  for (let block = blocks - 1; block >= 0; block--) {
    if ((roots[block] ?? 0) <= noise) continue;
    for (let at = (block + 1) * blockSamples - 1; at >= block * blockSamples; at--)
      if (Math.abs(samples[at] ?? 0) > audibleMin) return from + at + 1;
  }
  return from;
}

/** Shared by all sessions, since nothing is kept between calls. Each would need 50 kB at every pause of a voice. */
const searched = { samples: new Int16Array(0), roots: new Float64Array(0) };

interface Blocks {
  /** The root mean square of each whole block. */
  readonly roots: Float64Array;
  readonly blocks: number;
  readonly softest: number;
  /** The largest sample. */
  readonly peak: number;
}

/** All in one pass: this runs at every pause of a voice. */
function blocksOf(samples: Int16Array, blockSamples: number): Blocks {
  const blocks = Math.floor(samples.length / blockSamples);
  if (searched.roots.length < blocks) searched.roots = new Float64Array(blocks);
  const { roots } = searched;
  let [softest, peak, energy] = [Number.POSITIVE_INFINITY, 0, 0];
  for (let at = 0; at < samples.length; at++) {
    const sample = samples[at] ?? 0;
    peak = Math.max(peak, Math.abs(sample));
    energy += sample * sample;
    if ((at + 1) % blockSamples > 0) continue;
    const root = Math.sqrt(energy / blockSamples);
    roots[(at + 1) / blockSamples - 1] = root;
    softest = Math.min(softest, root);
    energy = 0;
  }
  return { roots, blocks, softest, peak };
}

/** More than one block, since a click lasts no longer. */
const loudBlocks = 2;

const loudRootMin = 45;

const rise = 2.2;

/** A rise lasts until the level falls below this; otherwise a fluctuating noise would rise repeatedly. */
const fall = 1.6;

/** How fast the quiet level may rise: it doubles in a second and a half. */
const quietGrowth = 1.005;

const quietLearning = 0.3;

/** Windows above this may begin a voice. */
const suspectAbove = 0.3;
/** Possible echo has to look like a voice more clearly and for longer. */
const doubtfulAbove = 0.8;
const doubtfulWindows = 3;
/** A word may begin with more than a quarter of a second of hissing, which the model does not take for a voice. */
const suspicionMsMax = 320;

/** What counts as a possible voice: any sound if a caller may interrupt at once, otherwise only a likely voice. */
export function suspectedIn({ minSpeechMs }: { readonly minSpeechMs: number }): 'voice' | 'sound' {
  return minSpeechMs === 0 ? 'sound' : 'voice';
}

/** Reports early that a voice may have begun, and dismisses it if the speech detector does not confirm it. */
export class Suspicion {
  private likelyRun = 0;
  private untilMs: number | undefined;

  /** What changed with this window, in which no voice is confirmed. */
  hear({ probability, isDoubtful = false, endMs }: GuardedWindow): 'raised' | 'dismissed' | undefined {
    this.likelyRun = probability >= (isDoubtful ? doubtfulAbove : suspectAbove) ? this.likelyRun + 1 : 0;
    if (this.untilMs !== undefined && endMs >= this.untilMs) {
      this.reset();
      return 'dismissed';
    }
    return this.likelyRun >= (isDoubtful ? doubtfulWindows : 1) && this.raise(endMs) ? 'raised' : undefined;
  }

  /** Raises a suspicion for another reason. False if there was one already. */
  raise(atMs: number): boolean {
    if (this.untilMs !== undefined) return false;
    this.untilMs = atMs + suspicionMsMax;
    return true;
  }

  /** Ends the suspicion, confirmed or dismissed. */
  reset(): void {
    this.likelyRun = 0;
    this.untilMs = undefined;
  }
}

/** Detects within twenty milliseconds any sound that rises above the level before it. */
export class SoundRise {
  private readonly blockSamples: number;
  private sum = 0;
  private count = 0;
  private quiet = loudRootMin / rise;
  private loudRun = 0;

  constructor(sampleRate: number) {
    this.blockSamples = (sampleRate * blockMs) / 1000;
  }

  /** Whether sound rose within these samples. */
  push(samples: Int16Array): boolean {
    let hasRisen = false;
    for (const sample of samples) {
      this.sum += sample * sample;
      if (++this.count < this.blockSamples) continue;
      if (this.isRise(Math.sqrt(this.sum / this.count))) hasRisen = true;
      this.sum = 0;
      this.count = 0;
    }
    return hasRisen;
  }

  private isRise(root: number): boolean {
    const threshold = Math.max(loudRootMin, this.quiet * (this.loudRun > 0 ? fall : rise));
    this.loudRun = root > threshold ? this.loudRun + 1 : 0;
    this.quiet = root < this.quiet ? this.quiet + (root - this.quiet) * quietLearning : this.quiet * quietGrowth;
    return this.loudRun === loudBlocks;
  }
}

/** A voice 8 dB softer than the caller's usual one comes from somebody else in the room, or from a television. */
const farShare = 10 ** (-8 / 20);
/** The usual loudness is known after this many windows of the caller's voice, most of a second. */
const knownWindows = 24;
/** The gain control of browsers and telephones turns louder callers down to about this level (RMS), which must not look like distance. */
const usualRootMax = 5000;
const louder = 0.2;
const softer = 0.02;

/** A distant voice that comes near is the caller's, if it was distant for no longer than this, with gaps no longer than that. */
const nearingMs = 1500;
const nearingGapMs = 200;

/** A voice during the agent's speech is judged as a whole after a second: distant if this much softer than the caller's. */
const followedWindows = 30;
const wholeFarShare = 10 ** (-8.5 / 20);
/** A voice that ends earlier, after at least a third of a second, must be softer still. */
const briefWindowsMin = 10;
const briefFarShare = 10 ** (-11 / 20);
/** The caller's usual loudness is averaged over the last ten seconds of voice. */
const wholeWindowsMax = 300;
/** Among other voices the caller is the loudest. The loudest syllables of a turn are this much louder than its voice as a whole. */
const loudestShare = 10 ** (-3.5 / 20);

/** Nobody speaks a second of their own turn as much softer as this than the rest of it. */
const faintShare = 10 ** (-14 / 20);
/** A single syllable this loud is no part of a faint voice. */
const syllableShare = 10 ** (-8 / 20);
/** After this many windows of a voice that is ignored, a quarter of a minute, it is the caller's after all, who has moved away. */
const ignoredWindowsMax = 480;

/** Learns how loud the caller usually is, and so recognizes distant voices. */
export class VoiceDistance {
  private usualRoot = 0;
  private usualPower = 0;
  private windows = 0;
  private followed: { power: number; windows: number } | undefined;
  /** The loudest windows of the current turn, softest first, and the power of those of the last turn that had enough. */
  private loudest: number[] = [];
  private loudestPower = 0;
  /** The last second of a voice that was there before the agent spoke. */
  private lasting = { power: 0, windows: 0 };
  /** The last second of the caller's turn, if it may be another voice. */
  private faint = { power: 0, windows: 0, startMs: 0 };
  /** A voice far away ended the caller's turn, so another such one is not the caller's either. */
  isAmongOthers = false;
  private ignoredWindows = 0;
  /** The last distant voice. */
  private far = { startMs: Number.NEGATIVE_INFINITY, endMs: Number.NEGATIVE_INFINITY };

  /** A window of the caller's own voice. */
  note(measured: number): void {
    const root = Math.min(measured, usualRootMax);
    this.usualRoot += (root > this.usualRoot ? louder : softer) * (root - this.usualRoot);
    this.windows += 1;
    this.usualPower += (root ** 2 - this.usualPower) / Math.min(this.windows, wholeWindowsMax);
    this.noteLoudest(root);
  }

  private noteLoudest(root: number): void {
    const { loudest } = this;
    if (loudest.length === knownWindows && root <= (loudest[0] ?? 0)) return;
    if (loudest.length === knownWindows) loudest.shift();
    const at = loudest.findIndex((other) => other > root);
    loudest.splice(at < 0 ? loudest.length : at, 0, root);
  }

  /** A turn of the caller is over. */
  endTurn(): void {
    this.loudestPower = this.loudestOfTurn || this.loudestPower;
    this.loudest = [];
  }

  /** How loud the caller is, even if most of what was heard came from others. */
  private get callerRoot(): number {
    return Math.max(this.usualRoot, Math.sqrt(this.loudestPower) * loudestShare);
  }

  private get callerPower(): number {
    return Math.max(this.usualPower, this.loudestPower * loudestShare ** 2);
  }

  /** Adds a window of a voice that was there before the agent spoke. True once a second of it proves to be distant. */
  noteLasting(root: number): boolean {
    const { lasting } = this;
    lasting.power += root ** 2;
    if (++lasting.windows < followedWindows) return false;
    this.lasting = { power: 0, windows: 0 };
    return this.windows >= knownWindows && lasting.power / lasting.windows < this.callerPower * wholeFarShare ** 2;
  }

  /**
   * Adds a window of the caller's turn. Tells when another voice took over that is far away, as of a television in the pauses of a
   * caller who has finished, once that has lasted for a second.
   */
  noteOwn({ startMs }: VoiceWindow, root: number): number | undefined {
    const callerPower = Math.max(this.callerPower, this.loudestOfTurn * loudestShare ** 2);
    const isFaint = this.windows >= knownWindows && root ** 2 < callerPower * syllableShare ** 2;
    if (!isFaint) {
      this.faint.windows = 0;
      return void this.note(root);
    }
    if (this.faint.windows === 0) this.faint = { power: 0, windows: 0, startMs };
    this.faint.power += root ** 2;
    if (++this.faint.windows < followedWindows) return undefined;
    const { power, windows, startMs: sinceMs } = this.faint;
    this.faint.windows = 0;
    if (power / windows < callerPower * faintShare ** 2) {
      [this.isAmongOthers, this.ignoredWindows] = [true, 0];
      return sinceMs;
    }
    this.note(Math.sqrt(power / windows));
    return undefined;
  }

  /** How loud the loudest syllables of this turn are; 0 if there were too few. */
  private get loudestOfTurn(): number {
    const { loudest } = this;
    return loudest.length < knownWindows ? 0 : loudest.reduce((sum, root) => sum + root ** 2, 0) / knownWindows;
  }

  /** Whether a voice after such a one is as far away. One that goes on is the caller's in the end. */
  isIgnored(window: VoiceWindow, root: number): boolean {
    if (!this.isAmongOthers || !this.isFar(window, root)) return false;
    if (++this.ignoredWindows < ignoredWindowsMax) return true;
    this.ignoredWindows = 0;
    [this.windows, this.usualRoot, this.usualPower, this.loudest, this.loudestPower] = [0, 0, 0, [], 0];
    return false;
  }

  /** A voice begins while the agent speaks. Single syllables of a television are as loud as a caller, so the voice is judged again as a whole. */
  follow(): void {
    if (this.windows >= knownWindows) this.followed = { power: 0, windows: 0 };
  }

  get isFollowing(): boolean {
    return this.followed !== undefined;
  }

  /** Adds a window of the followed voice. True once it proves to be distant. */
  noteFollowed(root: number): boolean {
    const { followed } = this;
    if (!followed) return false;
    followed.power += root ** 2;
    followed.windows += 1;
    if (followed.windows < followedWindows) return false;
    const isDistant = this.conclude();
    this.isAmongOthers &&= isDistant;
    return isDistant;
  }

  /** Stops following, and tells whether the voice is distant, judged by what was heard of it. */
  conclude(): boolean {
    const { followed } = this;
    this.followed = undefined;
    if (!followed || followed.windows < briefWindowsMin) return false;
    const share = followed.windows < followedWindows ? briefFarShare : wholeFarShare;
    return followed.power / followed.windows < this.callerPower * share ** 2;
  }

  isFar({ startMs, endMs }: VoiceWindow, root: number): boolean {
    if (this.windows < knownWindows || root >= this.callerRoot * farShare) return false;
    this.far = { startMs: startMs - this.far.endMs > nearingGapMs ? startMs : this.far.startMs, endMs };
    return true;
  }

  /** When a voice that is near from this moment on really began, including its distant part. */
  beganMs(nearMs: number): number {
    const { startMs, endMs } = this.far;
    return nearMs - endMs > nearingGapMs ? nearMs : Math.min(nearMs, Math.max(startMs, nearMs - nearingMs));
  }
}
