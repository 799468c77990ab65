import type { SpokenLanguage, Voice } from '@parley/ports';
import { callProvider, pcmBlocks, type ProviderAccess, SpeakingProvider } from '../speech-http';

const provider = 'elevenlabs';
const languages = ['english', 'hindi'] as const;
const codes: Partial<Record<SpokenLanguage, string>> = { english: 'en', hindi: 'hi' };

const voices: readonly Voice[] = [
  { id: '21m00Tcm4TlvDq8ikWAM', name: 'Rachel', languages, gender: 'female' },
  { id: 'EXAVITQu4vr4xnSDxMaL', name: 'Sarah', languages, gender: 'female' },
  { id: 'pNInz6obpgDQGcFmaJgB', name: 'Adam', languages, gender: 'male' },
];

export interface ElevenLabsOptions extends ProviderAccess {
  readonly model?: string;
}

/** Speech by ElevenLabs: `POST /v1/text-to-speech/{voice}/stream`, raw samples as they are made. */
export function elevenLabsSpeaking(options: ElevenLabsOptions): SpeakingProvider {
  const { apiKey, baseUrl = 'https://api.elevenlabs.io', guard, model = 'eleven_flash_v2_5' } = options;
  return new SpeakingProvider({
    capabilities: {
      provider,
      languages,
      sampleRates: [16_000, 22_050, 24_000, 44_100],
      streamingIn: false,
      streamingOut: true,
      wordTimings: false,
      pace: true,
      charactersMax: 5000,
      latency: 'live',
      grade: 'production',
    },
    voices,
    charactersPerCall: 5000,
    // Voices that a customer cloned have ids that only the customer knows.
    takesOwnVoices: true,
    async *speak({ text, language, voice, pace, sampleRate, signal }) {
      const response = await callProvider({
        provider,
        url: `${baseUrl}/v1/text-to-speech/${encodeURIComponent(voice)}/stream?output_format=pcm_${sampleRate}`,
        headers: { 'xi-api-key': apiKey, 'content-type': 'application/json' },
        body: JSON.stringify({ text, model_id: model, language_code: codes[language], voice_settings: { speed: pace } }),
        guard,
        signal,
      });
      yield* pcmBlocks(response, sampleRate, provider);
    },
  });
}
