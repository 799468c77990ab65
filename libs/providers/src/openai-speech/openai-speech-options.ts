import type { ProviderAccess } from '../speech-http';

/** `baseUrl` may be that of any server that speaks the same protocol. */
export interface OpenAiSpeechOptions extends ProviderAccess {
  readonly speechModel?: string;
  readonly transcriptionModel?: string;
}

export const openAiBaseUrl = 'https://api.openai.com/v1';
