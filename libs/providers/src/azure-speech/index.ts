export { azureHearing } from './azure-hearing';
export { azureSpeaking } from './azure-speaking';
export type { AzureSpeechOptions } from './azure-speech-options';
