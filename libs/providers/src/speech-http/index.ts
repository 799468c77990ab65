export { callProvider, notReached, type ProviderAccess, type ProviderCall, readJson } from './call-provider';
export { pcmBlocks } from './pcm-blocks';
export { type SpeechProtocol, SpeakingProvider } from './speaking-provider';
export { type HearingProtocol, HearingProvider } from './hearing-provider';
