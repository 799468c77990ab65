import { ProviderFailure, type SpokenLanguage, type Voice } from '@parley/ports';
import { variableText } from '@parley/service-kit';
import { z } from 'zod';
import { accessOf, callProvider, type ProviderAccess, readJson } from '../provider-http';
import { HearingProvider, pcmBlocks, SpeakingProvider } from '../speech-http';
import { defineHearing, defineVoices, type KeyCheck, type SpeechOpening } from '../vendor';

/** The resource is identified by its region, such as `centralindia`, or by a custom domain. */
interface AzureSpeechOptions extends ProviderAccess {
  readonly region: string;
}

/** A resource's base URL: its region's, or its custom domain. */
export function azureBaseUrl({ region, baseUrl }: AzureSpeechOptions, service: 'tts' | 'stt'): string {
  const itsRegion = baseUrl === undefined ? region : /^https:\/\/([a-z0-9]+)\.api\.cognitive\.microsoft\.com$/.exec(baseUrl)?.[1];
  return itsRegion === undefined ? `${baseUrl}/${service}` : `https://${itsRegion}.${service}.speech.microsoft.com`;
}

const azureLanguages = ['english', 'hindi', 'marathi'] as const;
const azureLocales: Record<SpokenLanguage, string> = { english: 'en-IN', hindi: 'hi-IN', marathi: 'mr-IN' };

const provider = 'azure';

const voices: readonly Voice[] = [
  { id: 'en-IN-NeerjaNeural', name: 'Neerja', languages: ['english'], gender: 'female' },
  { id: 'en-IN-PrabhatNeural', name: 'Prabhat', languages: ['english'], gender: 'male' },
  { id: 'hi-IN-SwaraNeural', name: 'Swara', languages: ['hindi'], gender: 'female' },
  { id: 'hi-IN-MadhurNeural', name: 'Madhur', languages: ['hindi'], gender: 'male' },
  { id: 'mr-IN-AarohiNeural', name: 'Aarohi', languages: ['marathi'], gender: 'female' },
  { id: 'mr-IN-ManoharNeural', name: 'Manohar', languages: ['marathi'], gender: 'male' },
];

const outputFormats: Record<number, string> = {
  8000: 'raw-8khz-16bit-mono-pcm',
  16_000: 'raw-16khz-16bit-mono-pcm',
  24_000: 'raw-24khz-16bit-mono-pcm',
  48_000: 'raw-48khz-16bit-mono-pcm',
};

/** Speech by Azure: SSML in, raw samples out, streamed. */
export function azureSpeaking(options: AzureSpeechOptions): SpeakingProvider {
  const { apiKey, guard } = options;
  const url = `${azureBaseUrl(options, 'tts')}/cognitiveservices/v1`;
  return new SpeakingProvider({
    capabilities: {
      provider,
      languages: azureLanguages,
      // Every voice says its own language and English.
      scripts: { english: ['Latin'], hindi: ['Devanagari', 'Latin'], marathi: ['Devanagari', 'Latin'] },
      sampleRates: [24_000, 8000, 16_000, 48_000],
      streamingIn: false,
      streamingOut: true,
      wordTimings: false,
      pace: true,
      charactersMax: 5000,
      latency: 'live',
      grade: 'production',
    },
    voices,
    charactersPerCall: 3000,
    takesOwnVoices: false,
    async *speak({ text, language, voice, pace, sampleRate, signal }) {
      const response = await callProvider({
        provider,
        url,
        headers: {
          'ocp-apim-subscription-key': apiKey,
          'content-type': 'application/ssml+xml',
          'x-microsoft-outputformat': outputFormats[sampleRate] ?? '',
          'user-agent': 'parley',
        },
        body: ssml({ text, locale: azureLocales[language], voice, pace }),
        guard,
        signal,
      });
      yield* pcmBlocks(response, sampleRate, provider);
    },
  });
}

function ssml({ text, locale, voice, pace }: { text: string; locale: string; voice: string; pace: number }): string {
  const rate = `${pace >= 1 ? '+' : ''}${Math.round((pace - 1) * 100)}%`;
  return (
    `<speak version="1.0" xmlns="http://www.w3.org/2001/10/synthesis" xml:lang="${locale}">` +
    `<voice name="${escaped(voice)}"><prosody rate="${rate}">${escaped(text)}</prosody></voice></speak>`
  );
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' };

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => entities[sign] ?? sign);
}

const silence = new Set(['NoMatch', 'InitialSilenceTimeout', 'BabbleTimeout']);

const Answer = z.object({ RecognitionStatus: z.string(), DisplayText: z.string().optional() });

/** Transcription by Azure's recognition of short audio, a minute per request. */
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
        url: `${base}/speech/recognition/${model}/cognitiveservices/v1?${query.toString()}`,
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

const variables = {
  AZURE_SPEECH_KEY: variableText()
    .optional()
    .meta({
      description: 'The key of an Azure Speech resource: speech and transcription in all three languages.',
      example: '…',
      secret: true,
      needs: ['AZURE_SPEECH_REGION'],
    }),
  AZURE_SPEECH_REGION: variableText()
    .optional()
    .meta({ description: 'The region of that resource.', example: 'centralindia', needs: ['AZURE_SPEECH_KEY'] }),
};

/** Issues a token, which is free of charge. The host contains the region of the resource, so there is no default. */
const keyCheck: KeyCheck = {
  baseUrl: null,
  path: '/sts/v1.0/issueToken',
  method: 'POST',
  body: '',
  headers: (key) => ({ 'ocp-apim-subscription-key': key }),
};

/** An organization's key comes with the address of its resource, which contains the region. */
function optionsOf({ config, own }: SpeechOpening<typeof variables>): AzureSpeechOptions {
  const { AZURE_SPEECH_KEY, AZURE_SPEECH_REGION = '' } = config;
  return { ...accessOf(own, AZURE_SPEECH_KEY), region: own ? '' : AZURE_SPEECH_REGION };
}

/** Speech by Azure. */
export const azureSpeech = {
  voices: defineVoices({
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
    variables,
    keyCheck,
    open: async (opening) => azureSpeaking(optionsOf(opening)),
  }),
  hearing: defineHearing({
    id: 5,
    name: 'azure',
    isLocal: false,
    settings: ['AZURE_SPEECH_KEY', 'AZURE_SPEECH_REGION'],
    languages: ['english', 'hindi', 'marathi'],
    grade: 'production',
    isLive: false,
    wordTimings: false,
    models: [{ id: 41, model: 'conversation', languages: ['english', 'hindi', 'marathi'] }],
    variables,
    keyCheck,
    open: async (opening) => azureHearing(optionsOf(opening)),
  }),
};
