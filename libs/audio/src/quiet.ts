const blocks = 4;

/** What stands out so much of the quiet may be the beginning of a voice. */
const risen = 1.4;

/** Below this nothing is a voice, however quiet it was before. */
const soundRootMin = 6;

/** Louder quiet than this is not trusted to hide nothing: in a noisy place every window is judged. */
const quietRootMax = 150;

const silentBelow = 0.15;

/** Quiet for so long, and the model need not be asked about more of the same: long after a voice was found to end. */
const settledMs = 192;

const learning = 0.2;

/** How the quiet is taken to become louder in a second. */
const growthInSecond = 1.36;

/** Tells which windows are more of the same quiet, so that no model need look for a voice in them. */
export class QuietGate {
  private readonly settledWindows: number;
  private readonly growth: number;
  private quietRoot = quietRootMax;
  private settledRun = 0;

  constructor(windowMs: number) {
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
