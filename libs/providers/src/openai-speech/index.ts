import type { SpokenLanguage, Voice } from '@parley/ports';
import { variableText, url } from '@parley/service-kit';
import { z } from 'zod';
import { accessOf, callProvider, type ProviderAccess, readJson } from '../provider-http';
import { HearingProvider, pcmBlocks, SpeakingProvider } from '../speech-http';
import { defineHearing, defineVoices, type KeyCheck, type SpeechOpening } from '../vendor';

/** `baseUrl` may be that of any server with the same protocol. */
interface OpenAiSpeechOptions extends ProviderAccess {
  readonly speechModel?: string;
  readonly transcriptionModel?: string;
}

const openAiBaseUrl = 'https://api.openai.com/v1';

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

/** Speech by OpenAI's protocol: `POST /audio/speech`, streaming raw samples. */
export function openAiSpeaking(options: OpenAiSpeechOptions): SpeakingProvider {
  const { apiKey, baseUrl = openAiBaseUrl, guard, speechModel = 'gpt-4o-mini-tts' } = options;
  return new SpeakingProvider({
    capabilities: {
      provider,
      languages,
      scripts: 'any',
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
    // Other servers with this protocol have their own voices.
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

const codes: Record<SpokenLanguage, string> = { english: 'en', hindi: 'hi', marathi: 'mr' };
const spokenIn = z.enum(['english', 'hindi', 'marathi']);

const Answer = z.object({
  text: z.string(),
  language: z.string().optional(),
  words: z.array(z.object({ word: z.string(), start: z.number(), end: z.number() })).optional(),
});

/** Transcription by OpenAI's protocol: `POST /audio/transcriptions`. */
export function openAiHearing(options: OpenAiSpeechOptions): HearingProvider {
  const { apiKey, baseUrl = openAiBaseUrl, guard, transcriptionModel = 'whisper-1' } = options;
  const languages = ['english', 'hindi', 'marathi'] as const;
  return new HearingProvider({
    capabilities: {
      provider,
      languages,
      sampleRates: [16_000],
      live: false,
      wordTimings: true,
      languageDetection: true,
      // At 16 kHz this is below the 25 MB limit of an upload.
      secondsMax: 720,
      grade: 'production',
    },
    models: [{ id: transcriptionModel, name: transcriptionModel, languages }],
    async hear({ wav, language, model, words, signal }) {
      const fields: [string, string][] = [
        // A self-hosted server has its own model, whatever the catalogue's name.
        ['model', options.transcriptionModel ?? model],
        ['response_format', 'verbose_json'],
      ];
      if (language) fields.push(['language', codes[language]]);
      if (words) fields.push(['timestamp_granularities[]', 'word']);
      const headers = { authorization: `Bearer ${apiKey}` };
      const call = { provider, url: `${baseUrl}/audio/transcriptions`, headers, body: { wav, fields }, guard, signal };
      const heard = await readJson(await callProvider(call), Answer, provider);
      return {
        text: heard.text,
        language: spokenIn.safeParse(heard.language?.toLowerCase()).data ?? language,
        ...(words && {
          words: (heard.words ?? []).map(({ word, start, end }) => ({ text: word, startMs: start * 1000, endMs: end * 1000 })),
        }),
      };
    },
  });
}

const variables = {
  OPENAI_SPEECH_API_KEY: variableText()
    .optional()
    .meta({ description: 'The key of a speech service that speaks OpenAI’s protocol.', example: 'sk-…', secret: true }),
  OPENAI_SPEECH_BASE_URL: url('http', 'https')
    .optional()
    .meta({
      description: 'The address of that service, if it is not OpenAI.',
      example: 'http://speaches:8000/v1',
      needs: ['OPENAI_SPEECH_API_KEY'],
    }),
};

const keyCheck: KeyCheck = {
  baseUrl: 'https://api.openai.com/v1',
  path: '/models',
  method: 'GET',
  headers: (key) => ({ authorization: `Bearer ${key}` }),
};

function optionsOf({ config, own }: SpeechOpening<typeof variables>): OpenAiSpeechOptions {
  const access = accessOf(own, config.OPENAI_SPEECH_API_KEY);
  if (!own) return { ...access, baseUrl: config.OPENAI_SPEECH_BASE_URL };
  return { ...access, ...(own.model !== null && { speechModel: own.model, transcriptionModel: own.model }) };
}

/** Speech by OpenAI’s protocol. */
export const openAiSpeech = {
  voices: defineVoices({
    id: 3,
    name: 'openai',
    isLocal: false,
    settings: ['OPENAI_SPEECH_API_KEY'],
    languages: ['english', 'hindi', 'marathi'],
    grade: 'production',
    latency: 'live',
    sampleRates: [24_000],
    voices: [
      { id: 21, voice: 'alloy', gender: 'neutral', languages: ['english', 'hindi', 'marathi'] },
      { id: 22, voice: 'nova', gender: 'female', languages: ['english', 'hindi', 'marathi'] },
      { id: 23, voice: 'shimmer', gender: 'female', languages: ['english', 'hindi', 'marathi'] },
      { id: 24, voice: 'onyx', gender: 'male', languages: ['english', 'hindi', 'marathi'] },
      { id: 25, voice: 'echo', gender: 'male', languages: ['english', 'hindi', 'marathi'] },
    ],
    variables,
    keyCheck,
    open: async (opening) => openAiSpeaking(optionsOf(opening)),
  }),
  hearing: defineHearing({
    id: 2,
    name: 'openai',
    isLocal: false,
    settings: ['OPENAI_SPEECH_API_KEY'],
    languages: ['english', 'hindi', 'marathi'],
    grade: 'production',
    isLive: false,
    wordTimings: true,
    models: [{ id: 11, model: 'whisper-1', languages: ['english', 'hindi', 'marathi'] }],
    variables,
    keyCheck,
    open: async (opening) => openAiHearing(optionsOf(opening)),
  }),
};
