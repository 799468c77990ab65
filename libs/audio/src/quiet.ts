import { muLaw } from './g711';
import { samplesFromBytes } from './samples';

const blocks = 4;

/** What stands out so much of the quiet may be the beginning of a voice. */
const risen = 1.4;

/** Below this nothing is a voice, however quiet it was before. */
const soundRootMin = 6;

/** Louder quiet than this is not trusted to hide nothing: in a noisy place every window is judged. */
const quietRootMax = 150;

const silentBelow = 0.15;

/** Quiet for so long, and the model need not be asked about more of the same: long after a voice was found to end. */
const settledMsUsual = 192;

const learning = 0.2;

/** How the quiet is taken to become louder in a second. */
const growthInSecond = 1.36;

/** Tells which windows are more of the same quiet, so that no model need look for a voice in them. */
export class QuietGate {
  private readonly settledWindows: number;
  private readonly growth: number;
  private quietRoot = quietRootMax;
  private settledRun = 0;

  constructor(windowMs: number, settledMs = settledMsUsual) {
    this.settledWindows = Math.round(settledMs / windowMs);
    this.growth = growthInSecond ** (windowMs / 1000);
  }

  /** Whether this window must be judged; `known` is the last judgement of the stream. */
  mustJudge(window: Int16Array, known: number): boolean {
    const root = loudestRoot(window);
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

/** Whatever waits for the end of a turn has seen its quiet by then. */
const heldAfterMs = 1000;
const heldMs = 60;

/**
 * Gathers lasting quiet on its way to whoever listens: a message every 60 ms instead of each 20. The first frame that stands out, and
 * might be the beginning of a voice, takes the quiet before it along at once, so nothing is heard later than without.
 */
export class QuietSound {
  private gate: QuietGate | undefined;
  private frameMs = 0;
  private held: Uint8Array[] = [];

  constructor(private readonly format: { readonly encoding: 'pcm16' | 'mulaw'; readonly sampleRate: number }) {}

  /** What is to be sent now; nothing while more quiet may come. */
  push(frame: Uint8Array): Uint8Array | undefined {
    const isQuiet = this.isQuiet(frame);
    if (isQuiet && (this.held.length + 1) * this.frameMs < heldMs) {
      this.held.push(frame);
      return undefined;
    }
    if (this.held.length === 0) return frame;
    const whole = Buffer.concat([...this.held, frame]);
    this.held = [];
    return whole;
  }

  private isQuiet(frame: Uint8Array): boolean {
    const samples = this.format.encoding === 'mulaw' ? muLaw.decode(frame) : samplesFromBytes(frame);
    const ms = (samples.length * 1000) / this.format.sampleRate;
    if (ms !== this.frameMs) this.gate = undefined;
    this.frameMs = ms;
    if (ms === 0 || ms >= heldMs) return false;
    this.gate ??= new QuietGate(ms, heldAfterMs);
    return !this.gate.mustJudge(samples, 0);
  }
}
