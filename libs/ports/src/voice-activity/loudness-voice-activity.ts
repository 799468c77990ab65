import { LoudnessVoice } from './loudness-voice';
import type { VoiceActivity, VoiceActivityCapabilities, VoiceRequest, VoiceStream } from './voice-activity';
import { WindowCutter } from './window-cutter';

const windowMs = 32;

/** Voice activity by loudness alone, at once and without any engine: for where none can be loaded, and as a fake in tests. */
export class LoudnessVoiceActivity implements VoiceActivity {
  readonly capabilities: VoiceActivityCapabilities;

  constructor(impaired?: string) {
    const sampleRates = [8000, 16_000];
    this.capabilities = { provider: 'loudness', sampleRates, windowMs, tells: 'loudness', ...(impaired && { impaired }) };
  }

  async open({ sampleRate, listener }: VoiceRequest): Promise<VoiceStream> {
    if (!this.capabilities.sampleRates.includes(sampleRate)) throw new RangeError(`loudness is not judged at ${sampleRate} Hz`);
    const cutter = new WindowCutter((sampleRate * windowMs) / 1000, sampleRate);
    const voice = new LoudnessVoice();
    let isOpen = true;
    return {
      push: (samples) =>
        cutter.push(samples, (window, startMs) => {
          const probability = voice.judge(window, sampleRate);
          if (isOpen) listener({ startMs, endMs: startMs + windowMs, probability });
        }),
      close: () => {
        isOpen = false;
      },
    };
  }

  async close(): Promise<void> {}
}
