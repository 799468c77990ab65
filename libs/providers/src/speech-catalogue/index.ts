export * from './catalogue';
export type { ProviderEntry, TranscribeProviderEntry, VoiceProviderEntry } from './catalogue-entry';
export * from './stable-key';
export * from './speech-provider-variables';
export { openSpeechToText, openTextToSpeech, type OwnKey } from './open-engines';
