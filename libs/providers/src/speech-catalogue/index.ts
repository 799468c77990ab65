import { createHash } from 'node:crypto';
import type { SpeechToText, SpokenLanguage, TextToSpeech } from '@parley/ports';
import { z } from 'zod';
import { azureSpeech } from '../azure-speech';
import { deepgram } from '../deepgram';
import { elevenLabs } from '../elevenlabs';
import { espeak } from '../espeak';
import { flite } from '../flite';
import { moonshine } from '../moonshine';
import { openAiSpeech } from '../openai-speech';
import { pocketsphinx } from '../pocketsphinx';
import { sarvam } from '../sarvam';
import { sherpaOnnx, zipformer } from '../sherpa-onnx';
import { type OwnKey, variablesOf } from '../vendor';

export type { OwnKey } from '../vendor';

/** The vendors of this build, in fallback order. */
const vendors = [
  flite,
  espeak,
  moonshine,
  pocketsphinx,
  openAiSpeech,
  deepgram,
  elevenLabs,
  sarvam,
  azureSpeech,
  sherpaOnnx,
  zipformer,
] as const;

/** The text-to-speech engines of this build, in fallback order. */
export const voiceProviders = vendors.flatMap((vendor) => ('voices' in vendor ? [vendor.voices] : []));

/** The speech-to-text engines of this build, in fallback order. */
export const transcribeProviders = vendors.flatMap((vendor) => ('hearing' in vendor ? [vendor.hearing] : []));

/** The variables of speech providers, shared by all services that list or use them, so that they see the same ones. */
export const SpeechProviderVariables = z.object(variablesOf([...voiceProviders, ...transcribeProviders]));

export type SpeechProviderConfig = z.output<typeof SpeechProviderVariables>;

/** Opens a provider's engine, with an organization's key or the installation's. Its capabilities tell whether it is available. */
export function openTextToSpeech(name: VoiceProviderName, config: SpeechProviderConfig, own?: OwnKey): Promise<TextToSpeech> {
  return named(voiceProviders, name).open({ config, own });
}

/** Opens a provider's engine, with an organization's key or the installation's. Its capabilities tell whether it is available. */
export function openSpeechToText(
  name: TranscribeProviderName,
  config: SpeechProviderConfig,
  own?: OwnKey,
): Promise<SpeechToText> {
  return named(transcribeProviders, name).open({ config, own });
}

function named<Provider extends { readonly name: string }>(providers: readonly Provider[], name: Provider['name']): Provider {
  const found = providers.find((provider) => provider.name === name);
  if (!found) throw new TypeError(`this build has no provider ${name}`);
  return found;
}

export type VoiceProviderName = (typeof voiceProviders)[number]['name'];
export type TranscribeProviderName = (typeof transcribeProviders)[number]['name'];

/** The speech-to-text model with a public id, and its provider. */
export function transcribeModelOf(
  id: number,
): { provider: TranscribeProviderName; model: string; languages: readonly SpokenLanguage[] } | undefined {
  for (const { name: provider, models } of transcribeProviders) {
    const found = models.find((model) => model.id === id);
    if (found) return { provider, model: found.model, languages: found.languages };
  }
  return undefined;
}

/** The voice with a public id, and its provider. */
export function voiceOf(
  id: number,
): { provider: VoiceProviderName; providerId: number; voice: string; languages: readonly SpokenLanguage[] } | undefined {
  for (const { name, id: providerId, voices } of voiceProviders) {
    const found = voices.find((voice) => voice.id === id);
    if (found) return { provider: name, providerId, voice: found.voice, languages: found.languages };
  }
  return undefined;
}

/** A UUID derived from a name, so that seeded records have the same key on every installation. */
export function stableKey(name: string): string {
  const hash = createHash('sha256').update(`parley/${name}`).digest('hex');
  return [hash.slice(0, 8), hash.slice(8, 12), `8${hash.slice(13, 16)}`, `a${hash.slice(17, 20)}`, hash.slice(20, 32)].join('-');
}
