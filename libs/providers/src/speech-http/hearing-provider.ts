import { joinSamples, Resampler, wavFile } from '@parley/audio';
import {
  ProviderFailure,
  type SpeechToText,
  type SpeechToTextCapabilities,
  type SpokenLanguage,
  type Transcription,
  type TranscriptionModel,
  type TranscriptionRequest,
} from '@parley/ports';

/** What is asked of a provider's protocol: the sound is a WAV file of the first rate that it takes. */
export interface HearingAsk {
  readonly wav: Uint8Array<ArrayBuffer>;
  readonly language: SpokenLanguage | undefined;
  readonly model: string;
  readonly words: boolean;
  readonly signal?: AbortSignal;
}

/** What makes one provider different from another. */
export interface HearingProtocol {
  readonly capabilities: SpeechToTextCapabilities;
  readonly models: readonly TranscriptionModel[];
  hear(ask: HearingAsk): Promise<Transcription>;
  listen?: SpeechToText['listen'];
}

/** A speech-to-text provider that is called over HTTP, whatever its protocol. */
export class HearingProvider implements SpeechToText {
  readonly listen: SpeechToText['listen'];

  constructor(private readonly protocol: HearingProtocol) {
    this.listen = protocol.listen;
  }

  get capabilities(): SpeechToTextCapabilities {
    return this.protocol.capabilities;
  }

  async models(): Promise<readonly TranscriptionModel[]> {
    return this.protocol.models;
  }

  async transcribe(request: TranscriptionRequest): Promise<Transcription> {
    const { language, model = this.protocol.models[0]?.id ?? '', words = false, signal } = request;
    const { languages, sampleRates, wordTimings } = this.capabilities;
    if (language && !languages.includes(language)) throw this.refusal(`does not hear ${language}`);
    signal?.throwIfAborted();
    const sampleRate = sampleRates[0] ?? 16_000;
    const samples = await this.gather(request, sampleRate);
    if (samples.length === 0) return { text: '', language, ...(words && wordTimings && { words: [] }) };
    const wav = Uint8Array.from(wavFile(samples, sampleRate));
    const heard = await this.protocol.hear({ wav, language, model, words: words && wordTimings, signal });
    return { ...heard, text: heard.text.trim() };
  }

  async close(): Promise<void> {}

  private async gather({ audio, sampleRate }: TranscriptionRequest, toRate: number): Promise<Int16Array> {
    const resampler = await Resampler.create(sampleRate, toRate);
    const blocks: Int16Array[] = [];
    let length = 0;
    try {
      for await (const block of audio()) {
        length += block.length;
        if (length > this.capabilities.secondsMax * sampleRate)
          throw this.refusal(`takes ${this.capabilities.secondsMax} seconds at most`);
        blocks.push(resampler.push(block).slice());
      }
      return joinSamples([...blocks, resampler.flush()]);
    } finally {
      resampler.close();
    }
  }

  private refusal(message: string): ProviderFailure {
    return new ProviderFailure(this.capabilities.provider, message, { retryable: false });
  }
}
