export interface OpenAiSpeechOptions {
  readonly apiKey: string;
  /** Any server that speaks the same protocol. */
  readonly baseUrl?: string;
  readonly speechModel?: string;
  readonly transcriptionModel?: string;
}

export const openAiBaseUrl = 'https://api.openai.com/v1';
