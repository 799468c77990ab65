import type { SpeechGrade, SpeechToText, SpokenLanguage, TextToSpeech, Voice } from '@parley/ports';
import { fetchPublicServer, publicDoor, text, url } from '@parley/service-kit';
import { z } from 'zod';
import type { OpenAiSpeechOptions } from '../openai-speech';
import type { ProviderAccess } from '../speech-http';
import type { TranscribeProviderName, VoiceProviderName } from './catalogue';

export {
  stableKey,
  transcribeModelOf,
  type TranscribeProviderName,
  transcribeProviders,
  voiceOf,
  type VoiceProviderName,
  voiceProviders,
} from './catalogue';

/** A key that an organization brought, and where it is to be used if not at the provider's own address. */
export interface OwnKey {
  readonly key: string;
  readonly baseURL: string | null;
  /** What to ask for there, where it is not the provider's own choice. */
  readonly model: string | null;
}

interface Keys {
  readonly config: SpeechProviderConfig;
  readonly own: OwnKey | undefined;
}

// Engines are loaded when they are opened: a service that only lists them pays for none.
const voiceEngines: Record<VoiceProviderName, (keys: Keys) => Promise<TextToSpeech>> = {
  flite: async () => new (await import('../flite')).Flite(),
  espeak: async () => new (await import('../espeak')).Espeak(),
  'sherpa-onnx': async ({ config }) => new (await import('../sherpa-onnx')).SherpaSpeaking(config.PARLEY_MODELS),
  openai: async (keys) => (await import('../openai-speech')).openAiSpeaking(openAiAccess(keys)),
  deepgram: async (keys) => (await import('../deepgram')).deepgramSpeaking(deepgramAccess(keys)),
  elevenlabs: async (keys) => (await import('../elevenlabs')).elevenLabsSpeaking(elevenLabsAccess(keys)),
  sarvam: async (keys) => (await import('../sarvam')).sarvamSpeaking(sarvamAccess(keys)),
  azure: async (keys) => (await import('../azure-speech')).azureSpeaking(azureAccess(keys)),
};

const transcribeEngines: Record<TranscribeProviderName, (keys: Keys) => Promise<SpeechToText>> = {
  pocketsphinx: async ({ config }) =>
    new (await import('../pocketsphinx')).Pocketsphinx({ folders: [config.POCKETSPHINX_DIR, '/'] }),
  'sherpa-onnx': async ({ config }) => new (await import('../sherpa-onnx')).SherpaHearing(config.PARLEY_MODELS),
  zipformer: async ({ config }) => new (await import('../sherpa-onnx')).ZipformerHearing(config.PARLEY_MODELS),
  openai: async (keys) => (await import('../openai-speech')).openAiHearing(openAiAccess(keys)),
  deepgram: async (keys) => (await import('../deepgram')).deepgramHearing(deepgramAccess(keys)),
  sarvam: async (keys) => (await import('../sarvam')).sarvamHearing(sarvamAccess(keys)),
  azure: async (keys) => (await import('../azure-speech')).azureHearing(azureAccess(keys)),
};

function openAiAccess({ config, own }: Keys): OpenAiSpeechOptions {
  if (own) return { ...accessWith(own), ...(own.model !== null && { speechModel: own.model, transcriptionModel: own.model }) };
  return { apiKey: config.OPENAI_SPEECH_API_KEY ?? '', baseUrl: config.OPENAI_SPEECH_BASE_URL };
}

function deepgramAccess({ config, own }: Keys): ProviderAccess {
  return own ? accessWith(own) : { apiKey: config.DEEPGRAM_API_KEY ?? '' };
}

function elevenLabsAccess({ config, own }: Keys): ProviderAccess {
  return own ? accessWith(own) : { apiKey: config.ELEVENLABS_API_KEY ?? '' };
}

function sarvamAccess({ config, own }: Keys): ProviderAccess {
  return own ? accessWith(own) : { apiKey: config.SARVAM_API_KEY ?? '' };
}

/** A key of one's own comes with the address of its resource, which names the region. */
function azureAccess({ config, own }: Keys): ProviderAccess & { region: string } {
  const { AZURE_SPEECH_KEY: apiKey = '', AZURE_SPEECH_REGION: region = '' } = config;
  return own ? { ...accessWith(own), region: '' } : { apiKey, region };
}

