export {
  stableKey,
  transcribeModelOf,
  type TranscribeProviderName,
  transcribeProviders,
  voiceOf,
  type VoiceProviderName,
  voiceProviders,
} from './catalogue';
export {
  type SpeechProviderConfig,
  SpeechProviderVariables,
  type TranscribeProviderEntry,
  type VoiceProviderEntry,
} from './catalogue-entry';
export { openSpeechToText, openTextToSpeech, type OwnKey } from './open-engines';
