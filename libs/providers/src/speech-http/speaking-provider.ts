import { sentencesOf, speakableIn } from '@parley/language';
import {
  ProviderFailure,
  type SpeechBlock,
  type SpeechRequest,
  type SpokenLanguage,
  type TextToSpeech,
  type TextToSpeechCapabilities,
  type Voice,
} from '@parley/ports';

/** What is asked of a provider's protocol: everything is decided but the wording. */
export interface SpeechAsk {
  readonly text: string;
  readonly language: SpokenLanguage;
  readonly voice: string;
  readonly pace: number;
  readonly sampleRate: number;
  readonly signal?: AbortSignal;
}

/** What makes one provider different from another. */
export interface SpeechProtocol {
  readonly capabilities: TextToSpeechCapabilities;
  readonly voices: readonly Voice[];
  /** The most characters that one call takes. */
  readonly charactersPerCall: number;
  /** Whether voices of the customer's own, which nobody can list, may be named. */
  readonly takesOwnVoices: boolean;
  speak(ask: SpeechAsk): AsyncIterable<SpeechBlock>;
}

/** A text-to-speech provider that is called over HTTP, whatever its protocol. */
export class SpeakingProvider implements TextToSpeech {
  constructor(private readonly protocol: SpeechProtocol) {}

  get capabilities(): TextToSpeechCapabilities {
    return this.protocol.capabilities;
  }

  async voices(): Promise<readonly Voice[]> {
    return this.protocol.voices;
  }

  async *speak({ text, language, pace = 1, signal, ...wish }: SpeechRequest): AsyncGenerator<SpeechBlock> {
    const voice = this.voiceFor(language, wish.voice);
    const sampleRate = nearest(this.capabilities.sampleRates, wish.sampleRate);
    for (const part of parts(speakableIn[language](text), this.protocol.charactersPerCall)) {
      signal?.throwIfAborted();
      yield* this.protocol.speak({ text: part, language, voice, pace, sampleRate, signal });
    }
  }

  async close(): Promise<void> {}

  private voiceFor(language: SpokenLanguage, wanted: string | undefined): string {
    const { capabilities, voices, takesOwnVoices } = this.protocol;
    const able = voices.filter(({ languages }) => languages.includes(language));
    const voice = wanted === undefined ? able[0]?.id : able.find(({ id }) => id === wanted)?.id;
    if (!capabilities.languages.includes(language)) throw this.refusal(`does not speak ${language}`);
    if (voice === undefined && wanted !== undefined && takesOwnVoices && !voices.some(({ id }) => id === wanted)) return wanted;
    if (voice === undefined) throw this.refusal(`has no voice ${wanted} for ${language}`);
    return voice;
  }

  private refusal(message: string): ProviderFailure {
    return new ProviderFailure(this.capabilities.provider, message, { retryable: false });
  }
}

/** The rate wished for where it exists, else the next higher one, else the highest. Without a wish the provider's own choice. */
function nearest(rates: readonly number[], wish: number | undefined): number {
  if (wish === undefined) return rates[0] ?? 16_000;
  const enough = rates.filter((rate) => rate >= wish);
  return enough.length > 0 ? Math.min(...enough) : Math.max(...rates);
}

/** Whole sentences, as many as one call takes. */
function parts(text: string, charactersMax: number): string[] {
  const all: string[] = [];
  for (const sentence of sentencesOf(text)) {
    const joined = `${all.at(-1) ?? ''} ${sentence}`.trim();
    if (all.length > 0 && joined.length <= charactersMax) all[all.length - 1] = joined;
    else all.push(sentence);
  }
  return all;
}
