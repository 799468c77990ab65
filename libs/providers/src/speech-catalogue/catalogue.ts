import type { SpokenLanguage } from '@parley/ports';
import { transcribeProviders } from './transcribe-providers';
import { voiceProviders } from './voice-providers';

export { transcribeProviders, voiceProviders };

export type VoiceProviderName = (typeof voiceProviders)[number]['name'];
export type TranscribeProviderName = (typeof transcribeProviders)[number]['name'];

/** The speech-to-text model behind a public id, with the provider that it belongs to. */
export function transcribeModelOf(id: number): { provider: TranscribeProviderName; model: string; languages: readonly SpokenLanguage[] } | undefined {
  for (const { name: provider, models } of transcribeProviders) {
    const found = models.find((model) => model.id === id);
    if (found) return { provider, model: found.model, languages: found.languages };
  }
  return undefined;
}

/** The voice behind a public id, with the provider that it belongs to. */
export function voiceOf(id: number): { provider: VoiceProviderName; providerId: number; voice: string; languages: readonly SpokenLanguage[] } | undefined {
  for (const { name, id: providerId, voices } of voiceProviders) {
    const found = voices.find((voice) => voice.id === id);
    if (found) return { provider: name, providerId, voice: found.voice, languages: found.languages };
  }
  return undefined;
}
