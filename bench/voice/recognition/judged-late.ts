import type { VoiceActivity, VoiceRequest, VoiceStream, VoiceWindow } from '@parley/ports';
import type { VirtualClock } from '@parley/voice-session';

/**
 * How long a window takes from its last sample to its judgement at 25 concurrent calls: gathering, the run, and waking two
 * threads.
 */
const judgedAfterMs = 15;

/** The real engine on a virtual clock. The machine's load has no effect, because each window is reported after a fixed delay. */
export class JudgedLate implements VoiceActivity {
  /** Resolves when the engine listens. */
  readonly opened: Promise<void>;
  private announce: () => void = () => undefined;
  private expected = 0;
  private judged = 0;
  private noticed: () => void = () => undefined;

  constructor(
    private readonly engine: VoiceActivity,
    private readonly clock: VirtualClock,
  ) {
    this.opened = new Promise((resolve) => (this.announce = resolve));
  }

  get capabilities(): VoiceActivity['capabilities'] {
    return this.engine.capabilities;
  }

  async open({ sampleRate, listener }: VoiceRequest): Promise<VoiceStream> {
    let pushed = 0;
    const windowSamples = (sampleRate * this.capabilities.windowMs) / 1000;
    const stream = await this.engine.open({ sampleRate, listener: (window) => this.tell(window, listener) });
    this.announce();
    return {
      push: (samples) => {
        pushed += samples.length;
        this.expected = Math.floor(pushed / windowSamples);
        stream.push(samples);
      },
      close: () => stream.close(),
    };
  }

  /** Resolves once everything that was pushed has been judged. */
  async caughtUp(): Promise<void> {
    while (this.judged < this.expected) await new Promise<void>((resolve) => (this.noticed = resolve));
  }

  async close(): Promise<void> {
    await this.engine.close();
  }

  private tell(window: VoiceWindow, listener: VoiceRequest['listener']): void {
    this.judged += 1;
    this.clock.wakeAt(this.clock.now() + judgedAfterMs, () => listener(window));
    this.noticed();
  }
}
