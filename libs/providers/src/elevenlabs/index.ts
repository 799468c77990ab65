import type { SpokenLanguage, Voice } from '@parley/ports';
import { variableText } from '@parley/service-kit';
import { accessOf, callProvider, type ProviderAccess } from '../provider-http';
import { pcmBlocks, SpeakingProvider } from '../speech-http';
import { defineVoices, type KeyCheck } from '../vendor';

const provider = 'elevenlabs';
const languages = ['english', 'hindi'] as const;
const codes: Partial<Record<SpokenLanguage, string>> = { english: 'en', hindi: 'hi' };

const voices: readonly Voice[] = [
  { id: '21m00Tcm4TlvDq8ikWAM', name: 'Rachel', languages, gender: 'female' },
  { id: 'EXAVITQu4vr4xnSDxMaL', name: 'Sarah', languages, gender: 'female' },
  { id: 'pNInz6obpgDQGcFmaJgB', name: 'Adam', languages, gender: 'male' },
];

interface ElevenLabsOptions extends ProviderAccess {
  readonly model?: string;
}

/** Speech by ElevenLabs: `POST /v1/text-to-speech/{voice}/stream`, streaming raw samples. */
export function elevenLabsSpeaking(options: ElevenLabsOptions): SpeakingProvider {
  const { apiKey, baseUrl = 'https://api.elevenlabs.io', guard, model = 'eleven_flash_v2_5' } = options;
  return new SpeakingProvider({
    capabilities: {
      provider,
      languages,
      scripts: 'any',
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
    // The ids of cloned voices are known only to the customer.
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

const variables = {
  ELEVENLABS_API_KEY: variableText()
    .optional()
    .meta({ description: 'The key of ElevenLabs: speech in English and Hindi.', example: '…', secret: true }),
};

const keyCheck: KeyCheck = {
  baseUrl: 'https://api.elevenlabs.io',
  path: '/v1/models',
  method: 'GET',
  headers: (key) => ({ 'xi-api-key': key }),
};

/** Speech by ElevenLabs. */
export const elevenLabs = {
  voices: defineVoices({
    id: 5,
    name: 'elevenlabs',
    isLocal: false,
    settings: ['ELEVENLABS_API_KEY'],
    languages: ['english', 'hindi'],
    grade: 'production',
    latency: 'live',
    sampleRates: [16_000, 22_050, 24_000, 44_100],
    voices: [
      { id: 41, voice: '21m00Tcm4TlvDq8ikWAM', gender: 'female', languages: ['english', 'hindi'] },
      { id: 42, voice: 'EXAVITQu4vr4xnSDxMaL', gender: 'female', languages: ['english', 'hindi'] },
      { id: 43, voice: 'pNInz6obpgDQGcFmaJgB', gender: 'male', languages: ['english', 'hindi'] },
    ],
    variables,
    keyCheck,
    open: async ({ config, own }) => elevenLabsSpeaking(accessOf(own, config.ELEVENLABS_API_KEY)),
  }),
};
