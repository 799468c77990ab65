import type { SampleTrail } from './echo-guard';
import type { VoiceWindow } from '@parley/ports';

export interface SpeechDetectorOptions {
  /** A window above this may begin a voice. */
  readonly startAbove?: number;
  /** A window below this may end a voice; values in between continue the current state. */
  readonly stopBelow?: number;
  readonly speechMinMs?: number;
  readonly silenceMinMs?: number;
}

/** A window, and whether its sound may be the agent's own voice coming back. */
export interface GuardedWindow extends VoiceWindow {
  readonly isDoubtful?: boolean;
  /** Since when there has been no sound; judges notice the end of a voice up to a tenth of a second later. */
  readonly quietFromMs?: number;
}

export type SpeechEdge = { readonly kind: 'speech-started' | 'speech-stopped'; readonly atMs: number };

const startAboveInDoubt = 0.8;
const speechMinMsInDoubt = 120;

/** Makes voices with a beginning and an end out of windows that waver. */
export class SpeechDetector {
  private readonly options: Required<SpeechDetectorOptions>;
  private isSpeech = false;
  /** Where the run of windows that may change the state began, and its content so far. */
  private runStartMs: number | undefined;

  constructor(options: SpeechDetectorOptions = {}) {
    this.options = { startAbove: 0.5, stopBelow: 0.35, speechMinMs: 50, silenceMinMs: 150, ...options };
  }

  /** What became certain with this window. Times are those at which it happened, which is a little earlier. */
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
    // In noise there is no quiet, and the windows tell where the voice ended.
    return this.turn('speech-stopped', quietFromMs < endMs ? quietFromMs : this.runStartMs);
  }

  /** The voice at hand does not count: the next one begins anew. */
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
/** The noise of a line is what its softest moment holds. */
const endBlockMs = 5;

/** A voice is over where it falls this far below its loudest moment (30 dB), or into the noise of the line. */
const overShare = 0.03;
const overPeakMin = 18;
const overNoise = 2.5;

/** A stretch of sound that begins in a voice and ends in it or in the silence after it, and the loudest sample of that voice. */
interface VoiceEnd {
  readonly from: number;
  readonly to: number;
  readonly loudest: number;
}

/**
 * Where the last sound of a voice ends. By samples, as one sees it in a waveform: words end in a hum, which is louder by its mean than it
 * looks beside a vowel. Noise is told by its mean, since single samples stand out of it.
 */
export function lastSoundIn(trail: SampleTrail, { from, to, loudest }: VoiceEnd, sampleRate: number): number {
  const samples = trail.samples(from, to).map(Math.abs);
  const blockSamples = (sampleRate * endBlockMs) / 1000;
  const blocks = Math.floor(samples.length / blockSamples);
  const roots = Array.from({ length: blocks }, (_, index) =>
    trail.rootBetween(from + index * blockSamples, from + (index + 1) * blockSamples),
  );
  const faintest = Math.max(overPeakMin, samples.reduce((most, sample) => Math.max(most, sample), loudest) * overShare);
  const noise = Math.min(...roots) * overNoise;
  return (
    from + samples.findLastIndex((sample, at) => sample > faintest && (roots[Math.floor(at / blockSamples)] ?? 0) > noise) + 1
  );
}

/** A click is over within one block. */
const loudBlocks = 2;

const loudRootMin = 45;

const rise = 2.2;

/** A rise lasts until the level falls to this again, or a wavering noise would rise repeatedly. */
const fall = 1.6;

/** How fast the quiet level is assumed to rise: by a factor of two in a second and a half. */
const quietGrowth = 1.005;

const quietLearning = 0.3;

/** A window above this may be the first of a voice. */
const suspectAbove = 0.3;
/** What may be an echo has to look like a voice for longer. */
const doubtfulAbove = 0.8;
const doubtfulWindows = 3;
/** A word may begin with more than a quarter of a second of hissing, in which the model detects no voice. */
const patienceMs = 320;

/** What to detect on a line: if any voice interrupts at once, any sound is enough to fall silent for a moment. */
export function suspectedIn({ minSpeechMs }: { readonly minSpeechMs: number }): 'voice' | 'sound' {
  return minSpeechMs === 0 ? 'sound' : 'voice';
}

/** Reports early that a voice may have begun, and when it was dismissed. Certainty is the speech detector's business. */
export class Suspicion {
  private likelyRun = 0;
  private untilMs: number | undefined;

