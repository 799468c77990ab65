import type { SpeechToText, TextToSpeech } from '@parley/ports';
import { fetchPublicServer, publicDoor } from '@parley/service-kit';
import type { OpenAiSpeechOptions } from '../openai-speech';
import type { ProviderAccess } from '../speech-http';
import type { TranscribeProviderName, VoiceProviderName } from './catalogue';
import type { SpeechProviderConfig } from './catalogue-entry';

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
