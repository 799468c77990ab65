import { QuietGate } from '@parley/audio';
import { LoudnessVoice, type VoiceRequest, type VoiceStream, WindowCutter } from '@parley/ports';

/** How many windows of a stream may wait for the model; beyond that the oldest are judged by loudness. */
const waitingMax = 32;
/** How many windows of a stream may be queued in all, for instance a minute of sound pushed at once; beyond that the oldest are skipped. */
const queuedMax = 2048;
/** How many skipped quiet windows the model sees before the first one that it judges again. */
const leadInWindows = 6;
/** A voice that has lasted this long may be judged four windows at a time, since four more after the first quiet one end it. */
const steadyWindows = 4;
const windowsAtATime = 3;
const voiceAbove = 0.5;
/** How many judged windows are kept for their memory: as many as a voice after quiet needs at once. */
const spareMax = 8;

interface QueuedWindow {
  readonly startMs: number;
  readonly byLoudness: number;
  samples: Int16Array | undefined;
  leadIn: readonly Int16Array[];
}

interface WindowQueueOptions {
  readonly windowMs: number;
  listener: VoiceRequest['listener'];
  onWindow(mayWait: boolean): void;
  onClose(): void;
  /** Whether so many streams share each run of the model that a single window costs little. */
  isShared(): boolean;
}

/** The windows of one stream that wait for the model. They are reported in order, even if the model fails. */
export class WindowQueue implements VoiceStream {
  private readonly cutter: WindowCutter;
  private readonly loudness = new LoudnessVoice();
  private readonly waiting: QueuedWindow[] = [];
  private asked: QueuedWindow[] = [];
  private readonly gate: QuietGate;
  private readonly passedOver: Int16Array[] = [];
  /** Memory that windows no longer need. */
  private readonly spare: Int16Array[] = [];
  private known = 0;
  private voiceRun = 0;
  private isClosed = false;
  /** Whether nothing is lost if its windows wait a little for those of other streams. */
  mayWait = false;

  constructor(
    readonly id: number,
    readonly sampleRate: number,
    private readonly options: WindowQueueOptions,
  ) {
    this.gate = new QuietGate(options.windowMs);
    this.cutter = new WindowCutter((sampleRate * options.windowMs) / 1000, sampleRate);
  }

  push(samples: Int16Array, mayWait = false): void {
    if (this.isClosed) return;
    this.mayWait = mayWait;
    this.cutter.push(samples, (window, startMs) => this.add(window, startMs));
  }

  close(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.waiting.length = 0;
    this.asked = [];
    this.options.onClose();
  }

  get isWaiting(): boolean {
    const isSteady = this.voiceRun >= steadyWindows && !this.options.isShared();
    return this.waiting.length >= (isSteady ? windowsAtATime : 1);
  }

  /** The windows to be judged now; those without samples need no run of the model. */
  take(): readonly Int16Array[] {
    this.asked = this.waiting.splice(0);
    return this.asked.flatMap(({ samples, leadIn }) => (samples ? [...leadIn, samples] : []));
  }

  /** Receives the model's probabilities for the windows taken; undefined if it failed. */
  settle(probabilities: Float32Array | undefined): void {
    const taken = this.asked;
    this.asked = [];
    let at = 0;
    for (const { startMs, samples, leadIn, byLoudness } of taken) {
      if (this.isClosed) return;
      at += samples ? leadIn.length : 0;
      const judged = samples ? probabilities?.[at++] : undefined;
      for (const window of leadIn) this.release(window);
      this.release(samples);
      this.report(startMs, judged ?? byLoudness);
    }
  }

  private report(startMs: number, probability: number): void {
    this.known = probability;
    this.voiceRun = probability >= voiceAbove ? this.voiceRun + 1 : 0;
    this.options.listener({ startMs, endMs: startMs + this.options.windowMs, probability });
  }

  private add(window: Int16Array, startMs: number): void {
    const byLoudness = this.loudness.judge(window, this.sampleRate);
    const samples = this.copyOf(window);
    if (this.gate.mustJudge(samples, this.known)) this.queue({ startMs, samples, byLoudness, leadIn: this.passedOver.splice(0) });
    else this.passOver(samples, startMs);
  }

  /** Skips a window, which is still reported only after those before it. */
  private passOver(samples: Int16Array, startMs: number): void {
    if (this.passedOver.push(samples) > leadInWindows) this.release(this.passedOver.shift());
    if (this.waiting.length + this.asked.length > 0) this.queue({ startMs, samples: undefined, byLoudness: 0, leadIn: [] });
    else this.report(startMs, 0);
  }

  private copyOf(window: Int16Array): Int16Array {
    const samples = this.spare.pop() ?? new Int16Array(window.length);
    samples.set(window);
    return samples;
  }

  private release(window: Int16Array | undefined): void {
    if (window && this.spare.length < spareMax) this.spare.push(window);
  }

  private queue(window: QueuedWindow): void {
    this.waiting.push(window);
    if (this.waiting.length > queuedMax) this.waiting.shift();
    // Only the newest keep their samples, so the first one beyond the limit is found by its position.
    const tooOld = this.waiting.at(-waitingMax - 1);
    if (tooOld) tooOld.samples = undefined;
    if (this.isWaiting) this.options.onWindow(this.mayWait);
  }
}
