import { createHash } from 'node:crypto';
import type { SpokenLanguage } from '@parley/ports';
import type { TranscribeProviderEntry, VoiceProviderEntry } from './index';

/** The text-to-speech engines of this build, in the order in which they stand in for one another. */
export const voiceProviders = [
  {
    id: 1,
    name: 'flite',
    isLocal: true,
    settings: [],
    languages: ['english'],
    grade: 'demo',
    latency: 'instant',
    sampleRates: [16_000],
    voices: [
      { id: 1, voice: 'kal16', gender: 'male', languages: ['english'] },
      { id: 2, voice: 'rms', gender: 'male', languages: ['english'] },
      { id: 3, voice: 'slt', gender: 'female', languages: ['english'] },
      { id: 4, voice: 'awb', gender: 'male', languages: ['english'] },
    ],
  },
  {
    id: 2,
    name: 'espeak',
    isLocal: true,
    settings: [],
    languages: ['hindi', 'marathi', 'english'],
    grade: 'demo',
    latency: 'instant',
    sampleRates: [22_050],
    voices: [
      { id: 11, voice: 'hi', gender: 'male', languages: ['hindi'] },
      { id: 12, voice: 'hi+f3', gender: 'female', languages: ['hindi'] },
      { id: 13, voice: 'mr', gender: 'male', languages: ['marathi'] },
      { id: 14, voice: 'mr+f3', gender: 'female', languages: ['marathi'] },
      { id: 15, voice: 'en', gender: 'male', languages: ['english'] },
    ],
  },
  {
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
  },
  {
    id: 4,
    name: 'deepgram',
    isLocal: false,
    settings: ['DEEPGRAM_API_KEY'],
    languages: ['english'],
    grade: 'production',
    latency: 'live',
    sampleRates: [24_000, 8000, 16_000, 32_000, 48_000],
    voices: [
      { id: 31, voice: 'aura-2-thalia-en', gender: 'female', languages: ['english'] },
      { id: 32, voice: 'aura-2-andromeda-en', gender: 'female', languages: ['english'] },
      { id: 33, voice: 'aura-2-apollo-en', gender: 'male', languages: ['english'] },
      { id: 34, voice: 'aura-2-arcas-en', gender: 'male', languages: ['english'] },
    ],
  },
  {
    id: 5,
    name: 'elevenlabs',
    isLocal: false,
    settings: ['ELEVENLABS_API_KEY'],
    languages: ['english', 'hindi'],
    grade: 'production',
    latency: 'live',
    sampleRates: [16_000, 22_050, 24_000, 44_100],
    voices: [
      { id: 41, voice: '21m00Tcm4TlvDq8ikWAM', gender: 'female', languages: ['english', 'hindi'] },
      { id: 42, voice: 'EXAVITQu4vr4xnSDxMaL', gender: 'female', languages: ['english', 'hindi'] },
      { id: 43, voice: 'pNInz6obpgDQGcFmaJgB', gender: 'male', languages: ['english', 'hindi'] },
    ],
  },
  {
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
  },
  {
    id: 7,
    name: 'azure',
    isLocal: false,
    settings: ['AZURE_SPEECH_KEY', 'AZURE_SPEECH_REGION'],
    languages: ['english', 'hindi', 'marathi'],
    grade: 'production',
    latency: 'live',
    sampleRates: [24_000, 8000, 16_000, 48_000],
    voices: [
      { id: 61, voice: 'en-IN-NeerjaNeural', gender: 'female', languages: ['english'] },
      { id: 62, voice: 'en-IN-PrabhatNeural', gender: 'male', languages: ['english'] },
      { id: 63, voice: 'hi-IN-SwaraNeural', gender: 'female', languages: ['hindi'] },
      { id: 64, voice: 'hi-IN-MadhurNeural', gender: 'male', languages: ['hindi'] },
      { id: 65, voice: 'mr-IN-AarohiNeural', gender: 'female', languages: ['marathi'] },
      { id: 66, voice: 'mr-IN-ManoharNeural', gender: 'male', languages: ['marathi'] },
    ],
  },
  {
    id: 8,
    name: 'sherpa-onnx',
    isLocal: true,
    settings: [],
    languages: ['english', 'hindi'],
    grade: 'production',
    latency: 'live',
    sampleRates: [16_000, 22_050, 24_000],
    voices: [
      { id: 71, voice: 'en_US-amy-low', gender: 'female', languages: ['english'] },
      { id: 72, voice: 'hi_IN-pratham-medium', gender: 'male', languages: ['hindi'] },
      { id: 73, voice: 'af_heart', gender: 'female', languages: ['english'] },
      { id: 74, voice: 'af_bella', gender: 'female', languages: ['english'] },
      { id: 75, voice: 'am_michael', gender: 'male', languages: ['english'] },
      { id: 76, voice: 'am_puck', gender: 'male', languages: ['english'] },
      { id: 77, voice: 'hf_alpha', gender: 'female', languages: ['hindi'] },
      { id: 78, voice: 'hf_beta', gender: 'female', languages: ['hindi'] },
      { id: 79, voice: 'hm_omega', gender: 'male', languages: ['hindi'] },
      { id: 80, voice: 'hm_psi', gender: 'male', languages: ['hindi'] },
    ],
  },
] as const satisfies readonly VoiceProviderEntry[];

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

export { transcribeProviders };

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

/** The same UUID for the same name on every installation, so that seeded records can leave the platform. */
export function stableKey(name: string): string {
  const hash = createHash('sha256').update(`parley/${name}`).digest('hex');
  return [hash.slice(0, 8), hash.slice(8, 12), `8${hash.slice(13, 16)}`, `a${hash.slice(17, 20)}`, hash.slice(20, 32)].join('-');
}
