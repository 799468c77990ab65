export * from './catalogue';
export * from './stable-key';
export * from './speech-provider-variables';
export { openSpeechToText, openTextToSpeech } from './open-engines';
