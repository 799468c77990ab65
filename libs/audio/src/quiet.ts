const blocks = 4;

/** A level this far above the quiet level may be the start of a voice. */
const risen = 1.4;

/** Below this nothing is a voice, however quiet it was before. */
const soundRootMin = 6;

/** Above this quiet level a voice may go unnoticed, so in a noisy place every window is judged. */
const quietRootMax = 150;

const silentBelow = 0.15;

/** The model is skipped after this much quiet, which is longer than the end of a voice takes to detect. */
const settledMs = 192;

const learning = 0.2;

/** How fast the quiet level may rise, per second. */
const growthInSecond = 1.36;

/** Recognizes windows that continue a quiet, so that the model need not judge them. */
export class QuietGate {
  private readonly settledWindows: number;
  private readonly growth: number;
  private quietRoot = quietRootMax;
  private settledRun = 0;
  private root = 0;

  constructor(windowMs: number) {
    this.settledWindows = Math.round(settledMs / windowMs);
    this.growth = growthInSecond ** (windowMs / 1000);
  }

  /** The loudness of the loudest part of the last window. */
  get loudness(): number {
    return this.root;
  }

  /** Whether this window must be judged; `known` is the stream's last probability. */
  mustJudge(window: Int16Array, known: number): boolean {
    const root = loudestRoot(window);
    this.root = root;
    const isQuiet = root < Math.max(soundRootMin, this.quietRoot * risen);
    this.quietRoot =
      root < this.quietRoot ? this.quietRoot + (root - this.quietRoot) * learning : Math.max(1, this.quietRoot * this.growth);
    this.settledRun = isQuiet && root < quietRootMax && known < silentBelow ? this.settledRun + 1 : 0;
    return this.settledRun <= this.settledWindows;
  }
}

/** The root mean square of the loudest part, since a voice may begin at the end of a window. */
function loudestRoot(window: Int16Array): number {
  const length = Math.floor(window.length / blocks);
  let loudest = 0;
  for (let block = 0; block < blocks; block++) {
    let sum = 0;
    for (let i = block * length; i < (block + 1) * length; i++) sum += (window[i] ?? 0) ** 2;
    loudest = Math.max(loudest, sum / length);
  }
  return Math.sqrt(loudest);
}

/** A voice 36 dB above the quiet level has too little noise to disturb a recognizer. */
const clearRatio = 64;

/** Below this ratio a line counts as noisy at once, even in the middle of a voice. */
const noisyRatio = clearRatio / 2;

/** Sound this far above the quiet is a voice. Its loudness is learned quickly if it rises, within seconds if it falls. */
const voiceRatio = 8;
const louder = 0.3;
const softer = 0.01;

/**
 * The quiet level is the softest window of the last two to four seconds, so that new noise is noticed. People speak for longer than a
 * second without a gap of one window, which must not pass for noise.
 */
const softestMs = 2000;
const softestRoot = 1;

/** Decides whether the voices on a line are so far above its quiet level that noise suppression is unnecessary. */
export class VoiceClarity {
  private readonly span: number;
  private voice = 0;
  private softest = Number.POSITIVE_INFINITY;
  private softestBefore = Number.POSITIVE_INFINITY;
  private windows = 0;
  private isKnownClear = false;

  constructor(windowMs: number) {
    this.span = softestMs / windowMs;
  }

  /** Whether the line is clear. It may become noisy at any time, but clear only at the beginning of a voice. */
  isClear(loudness: number, { begins }: { begins: boolean }): boolean {
    const quiet = this.quietWith(loudness);
    const ratio = this.voice / quiet;
    this.isKnownClear = begins ? ratio >= clearRatio : this.isKnownClear && ratio >= noisyRatio;
    if (loudness > quiet * voiceRatio) this.voice += (loudness > this.voice ? louder : softer) * (loudness - this.voice);
    return this.isKnownClear;
  }

  private quietWith(loudness: number): number {
    this.softest = Math.min(this.softest, loudness);
    const quiet = Math.max(softestRoot, Math.min(this.softest, this.softestBefore));
    this.windows = (this.windows + 1) % this.span;
    if (this.windows > 0) return quiet;
    this.softestBefore = this.softest;
    this.softest = Number.POSITIVE_INFINITY;
    return quiet;
  }
}

/** Samples up to this count as silence: about -54 dB of full scale. */
const quietest = 64;

/** Trims the silence at both ends of a streamed sound to at most `keptMs`. */
export class SilenceTrimmer {
  private readonly kept: number;
  /** Silence that may turn out to be the end of the sound. */
  private held: Int16Array[] = [];
  private heldSamples = 0;
  private hasBegun = false;
  /** Samples trimmed from the beginning so far. */
  private trimmed = 0;

  constructor(
    private readonly sampleRate: number,
    keptMs: number,
  ) {
    this.kept = Math.round((sampleRate * keptMs) / 1000);
  }

  /** How much was trimmed from the beginning. */
  get trimmedMs(): number {
    return (this.trimmed * 1000) / this.sampleRate;
  }

  /** The samples that are certain to belong to the sound. */
  push(samples: Int16Array): Int16Array[] {
    const last = samples.findLastIndex(isLoud);
    if (last < 0) return this.hold(samples);
    const first = this.hasBegun ? 0 : samples.findIndex(isLoud);
    const before = this.hasBegun ? this.held : this.head(samples.subarray(0, first));
    this.hasBegun = true;
    this.held = [];
    this.heldSamples = 0;
    const sound = [...before, samples.subarray(first, last + 1)];
    return last + 1 < samples.length ? [...sound, ...this.hold(samples.subarray(last + 1))] : sound;
  }

  /** The silence that is kept at the end of the sound. */
  flush(): Int16Array[] {
    let room = this.hasBegun ? this.kept : 0;
    const left = this.held.flatMap((block) => {
      const part = block.subarray(0, room);
      room -= part.length;
      return part.length > 0 ? [part] : [];
    });
    this.held = [];
    this.heldSamples = 0;
    return left;
  }

  /** Holds silence back until it is known whether more sound follows. */
  private hold(silence: Int16Array): Int16Array[] {
    this.held.push(silence);
    this.heldSamples += silence.length;
    if (!this.hasBegun) this.forget();
    return [];
  }

  /** Before the sound begins, only the last part of the silence can be needed. */
  private forget(): void {
    while (this.held.length > 1 && this.heldSamples - (this.held[0]?.length ?? 0) >= this.kept) this.drop();
  }

  private drop(): void {
    const length = this.held.shift()?.length ?? 0;
    this.heldSamples -= length;
    this.trimmed += length;
  }

  private head(silence: Int16Array): Int16Array[] {
    const all = [...this.held, silence];
    let excess = this.heldSamples + silence.length - this.kept;
    this.trimmed += Math.max(0, excess);
    return all.flatMap((block) => {
      const cut = Math.min(block.length, Math.max(0, excess));
      excess -= cut;
      return cut < block.length ? [block.subarray(cut)] : [];
    });
  }
}

/** How many samples of silence precede the first audible one: all of them if none is. */
export function silenceBefore(samples: Int16Array): number {
  const first = samples.findIndex(isLoud);
  return first < 0 ? samples.length : first;
}

function isLoud(sample: number): boolean {
  return sample > quietest || sample < -quietest;
}
