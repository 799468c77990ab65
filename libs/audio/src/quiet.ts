const blocks = 4;

/** A level this far above the quiet may be the start of a voice. */
const risen = 1.4;

/** Below this nothing is a voice, however quiet it was before. */
const soundRootMin = 6;

/** Louder quiet than this is not trusted to hide nothing: in a noisy place every window is judged. */
const quietRootMax = 150;

const silentBelow = 0.15;

/** After this much quiet, longer than the end of any voice takes to detect, the model need not be asked. */
const settledMs = 192;

const learning = 0.2;

/** How fast the quiet level is assumed to rise per second. */
const growthInSecond = 1.36;

/** Tells which windows are more of the same quiet, so that the model need not examine them. */
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

  /** Of the window seen last, at its loudest part. */
  get loudness(): number {
    return this.root;
  }

  /** Whether this window must be judged; `known` is the last judgement of the stream. */
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

/** Of the loudest part, since a voice may begin at the end of a window. */
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

/** A voice so far above the quiet of its line (36 dB) has no noise in it that a recognizer would stumble over. */
const clearRatio = 64;

/** Where the line has become noisier than that by half, it counts as noisy amid a voice, too. */
const noisyRatio = clearRatio / 2;

/** What stands out of the quiet by this is a voice, whose loudness is learned: upwards soon, downwards within seconds. */
const voiceRatio = 8;
const louder = 0.3;
const softer = 0.01;

/** The quiet is the softest moment of the last so long and of as long before, so that noise that arises is noticed. */
const softestMs = 1000;
const softestRoot = 1;

/** Knows whether the voices of a line stand so far above its quiet that there is no noise to take out. */
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

  /** Whether the line was clear up to this window. It becomes noisy at any time, and clear only where a voice begins. */
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

/** What sound has to be louder than not to count as silence: about -54 dB of full scale. */
const quietest = 64;

/** Takes the silence from both ends of a sound that comes block by block, all but this much. */
export class SilenceTrimmer {
  private readonly kept: number;
  /** Silence that ends the sound if nothing follows. */
  private held: Int16Array[] = [];
  private heldSamples = 0;
  private hasBegun = false;
  /** Samples taken from the head so far. */
  private trimmed = 0;

  constructor(
    private readonly sampleRate: number,
    keptMs: number,
  ) {
    this.kept = Math.round((sampleRate * keptMs) / 1000);
  }

  /** How much of the head was taken. */
  get trimmedMs(): number {
    return (this.trimmed * 1000) / this.sampleRate;
  }

  /** The samples that certainly belong to the sound. */
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

  /** The end of the sound: so much of the silence behind it. */
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

  /** Whether a pause ends the sound is known once more of it comes, or none. */
  private hold(silence: Int16Array): Int16Array[] {
    this.held.push(silence);
    this.heldSamples += silence.length;
    if (!this.hasBegun) this.forget();
    return [];
  }

  /** Only the last of the silence before a sound can stay. */
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

/** How many samples of silence a sound begins with: all of them if nothing is audible. */
export function silenceBefore(samples: Int16Array): number {
  const first = samples.findIndex(isLoud);
  return first < 0 ? samples.length : first;
}

function isLoud(sample: number): boolean {
  return sample > quietest || sample < -quietest;
}
