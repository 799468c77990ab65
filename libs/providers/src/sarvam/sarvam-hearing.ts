import type { SpokenLanguage, TimedWord } from '@parley/ports';
import { z } from 'zod';
import { callProvider, HearingProvider, type ProviderAccess, readJson } from '../speech-http';
import { sarvamBaseUrl, sarvamCodes, sarvamLanguages } from './sarvam-options';

const provider = 'sarvam';

const Timestamps = z.object({
  words: z.array(z.string()),
  start_time_seconds: z.array(z.number()),
  end_time_seconds: z.array(z.number()),
});
const Answer = z.object({ transcript: z.string(), language_code: z.string().nullish(), timestamps: Timestamps.nullish() });

/** Transcription by Sarvam's Saarika: `POST /speech-to-text`, half a minute a call. */
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
      const form = new FormData();
      form.set('file', new Blob([wav], { type: 'audio/wav' }), 'speech.wav');
      form.set('model', model);
      form.set('language_code', language ? sarvamCodes[language] : 'unknown');
      if (words) form.set('with_timestamps', 'true');
      const headers = { 'api-subscription-key': apiKey };
      const response = await callProvider({ provider, url: `${baseUrl}/speech-to-text`, headers, body: form, guard, signal });
      const heard = await readJson(response, Answer, provider);
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