  /** What changed with this window of no speech. */
  hear({ probability, isDoubtful = false, endMs }: GuardedWindow): 'raised' | 'dismissed' | undefined {
    this.likelyRun = probability >= (isDoubtful ? doubtfulAbove : suspectAbove) ? this.likelyRun + 1 : 0;
    if (this.untilMs !== undefined && endMs >= this.untilMs) {
      this.settle();
      return 'dismissed';
    }
    return this.likelyRun >= (isDoubtful ? doubtfulWindows : 1) && this.raise(endMs) ? 'raised' : undefined;
  }

  /** Suspects for another reason. False when it did already. */
  raise(atMs: number): boolean {
    if (this.untilMs !== undefined) return false;
    this.untilMs = atMs + patienceMs;
    return true;
  }

  /** It is certain now; the next suspicion is a new one. */
  settle(): void {
    this.likelyRun = 0;
    this.untilMs = undefined;
  }
}

/** Detects any sound that rises above the quiet before it, within twenty milliseconds. */
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

/** A voice so much softer than the caller's usual one comes from somebody else in the room, or from a television. */
const farShare = 10 ** (-8 / 20);
/** The usual loudness is known after so many windows of the caller's voice: most of a second. */
const knownWindows = 24;
/** Gain control of browsers and telephones turns a louder caller down to about this (RMS), which is no step away from the microphone. */
const usualRootMax = 5000;
const louder = 0.2;
const softer = 0.02;

/** A voice from afar that came near is the caller's own; it may have been far for so long, with such gaps. */
const nearingMs = 1500;
const nearingGapMs = 200;

/** So many windows of a voice beside the agent's, a second, decide whether it is far as a whole: so much softer than the caller's voice. */
const followedWindows = 30;
const wholeFarShare = 10 ** (-8.5 / 20);
/** Fewer say less: a voice that ends before, after at least a third of it, has to be softer still. */
const briefWindowsMin = 10;
const briefFarShare = 10 ** (-11 / 20);
/** What is usual of the caller is learned from the last ten seconds of voice. */
const wholeWindowsMax = 300;

/** Knows how loud the caller usually is, and so which voices are far away. */
export class VoiceDistance {
  private usualRoot = 0;
  private usualPower = 0;
  private windows = 0;
  private followed: { power: number; windows: number } | undefined;
  /** The voice that was far away last. */
  private far = { startMs: Number.NEGATIVE_INFINITY, endMs: Number.NEGATIVE_INFINITY };

  /** A window of the caller's own voice. */
  note(measured: number): void {
    const root = Math.min(measured, usualRootMax);
    this.usualRoot += (root > this.usualRoot ? louder : softer) * (root - this.usualRoot);
    this.windows += 1;
    this.usualPower += (root ** 2 - this.usualPower) / Math.min(this.windows, wholeWindowsMax);
  }

  /** A voice begins beside the agent's. Single syllables of a television are as loud as a caller, so it is judged again as a whole. */
  follow(): void {
    if (this.windows >= knownWindows) this.followed = { power: 0, windows: 0 };
  }

  get isFollowing(): boolean {
    return this.followed !== undefined;
  }

  /** A window of the voice that is followed. True once it is known to be far away. */
  noteFollowed(root: number): boolean {
    const { followed } = this;
    if (!followed) return false;
    followed.power += root ** 2;
    followed.windows += 1;
    return followed.windows >= followedWindows && this.conclude();
  }

  /** Whether the voice that was followed is far away, as far as it was heard. It is followed no more. */
  conclude(): boolean {
    const { followed } = this;
    this.followed = undefined;
    if (!followed || followed.windows < briefWindowsMin) return false;
    const share = followed.windows < followedWindows ? briefFarShare : wholeFarShare;
    return followed.power / followed.windows < this.usualPower * share ** 2;
  }

  isFar({ startMs, endMs }: VoiceWindow, root: number): boolean {
    if (this.windows < knownWindows || root >= this.usualRoot * farShare) return false;
    this.far = { startMs: startMs - this.far.endMs > nearingGapMs ? startMs : this.far.startMs, endMs };
    return true;
  }

  /** Where the voice really began that is near from this moment on. */
  beganMs(nearMs: number): number {
    const { startMs, endMs } = this.far;
    return nearMs - endMs > nearingGapMs ? nearMs : Math.min(nearMs, Math.max(startMs, nearMs - nearingMs));
  }
}
