import type { SpokenLanguage } from '@parley/ports';
import type { TranscribeProviderEntry } from './catalogue-entry';
import { voiceProviders } from './voice-providers';

/** The speech-to-text engines of this build, in the order in which they stand in for one another. */
const transcribeProviders = [
  {
    id: 1,
    name: 'pocketsphinx',
    isLocal: true,
    settings: [],
    languages: ['english'],
    grade: 'demo',
    isLive: false,
    wordTimings: true,
    models: [{ id: 1, model: 'en-us', languages: ['english'] }],
  },
  {
    id: 2,
    name: 'openai',
    isLocal: false,
    settings: ['OPENAI_SPEECH_API_KEY'],
    languages: ['english', 'hindi', 'marathi'],
    grade: 'production',
    isLive: false,
    wordTimings: true,
    models: [{ id: 11, model: 'whisper-1', languages: ['english', 'hindi', 'marathi'] }],
  },
  {
    id: 3,
    name: 'deepgram',
    isLocal: false,
    settings: ['DEEPGRAM_API_KEY'],
    languages: ['english', 'hindi'],
    grade: 'production',
    isLive: true,
    wordTimings: true,
    models: [{ id: 21, model: 'nova-3', languages: ['english', 'hindi'] }],
  },
  {
    id: 4,
    name: 'sarvam',
    isLocal: false,
    settings: ['SARVAM_API_KEY'],
    languages: ['hindi', 'marathi', 'english'],
    grade: 'production',
    isLive: false,
    wordTimings: true,
    models: [{ id: 31, model: 'saarika:v2.5', languages: ['hindi', 'marathi', 'english'] }],
  },
  {
    id: 5,
    name: 'azure',
    isLocal: false,
    settings: ['AZURE_SPEECH_KEY', 'AZURE_SPEECH_REGION'],
    languages: ['english', 'hindi', 'marathi'],
    grade: 'production',
    isLive: false,
    wordTimings: false,
    models: [{ id: 41, model: 'conversation', languages: ['english', 'hindi', 'marathi'] }],
  },
  {
    id: 6,
    name: 'sherpa-onnx',
    isLocal: true,
    settings: [],
    languages: ['english', 'hindi', 'marathi'],
    grade: 'production',
    isLive: false,
    wordTimings: false,
    models: [
      { id: 51, model: 'whisper-base', languages: ['english', 'hindi', 'marathi'] },
      { id: 52, model: 'whisper-small', languages: ['english', 'hindi', 'marathi'] },
    ],
  },
  {
    id: 7,
    name: 'zipformer',
    isLocal: true,
    settings: [],
    languages: ['english'],
    grade: 'production',
    isLive: true,
    wordTimings: true,
    models: [
      { id: 61, model: 'streaming-en', languages: ['english'] },
      { id: 62, model: 'streaming-en-20M', languages: ['english'] },
    ],
  },
] as const satisfies readonly TranscribeProviderEntry[];

export { transcribeProviders, voiceProviders };

export type VoiceProviderName = (typeof voiceProviders)[number]['name'];
export type TranscribeProviderName = (typeof transcribeProviders)[number]['name'];

/** The speech-to-text model behind a public id, with the provider that it belongs to. */
export function transcribeModelOf(
  id: number,
): { provider: TranscribeProviderName; model: string; languages: readonly SpokenLanguage[] } | undefined {
  for (const { name: provider, models } of transcribeProviders) {
    const found = models.find((model) => model.id === id);
    if (found) return { provider, model: found.model, languages: found.languages };
  }
  return undefined;
}

/** The voice behind a public id, with the provider that it belongs to. */
export function voiceOf(
  id: number,
): { provider: VoiceProviderName; providerId: number; voice: string; languages: readonly SpokenLanguage[] } | undefined {
  for (const { name, id: providerId, voices } of voiceProviders) {
    const found = voices.find((voice) => voice.id === id);
    if (found) return { provider: name, providerId, voice: found.voice, languages: found.languages };
  }
  return undefined;
}
