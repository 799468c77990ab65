import { openAudio } from '@parley/audio';
import type { SpeechBlock, SpokenLanguage, TimedWord, Voice } from '@parley/ports';
import { variableText } from '@parley/service-kit';
import { z } from 'zod';
import { accessOf, callProvider, type ProviderAccess, readJson } from '../provider-http';
import { HearingProvider, SpeakingProvider } from '../speech-http';
import { defineHearing, defineVoices, type KeyCheck } from '../vendor';

const sarvamBaseUrl = 'https://api.sarvam.ai';

const sarvamLanguages = ['hindi', 'marathi', 'english'] as const;
const sarvamCodes: Record<SpokenLanguage, string> = { hindi: 'hi-IN', marathi: 'mr-IN', english: 'en-IN' };

const provider = 'sarvam';

const voices: readonly Voice[] = [
  { id: 'ritu', name: 'Ritu', languages: sarvamLanguages, gender: 'female' },
  { id: 'priya', name: 'Priya', languages: sarvamLanguages, gender: 'female' },
  { id: 'shubh', name: 'Shubh', languages: sarvamLanguages, gender: 'male' },
  { id: 'aditya', name: 'Aditya', languages: sarvamLanguages, gender: 'male' },
];

const Spoken = z.object({ audios: z.array(z.base64()) });

/** Speech by Sarvam's Bulbul: `POST /text-to-speech`, which returns a WAV file in base64. */
export function sarvamSpeaking({ apiKey, baseUrl = sarvamBaseUrl, guard }: ProviderAccess): SpeakingProvider {
  return new SpeakingProvider({
    capabilities: {
      provider,
      languages: sarvamLanguages,
      scripts: 'any',
      sampleRates: [24_000, 8000, 16_000, 22_050],
      streamingIn: false,
      // Each request contains a few sentences, so that the first plays before the last is synthesized.
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
      const { audios } = await readJson(response, Spoken, provider);
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

const Timestamps = z.object({
  words: z.array(z.string()),
  start_time_seconds: z.array(z.number()),
  end_time_seconds: z.array(z.number()),
});
const Heard = z.object({ transcript: z.string(), language_code: z.string().nullish(), timestamps: Timestamps.nullish() });

/** Transcription by Sarvam's Saarika: `POST /speech-to-text`, half a minute per request. */
export function sarvamHearing({ apiKey, baseUrl = sarvamBaseUrl, guard }: ProviderAccess): HearingProvider {
  return new HearingProvider({
    capabilities: {
      provider,
      languages: sarvamLanguages,
      sampleRates: [16_000, 8000],
      live: false,
      wordTimings: true,
      languageDetection: true,
      secondsMax: 29,
      grade: 'production',
    },
    models: [{ id: 'saarika:v2.5', name: 'Saarika 2.5', languages: sarvamLanguages }],
    async hear({ wav, language, model, words, signal }) {
      const fields: [string, string][] = [
        ['model', model],
        ['language_code', language ? sarvamCodes[language] : 'unknown'],
      ];
      if (words) fields.push(['with_timestamps', 'true']);
      const headers = { 'api-subscription-key': apiKey };
      const body = { wav, fields };
      const response = await callProvider({ provider, url: `${baseUrl}/speech-to-text`, headers, body, guard, signal });
      const heard = await readJson(response, Heard, provider);
      return {
        text: heard.transcript,
        language: languageOf(heard.language_code) ?? language,
        ...(words && { words: timed(heard.timestamps) }),
      };
    },
  });
}

function languageOf(code: string | null | undefined): SpokenLanguage | undefined {
  return sarvamLanguages.find((language) => sarvamCodes[language] === code);
}

function timed(timestamps: z.output<typeof Timestamps> | null | undefined): TimedWord[] {
  if (!timestamps) return [];
  return timestamps.words.map((text, index) => ({
    text,
    startMs: (timestamps.start_time_seconds[index] ?? 0) * 1000,
    endMs: (timestamps.end_time_seconds[index] ?? 0) * 1000,
  }));
}

const variables = {
  SARVAM_API_KEY: variableText().optional().meta({
    description: 'The key of Sarvam: speech and transcription in Hindi, Marathi and English.',
    example: '…',
    secret: true,
  }),
};

const keyCheck: KeyCheck = {
  baseUrl: 'https://api.sarvam.ai',
  path: '/text-lid',
  method: 'POST',
  body: JSON.stringify({ input: 'hello' }),
  headers: (key) => ({ 'api-subscription-key': key, 'content-type': 'application/json' }),
};

/** Speech by Sarvam. */
export const sarvam = {
  voices: defineVoices({
    id: 6,
    name: 'sarvam',
    isLocal: false,
    settings: ['SARVAM_API_KEY'],
    languages: ['hindi', 'marathi', 'english'],
    grade: 'production',
    latency: 'live',
    sampleRates: [24_000, 8000, 16_000, 22_050],
    voices: [
      { id: 51, voice: 'ritu', gender: 'female', languages: ['hindi', 'marathi', 'english'] },
      { id: 52, voice: 'priya', gender: 'female', languages: ['hindi', 'marathi', 'english'] },
      { id: 53, voice: 'shubh', gender: 'male', languages: ['hindi', 'marathi', 'english'] },
      { id: 54, voice: 'aditya', gender: 'male', languages: ['hindi', 'marathi', 'english'] },
    ],
    variables,
    keyCheck,
    open: async ({ config, own }) => sarvamSpeaking(accessOf(own, config.SARVAM_API_KEY)),
  }),
  hearing: defineHearing({
    id: 4,
    name: 'sarvam',
    isLocal: false,
    settings: ['SARVAM_API_KEY'],
    languages: ['hindi', 'marathi', 'english'],
    grade: 'production',
    isLive: false,
    wordTimings: true,
    models: [{ id: 31, model: 'saarika:v2.5', languages: ['hindi', 'marathi', 'english'] }],
    variables,
    keyCheck,
    open: async ({ config, own }) => sarvamHearing(accessOf(own, config.SARVAM_API_KEY)),
  }),
};
