import type { SpeechGrade, SpokenLanguage, Voice } from '@parley/ports';
import type { SpeechProviderConfig } from './speech-provider-variables';

interface ProviderEntry {
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
  readonly voices: readonly { readonly id: number; readonly voice: string; readonly gender: Voice['gender']; readonly languages: readonly SpokenLanguage[] }[];
  readonly sampleRates: readonly number[];
}

export interface TranscribeProviderEntry extends ProviderEntry {
  readonly isLive: boolean;
  /** A model's id is unique among all providers; `model` is what its provider calls it. */
  readonly models: readonly { readonly id: number; readonly model: string; readonly languages: readonly SpokenLanguage[] }[];
  readonly wordTimings: boolean;
}

/** The text-to-speech engines of this build, in the order in which they stand in for one another. */
export const voiceProviders = [
  {
    id: 1,
    name: 'flite',
    isLocal: true,
    settings: [],
    languages: ['english'],
    grade: 'demo',
    latency: 'instant',
    sampleRates: [16_000],
    voices: [
      { id: 1, voice: 'kal16', gender: 'male', languages: ['english'] },
      { id: 2, voice: 'rms', gender: 'male', languages: ['english'] },
      { id: 3, voice: 'slt', gender: 'female', languages: ['english'] },
      { id: 4, voice: 'awb', gender: 'male', languages: ['english'] },
    ],
  },
  {
    id: 2,
    name: 'espeak',
    isLocal: true,
    settings: [],
    languages: ['hindi', 'marathi', 'english'],
    grade: 'demo',
    latency: 'instant',
    sampleRates: [22_050],
    voices: [
      { id: 11, voice: 'hi', gender: 'male', languages: ['hindi'] },
      { id: 12, voice: 'hi+f3', gender: 'female', languages: ['hindi'] },
      { id: 13, voice: 'mr', gender: 'male', languages: ['marathi'] },
      { id: 14, voice: 'mr+f3', gender: 'female', languages: ['marathi'] },
      { id: 15, voice: 'en', gender: 'male', languages: ['english'] },
    ],
  },
] as const satisfies readonly VoiceProviderEntry[];

/** The speech-to-text engines of this build, in the order in which they stand in for one another. */
export const transcribeProviders = [
  {
    id: 1,
    name: 'pocketsphinx',
    isLocal: true,
    settings: [],
    languages: ['english'],
    grade: 'demo',
    isLive: false,
    wordTimings: true,
    models: [{ id: 1, model: 'en-us', languages: ['english'] }],
  },
] as const satisfies readonly TranscribeProviderEntry[];

export type VoiceProviderName = (typeof voiceProviders)[number]['name'];
export type TranscribeProviderName = (typeof transcribeProviders)[number]['name'];

/** The voice behind a public id, with the provider that it belongs to. */
export function voiceOf(id: number): { provider: VoiceProviderName; providerId: number; voice: string; languages: readonly SpokenLanguage[] } | undefined {
  for (const { name, id: providerId, voices } of voiceProviders) {
    const found = voices.find((voice) => voice.id === id);
    if (found) return { provider: name, providerId, voice: found.voice, languages: found.languages };
  }
  return undefined;
}