/** Nothing of the installation's is used with it, and an address that its owner chose is reached over the open Internet alone. */
function accessWith({ key, baseURL }: OwnKey): ProviderAccess {
  if (baseURL === null) return { apiKey: key };
  return { apiKey: key, baseUrl: baseURL.replace(/\/+$/, ''), guard: { fetch: fetchPublicServer, door: publicDoor } };
}

/** The engine of a provider, with an organization's own key or else the installation's. Its capabilities say whether it can work here. */
export function openTextToSpeech(name: VoiceProviderName, config: SpeechProviderConfig, own?: OwnKey): Promise<TextToSpeech> {
  return voiceEngines[name]({ config, own });
}

/** The engine of a provider, with an organization's own key or else the installation's. Its capabilities say whether it can work here. */
export function openSpeechToText(
  name: TranscribeProviderName,
  config: SpeechProviderConfig,
  own?: OwnKey,
): Promise<SpeechToText> {
  return transcribeEngines[name]({ config, own });
}

/** What every provider says of itself. */
interface ProviderEntry {
  /** Never changes and is never used again: agents refer to it. */
  readonly id: number;
  readonly name: string;
  readonly isLocal: boolean;
  /** Variables without which it does not work. */
  readonly settings: readonly (keyof SpeechProviderConfig)[];
  readonly languages: readonly SpokenLanguage[];
  readonly grade: SpeechGrade;
}

export interface VoiceProviderEntry extends ProviderEntry {
  readonly latency: 'instant' | 'live' | 'slow';
  /** A voice's id is unique among all providers; `voice` is what its provider calls it. */
  readonly voices: readonly {
    readonly id: number;
    readonly voice: string;
    readonly gender: Voice['gender'];
    readonly languages: readonly SpokenLanguage[];
  }[];
  readonly sampleRates: readonly number[];
}

export interface TranscribeProviderEntry extends ProviderEntry {
  readonly isLive: boolean;
  /** A model's id is unique among all providers; `model` is what its provider calls it. */
  readonly models: readonly { readonly id: number; readonly model: string; readonly languages: readonly SpokenLanguage[] }[];
  readonly wordTimings: boolean;
}

/** Where speech comes from. Every service that lists or uses speech providers takes these, so that all see the same ones. */
export const SpeechProviderVariables = z.object({
  POCKETSPHINX_DIR: text().default('.cache/pocketsphinx').meta({
    description: 'Where pocketsphinx was unpacked. The system’s own installation is found without it.',
    example: '/opt/pocketsphinx',
  }),
  PARLEY_MODELS: text().default('.cache/models').meta({
    description:
      'The folder of models for sherpa-onnx, which speaks and hears on this machine, and of smart-turn, which hears when callers have finished. `npm run models -- list` shows them.',
    example: '/var/lib/parley/models',
  }),
  OPENAI_SPEECH_API_KEY: text()
    .optional()
    .meta({ description: 'The key of a speech service that speaks OpenAI’s protocol.', example: 'sk-…', secret: true }),
  OPENAI_SPEECH_BASE_URL: url('http', 'https')
    .optional()
    .meta({ description: 'The address of that service, if it is not OpenAI.', example: 'http://speaches:8000/v1' }),
  DEEPGRAM_API_KEY: text()
    .optional()
    .meta({ description: 'The key of Deepgram: English and Hindi heard live, English spoken.', example: '…', secret: true }),
  ELEVENLABS_API_KEY: text()
    .optional()
    .meta({ description: 'The key of ElevenLabs: English and Hindi spoken.', example: '…', secret: true }),
  SARVAM_API_KEY: text()
    .optional()
    .meta({ description: 'The key of Sarvam: Hindi, Marathi and English, spoken and heard.', example: '…', secret: true }),
  AZURE_SPEECH_KEY: text().optional().meta({
    description: 'The key of an Azure Speech resource: all three languages, spoken and heard.',
    example: '…',
    secret: true,
  }),
  AZURE_SPEECH_REGION: text().optional().meta({ description: 'The region of that resource.', example: 'centralindia' }),
});

export type SpeechProviderConfig = z.output<typeof SpeechProviderVariables>;
