import { openAudio } from '@parley/audio';
import type { SpeechBlock, Voice } from '@parley/ports';
import { z } from 'zod';
import { callProvider, type ProviderAccess, readJson, SpeakingProvider } from '../speech-http';
import { sarvamBaseUrl, sarvamCodes, sarvamLanguages } from './sarvam-options';

const provider = 'sarvam';

const voices: readonly Voice[] = [
  { id: 'ritu', name: 'Ritu', languages: sarvamLanguages, gender: 'female' },
  { id: 'priya', name: 'Priya', languages: sarvamLanguages, gender: 'female' },
  { id: 'shubh', name: 'Shubh', languages: sarvamLanguages, gender: 'male' },
  { id: 'aditya', name: 'Aditya', languages: sarvamLanguages, gender: 'male' },
];

const Answer = z.object({ audios: z.array(z.base64()) });

/** Speech by Sarvam's Bulbul: `POST /text-to-speech`, a WAV file as base64 for every call. */
export function sarvamSpeaking({ apiKey, baseUrl = sarvamBaseUrl, guard }: ProviderAccess): SpeakingProvider {
  return new SpeakingProvider({
    capabilities: {
      provider,
      languages: sarvamLanguages,
      sampleRates: [24_000, 8000, 16_000, 22_050],
      streamingIn: false,
      // Calls are kept to a few sentences each, so that the first is heard before the last is made.
      streamingOut: true,
      wordTimings: false,
      pace: true,
      charactersMax: 5000,
      latency: 'live',
      grade: 'production',
    },
    voices,
    charactersPerCall: 500,
    takesOwnVoices: false,
    async *speak({ text, language, voice, pace, sampleRate, signal }) {
      const body = JSON.stringify({
        text,
        target_language_code: sarvamCodes[language],
        speaker: voice,
        pace,
        speech_sample_rate: sampleRate,
        model: 'bulbul:v3',
      });
      const headers = { 'api-subscription-key': apiKey, 'content-type': 'application/json' };
      const response = await callProvider({ provider, url: `${baseUrl}/text-to-speech`, headers, body, guard, signal });
      const { audios } = await readJson(response, Answer, provider);
      for (const audio of audios) yield* samplesOf(Buffer.from(audio, 'base64'), sampleRate);
    },
  });
}

async function* samplesOf(wav: Buffer, sampleRate: number): AsyncGenerator<SpeechBlock> {
  async function* source(): AsyncGenerator<Uint8Array> {
    yield wav;
  }
  const { blocks } = await openAudio(source(), { toRate: sampleRate });
  for await (const samples of blocks) if (samples.length > 0) yield { samples, sampleRate };
}
