import { LoudnessVoice, type VoiceRequest, type VoiceStream, WindowCutter } from '@parley/ports';

/** Windows that a stream may have waiting for the model; the oldest above that are judged by loudness. */
const waitingMax = 32;
/** Windows that a stream may have waiting at all: a minute of sound pushed at once. The oldest above that are passed over. */
const queuedMax = 2048;

interface Waiting {
  readonly startMs: number;
  readonly byLoudness: number;
  samples: Int16Array | undefined;
}

/** One caller's windows on their way to the model and back. Whatever happens to the model, they are told of in order. */
export class WindowQueue implements VoiceStream {
  private readonly cutter: WindowCutter;
  private readonly loudness = new LoudnessVoice();
  private readonly waiting: Waiting[] = [];
  private asked: Waiting[] = [];
  private isClosed = false;

  constructor(
    readonly id: number,
    readonly sampleRate: number,
    private readonly options: { readonly windowMs: number; tell: VoiceRequest['listener']; onWindow(): void; onClose(): void },
  ) {
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
    return this.waiting.length > 0;
  }

  /** The windows that shall be asked about now. Those without samples are answered by what is known. */
  take(): readonly Int16Array[] {
    this.asked = this.waiting.splice(0);
    return this.asked.flatMap(({ samples }) => samples ?? []);
  }

  /** The model's answers to what was taken, or nothing when it gave none. */
  settle(probabilities: Float32Array | undefined): void {
    const asked = this.asked;
    this.asked = [];
    let at = 0;
    for (const { startMs, samples, byLoudness } of asked) {
      if (this.isClosed) return;
      const judged = samples ? probabilities?.[at++] : undefined;
      this.options.tell({ startMs, endMs: startMs + this.options.windowMs, probability: judged ?? byLoudness });
    }
  }

  private add(samples: Int16Array, startMs: number): void {
    this.waiting.push({ startMs, samples, byLoudness: this.loudness.judge(samples, this.sampleRate) });
    if (this.waiting.length > queuedMax) this.waiting.shift();
    // Only the newest carry samples, so the one that is first too many is known by its place.
    const tooOld = this.waiting.at(-waitingMax - 1);
    if (tooOld) tooOld.samples = undefined;
    this.options.onWindow();
  }
}
