import type { SpeechToText, TextToSpeech } from '@parley/ports';
import type { TranscribeProviderName, VoiceProviderName } from './catalogue';
import type { SpeechProviderConfig } from './speech-provider-variables';

// Engines are loaded when they are opened: a service that only lists them pays for none.
const voiceEngines: Record<VoiceProviderName, (config: SpeechProviderConfig) => Promise<TextToSpeech>> = {
  flite: async () => new (await import('../flite')).Flite(),
  espeak: async () => new (await import('../espeak')).Espeak(),
  openai: async (config) => (await import('../openai-speech')).openAiSpeaking(openAiOptions(config)),
  deepgram: async (config) => (await import('../deepgram')).deepgramSpeaking({ apiKey: config.DEEPGRAM_API_KEY ?? '' }),
  elevenlabs: async (config) => (await import('../elevenlabs')).elevenLabsSpeaking({ apiKey: config.ELEVENLABS_API_KEY ?? '' }),
  sarvam: async (config) => (await import('../sarvam')).sarvamSpeaking({ apiKey: config.SARVAM_API_KEY ?? '' }),
  azure: async (config) => (await import('../azure-speech')).azureSpeaking(azureOptions(config)),
};

const transcribeEngines: Record<TranscribeProviderName, (config: SpeechProviderConfig) => Promise<SpeechToText>> = {
  pocketsphinx: async ({ POCKETSPHINX_DIR }) => new (await import('../pocketsphinx')).Pocketsphinx({ folders: [POCKETSPHINX_DIR, '/'] }),
  openai: async (config) => (await import('../openai-speech')).openAiHearing(openAiOptions(config)),
  deepgram: async (config) => (await import('../deepgram')).deepgramHearing({ apiKey: config.DEEPGRAM_API_KEY ?? '' }),
  sarvam: async (config) => (await import('../sarvam')).sarvamHearing({ apiKey: config.SARVAM_API_KEY ?? '' }),
  azure: async (config) => (await import('../azure-speech')).azureHearing(azureOptions(config)),
};

function openAiOptions({ OPENAI_SPEECH_API_KEY: apiKey = '', OPENAI_SPEECH_BASE_URL: baseUrl }: SpeechProviderConfig) {
  return { apiKey, baseUrl };
}

function azureOptions({ AZURE_SPEECH_KEY: apiKey = '', AZURE_SPEECH_REGION: region = '' }: SpeechProviderConfig) {
  return { apiKey, region };
}

/** The engine of a provider. Whether it can work here is in its capabilities. */
export function openTextToSpeech(name: VoiceProviderName, config: SpeechProviderConfig): Promise<TextToSpeech> {
  return voiceEngines[name](config);
}

/** The engine of a provider. Whether it can work here is in its capabilities. */
export function openSpeechToText(name: TranscribeProviderName, config: SpeechProviderConfig): Promise<SpeechToText> {
  return transcribeEngines[name](config);
}
