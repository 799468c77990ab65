import { ProviderFailure } from '../provider-failure';
import type {
  SpeechToText,
  SpeechToTextCapabilities,
  Transcription,
  TranscriptionModel,
  TranscriptionRequest,
} from './speech-to-text';

/** A fake engine: hears what the script says next, and nothing in silence. It can be told to fail. */
export class ScriptedSpeechToText implements SpeechToText {
  readonly capabilities: SpeechToTextCapabilities;
  /** Seconds of sound in every request that was heard to its end. */
  readonly heardSeconds: number[] = [];
  private readonly failures: ProviderFailure[] = [];

  constructor(
    private readonly lines: string[] = [],
    capabilities: Partial<SpeechToTextCapabilities> = {},
  ) {
    this.capabilities = {
      provider: 'scripted',
      languages: ['english', 'hindi'],
      sampleRates: [16_000],
      live: false,
      wordTimings: false,
      languageDetection: false,
      secondsMax: 3600,
      grade: 'demo',
      ...capabilities,
    };
  }

  /** The next request fails so; further failures queue up behind it. */
  failNext(failure: ProviderFailure): void {
    this.failures.push(failure);
  }

  async models(): Promise<readonly TranscriptionModel[]> {
    return [{ id: 'script', name: 'Script', languages: this.capabilities.languages }];
  }

  async transcribe({ audio, sampleRate, language = 'english', signal }: TranscriptionRequest): Promise<Transcription> {
    const { provider, languages } = this.capabilities;
    if (!languages.includes(language)) throw new ProviderFailure(provider, `does not hear ${language}`, { retryable: false });
    signal?.throwIfAborted();
    let heard = 0;
    let isLoud = false;
    for await (const samples of audio()) {
      signal?.throwIfAborted();
      heard += samples.length;
      isLoud ||= samples.some((sample) => Math.abs(sample) > 500);
    }
    const failure = this.failures.shift();
    if (failure) throw failure;
    this.heardSeconds.push(heard / sampleRate);
    return { text: isLoud ? (this.lines.shift() ?? 'hello') : '', language };
  }

  async close(): Promise<void> {}
}
