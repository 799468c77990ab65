import { ProviderFailure } from '../provider-failure';
import type { SpeechBlock, SpeechRequest, TextToSpeech, TextToSpeechCapabilities, Voice } from './text-to-speech';

const sampleRate = 16_000;
const samplesPerCharacter = 800;

/** A fake engine: a tone, 50 ms for every character, so tests can tell how much was said. It can be told to fail. */
export class ScriptedTextToSpeech implements TextToSpeech {
  readonly capabilities: TextToSpeechCapabilities;
  /** Every request that arrived, for tests that count work. */
  readonly requests: SpeechRequest[] = [];
  private readonly failures: { failure: ProviderFailure; afterBlocks: number }[] = [];

  constructor(capabilities: Partial<TextToSpeechCapabilities> = {}) {
    this.capabilities = {
      provider: 'scripted',
      languages: ['english', 'hindi'],
      sampleRates: [sampleRate],
      streamingIn: false,
      streamingOut: true,
      wordTimings: false,
      pace: true,
      charactersMax: 5000,
      latency: 'instant',
      grade: 'demo',
      ...capabilities,
    };
  }

  /** The next request fails so, after so many blocks; further failures queue up behind it. */
  failNext(failure: ProviderFailure, afterBlocks = 0): void {
    this.failures.push({ failure, afterBlocks });
  }

  async voices(): Promise<readonly Voice[]> {
    return [{ id: 'tone', name: 'Tone', languages: this.capabilities.languages, gender: 'neutral' }];
  }

  async *speak(request: SpeechRequest): AsyncGenerator<SpeechBlock> {
    const planned = this.failures.shift();
    this.requests.push(request);
    this.refuseWhatItCannot(request);
    const samples = Math.round(samplesPerCharacter / (request.pace ?? 1));
    let blocks = 0;
    for (const _character of request.text.trim()) {
      request.signal?.throwIfAborted();
      if (planned?.afterBlocks === blocks++) throw planned.failure;
      yield { samples: Int16Array.from({ length: samples }, (_, i) => 8000 * Math.sin(i / 4)), sampleRate };
    }
    if (planned) throw planned.failure;
  }

  async close(): Promise<void> {}

  private refuseWhatItCannot({ language, voice = 'tone' }: SpeechRequest): void {
    const { provider, languages } = this.capabilities;
    if (!languages.includes(language)) throw new ProviderFailure(provider, `does not speak ${language}`, { retryable: false });
    if (voice !== 'tone') throw new ProviderFailure(provider, `has no voice ${voice}`, { retryable: false });
  }
}
