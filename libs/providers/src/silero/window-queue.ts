import { QuietGate } from '@parley/audio';
import { LoudnessVoice, type VoiceRequest, type VoiceStream, WindowCutter } from '@parley/ports';

/** Windows that a stream may have waiting for the model; the oldest above that are judged by loudness. */
const waitingMax = 32;
/** Windows that a stream may have waiting: a minute of sound pushed at once. The oldest beyond that are skipped. */
const queuedMax = 2048;
/** Of the quiet that was passed over, so many windows are shown to the model before the first that it judges again. */
const leadInWindows = 6;
/** A voice that has lasted this long may be judged several windows at a time: after its first quiet one, four more end it. */
const steadyWindows = 4;
const windowsAtATime = 3;
const voiceAbove = 0.5;

interface QueuedWindow {
  readonly startMs: number;
  readonly byLoudness: number;
  samples: Int16Array | undefined;
  leadIn: readonly Int16Array[];
}

interface WindowQueueOptions {
  readonly windowMs: number;
  tell: VoiceRequest['listener'];
  onWindow(): void;
  onClose(): void;
  /** Whether runs of the model are shared with so many others that a single window costs little. */
  isShared(): boolean;
}

/** One caller's windows on their way to the model and back. They are reported in order, whatever happens to the model. */
export class WindowQueue implements VoiceStream {
  private readonly cutter: WindowCutter;
  private readonly loudness = new LoudnessVoice();
  private readonly waiting: QueuedWindow[] = [];
  private asked: QueuedWindow[] = [];
  private readonly gate: QuietGate;
  private readonly passedOver: Int16Array[] = [];
  private known = 0;
  private voiceRun = 0;
  private isClosed = false;

  constructor(
    readonly id: number,
    readonly sampleRate: number,
    private readonly options: WindowQueueOptions,
  ) {
    this.gate = new QuietGate(options.windowMs);
    this.cutter = new WindowCutter((sampleRate * options.windowMs) / 1000, sampleRate);
  }

  push(samples: Int16Array): void {
    if (this.isClosed) return;
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

  /** The windows to ask about now. Those without samples are answered from what is known. */
  take(): readonly Int16Array[] {
    this.asked = this.waiting.splice(0);
    return this.asked.flatMap(({ samples, leadIn }) => (samples ? [...leadIn, samples] : []));
  }

  /** The model's answers to what was taken, or undefined when it failed. */
  settle(probabilities: Float32Array | undefined): void {
    const asked = this.asked;
    this.asked = [];
    let at = 0;
    for (const { startMs, samples, leadIn, byLoudness } of asked) {
      if (this.isClosed) return;
      at += samples ? leadIn.length : 0;
      const judged = samples ? probabilities?.[at++] : undefined;
      this.tell(startMs, judged ?? byLoudness);
    }
  }

  private tell(startMs: number, probability: number): void {
    this.known = probability;
    this.voiceRun = probability >= voiceAbove ? this.voiceRun + 1 : 0;
    this.options.tell({ startMs, endMs: startMs + this.options.windowMs, probability });
  }

  private add(samples: Int16Array, startMs: number): void {
    const byLoudness = this.loudness.judge(samples, this.sampleRate);
    if (this.gate.mustJudge(samples, this.known)) this.queue({ startMs, samples, byLoudness, leadIn: this.passedOver.splice(0) });
    else this.passOver(samples, startMs);
  }

  /** No window is reported before those ahead of it. */
  private passOver(samples: Int16Array, startMs: number): void {
    if (this.passedOver.push(samples) > leadInWindows) this.passedOver.shift();
    if (this.waiting.length + this.asked.length > 0) this.queue({ startMs, samples: undefined, byLoudness: 0, leadIn: [] });
    else this.tell(startMs, 0);
  }

  private queue(window: QueuedWindow): void {
    this.waiting.push(window);
    if (this.waiting.length > queuedMax) this.waiting.shift();
    // Only the newest keep samples, so the first one beyond the limit is known by its position.
    const tooOld = this.waiting.at(-waitingMax - 1);
    if (tooOld) tooOld.samples = undefined;
    if (this.isWaiting) this.options.onWindow();
  }
}
