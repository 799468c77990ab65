import type { SpeechGrade, SpokenLanguage, Voice } from '@parley/ports';
import type { SpeechProviderConfig } from './speech-provider-variables';

/** What every provider says of itself. */
export interface ProviderEntry {
  /** Never changes and is never used again: agents refer to it. */
  readonly id: number;
  readonly name: string;
  readonly isLocal: boolean;
  /** Variables without which it does not work. */
  readonly settings: readonly (keyof SpeechProviderConfig)[];
  readonly languages: readonly SpokenLanguage[];
  readonly grade: SpeechGrade;
}

export interface VoiceProviderEntry extends ProviderEntry {
  readonly latency: 'instant' | 'live' | 'slow';
  /** A voice's id is unique among all providers; `voice` is what its provider calls it. */
  readonly voices: readonly {
    readonly id: number;
    readonly voice: string;
    readonly gender: Voice['gender'];
    readonly languages: readonly SpokenLanguage[];
  }[];
  readonly sampleRates: readonly number[];
}

export interface TranscribeProviderEntry extends ProviderEntry {
  readonly isLive: boolean;
  /** A model's id is unique among all providers; `model` is what its provider calls it. */
  readonly models: readonly { readonly id: number; readonly model: string; readonly languages: readonly SpokenLanguage[] }[];
  readonly wordTimings: boolean;
}
