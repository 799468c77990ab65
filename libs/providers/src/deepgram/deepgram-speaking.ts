import type { Voice } from '@parley/ports';
import { callProvider, pcmBlocks, type ProviderAccess, SpeakingProvider } from '../speech-http';
import { deepgramBaseUrl } from './deepgram-options';

const provider = 'deepgram';
const languages = ['english'] as const;

const voices: readonly Voice[] = [
  { id: 'aura-2-thalia-en', name: 'Thalia', languages, gender: 'female' },
  { id: 'aura-2-andromeda-en', name: 'Andromeda', languages, gender: 'female' },
  { id: 'aura-2-apollo-en', name: 'Apollo', languages, gender: 'male' },
  { id: 'aura-2-arcas-en', name: 'Arcas', languages, gender: 'male' },
];

/** Speech by Deepgram's Aura: `POST /v1/speak`, raw samples streamed. It speaks at its own pace. */
export function deepgramSpeaking({ apiKey, baseUrl = deepgramBaseUrl, guard }: ProviderAccess): SpeakingProvider {
  return new SpeakingProvider({
    capabilities: {
      provider,
      languages,
      sampleRates: [24_000, 8000, 16_000, 32_000, 48_000],
      streamingIn: false,
      streamingOut: true,
      wordTimings: false,
      pace: false,
      charactersMax: 5000,
      latency: 'live',
      grade: 'production',
    },
    voices,
    charactersPerCall: 2000,
    takesOwnVoices: false,
    async *speak({ text, voice, sampleRate, signal }) {
      const query = new URLSearchParams({
        model: voice,
        encoding: 'linear16',
        sample_rate: String(sampleRate),
        container: 'none',
      });
      const response = await callProvider({
        provider,
        url: `${baseUrl}/v1/speak?${query}`,
        headers: { authorization: `Token ${apiKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({ text }),
        guard,
        signal,
      });
      yield* pcmBlocks(response, sampleRate, provider);
    },
  });
}
