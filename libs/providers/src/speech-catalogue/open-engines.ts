import type { SpeechToText, TextToSpeech } from '@parley/ports';
import type { TranscribeProviderName, VoiceProviderName } from './catalogue';
import type { SpeechProviderConfig } from './speech-provider-variables';

// Engines are loaded when they are opened: a service that only lists them pays for none.
const voiceEngines: Record<VoiceProviderName, (config: SpeechProviderConfig) => Promise<TextToSpeech>> = {
  flite: async () => new (await import('../flite')).Flite(),
  espeak: async () => new (await import('../espeak')).Espeak(),
};

const transcribeEngines: Record<TranscribeProviderName, (config: SpeechProviderConfig) => Promise<SpeechToText>> = {
  pocketsphinx: async ({ POCKETSPHINX_DIR }) => (await import('../pocketsphinx')).Pocketsphinx.find({ folders: [POCKETSPHINX_DIR, '/'] }),
};

/** The engine of a provider. Whether it can work here is in its capabilities. */
export function openTextToSpeech(name: VoiceProviderName, config: SpeechProviderConfig): Promise<TextToSpeech> {
  return voiceEngines[name](config);
}

/** The engine of a provider. Whether it can work here is in its capabilities. */
export function openSpeechToText(name: TranscribeProviderName, config: SpeechProviderConfig): Promise<SpeechToText> {
  return transcribeEngines[name](config);
}
