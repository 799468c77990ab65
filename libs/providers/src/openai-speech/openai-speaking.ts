import type { Voice } from '@parley/ports';
import { callProvider, pcmBlocks, SpeakingProvider } from '../speech-http';
import { openAiBaseUrl, type OpenAiSpeechOptions } from './openai-speech-options';

const provider = 'openai';
const languages = ['english', 'hindi', 'marathi'] as const;
const sampleRate = 24_000;

const voices: readonly Voice[] = [
  { id: 'alloy', name: 'Alloy', languages, gender: 'neutral' },
  { id: 'nova', name: 'Nova', languages, gender: 'female' },
  { id: 'shimmer', name: 'Shimmer', languages, gender: 'female' },
  { id: 'onyx', name: 'Onyx', languages, gender: 'male' },
  { id: 'echo', name: 'Echo', languages, gender: 'male' },
];

/** Speech by OpenAI's protocol: `POST /audio/speech`, raw samples streamed as they are made. */
export function openAiSpeaking(options: OpenAiSpeechOptions): SpeakingProvider {
  const { apiKey, baseUrl = openAiBaseUrl, guard, speechModel = 'gpt-4o-mini-tts' } = options;
  return new SpeakingProvider({
    capabilities: {
      provider,
      languages,
      sampleRates: [sampleRate],
      streamingIn: false,
      streamingOut: true,
      wordTimings: false,
      pace: true,
      charactersMax: 5000,
      latency: 'live',
      grade: 'production',
    },
    voices,
    charactersPerCall: 4096,
    // Other servers of the protocol have voices of their own.
    takesOwnVoices: baseUrl !== openAiBaseUrl,
    async *speak({ text, voice, pace, signal }) {
      const response = await callProvider({
        provider,
        url: `${baseUrl}/audio/speech`,
        headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: speechModel, input: text, voice, response_format: 'pcm', speed: pace }),
        guard,
        signal,
      });
      yield* pcmBlocks(response, sampleRate, provider);
    },
  });
}
