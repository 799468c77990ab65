import { z } from 'zod';
import { callProvider, HearingProvider, type ProviderAccess, readJson } from '../speech-http';
import { listenLive } from './deepgram-live';
import { deepgramBaseUrl } from './deepgram-options';
import { Alternative, deepgramCodes, timedWords } from './deepgram-words';

const provider = 'deepgram';
const model = 'nova-3';
const languages = ['english', 'hindi'] as const;

const Answer = z.object({ results: z.object({ channels: z.array(z.object({ alternatives: z.array(Alternative) })).min(1) }) });

/** Transcription by Deepgram: recordings by `POST /v1/listen`, live speech over its WebSocket. */
export function deepgramHearing({ apiKey, baseUrl = deepgramBaseUrl, guard }: ProviderAccess): HearingProvider {
  return new HearingProvider({
    capabilities: {
      provider,
      languages,
      sampleRates: [16_000, 8000, 24_000, 48_000],
      live: true,
      wordTimings: true,
      languageDetection: false,
      secondsMax: 600,
      grade: 'production',
    },
    models: [{ id: model, name: 'Nova 3', languages }],
    async hear({ wav, language = 'english', model: wanted, words, signal }) {
      const query = new URLSearchParams({ model: wanted, language: deepgramCodes[language] ?? 'en', smart_format: 'true' });
      const headers = { authorization: `Token ${apiKey}`, 'content-type': 'audio/wav' };
      const response = await callProvider({ provider, url: `${baseUrl}/v1/listen?${query}`, headers, body: wav, guard, signal });
      const { results } = await readJson(response, Answer, provider);
      const best = results.channels[0]?.alternatives[0] ?? { transcript: '', words: [] };
      return { text: best.transcript, language, ...(words && { words: timedWords(best) }) };
    },
    listen: (request) => listenLive({ apiKey, baseUrl, guard }, { model, ...request }),
  });
}
