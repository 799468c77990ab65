import { ProviderFailure } from '@parley/ports';
import { z } from 'zod';
import { callProvider, HearingProvider, readJson } from '../speech-http';
import { azureBaseUrl, azureLanguages, azureLocales, type AzureSpeechOptions } from './azure-speech-options';

const provider = 'azure';
const silence = new Set(['NoMatch', 'InitialSilenceTimeout', 'BabbleTimeout']);

const Answer = z.object({ RecognitionStatus: z.string(), DisplayText: z.string().optional() });

/** Transcription by Azure's recognition of short audio, a minute a call. */
export function azureHearing(options: AzureSpeechOptions): HearingProvider {
  const { apiKey, guard } = options;
  const base = azureBaseUrl(options, 'stt');
  return new HearingProvider({
    capabilities: {
      provider,
      languages: azureLanguages,
      sampleRates: [16_000],
      live: false,
      wordTimings: false,
      languageDetection: false,
      secondsMax: 59,
      grade: 'production',
    },
    models: [{ id: 'conversation', name: 'Conversation', languages: azureLanguages }],
    async hear({ wav, language = 'english', model, signal }) {
      const query = new URLSearchParams({ language: azureLocales[language], format: 'simple' });
      const response = await callProvider({
        provider,
        url: `${base}/speech/recognition/${model}/cognitiveservices/v1?${query}`,
        headers: {
          'ocp-apim-subscription-key': apiKey,
          'content-type': 'audio/wav; codecs=audio/pcm; samplerate=16000',
          accept: 'application/json',
        },
        body: wav,
        guard,
        signal,
      });
      const { RecognitionStatus: status, DisplayText: text = '' } = await readJson(response, Answer, provider);
      if (status === 'Success') return { text, language };
      if (silence.has(status)) return { text: '', language };
      throw new ProviderFailure(provider, `answered ${status}`, { retryable: true });
    },
  });
}
