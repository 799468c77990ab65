import type { SpokenLanguage } from '@parley/ports';
import { z } from 'zod';
import { callProvider, HearingProvider, readJson } from '../speech-http';
import { openAiBaseUrl, type OpenAiSpeechOptions } from './openai-speech-options';

const provider = 'openai';
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
      // At 16 kHz this stays below the 25 MB that one upload may have.
      secondsMax: 720,
      grade: 'production',
    },
    models: [{ id: transcriptionModel, name: transcriptionModel, languages }],
    async hear({ wav, language, model, words, signal }) {
      const form = new FormData();
      form.set('file', new Blob([wav], { type: 'audio/wav' }), 'speech.wav');
      // A server of one's own has the model that it was set up with, whatever the catalogue calls it.
      form.set('model', options.transcriptionModel ?? model);
      if (language) form.set('language', codes[language]);
      form.set('response_format', 'verbose_json');
      if (words) form.append('timestamp_granularities[]', 'word');
      const headers = { authorization: `Bearer ${apiKey}` };
      const call = { provider, url: `${baseUrl}/audio/transcriptions`, headers, body: form, guard, signal };
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
