export interface DeepgramOptions {
  readonly apiKey: string;
  readonly baseUrl?: string;
}

export const deepgramBaseUrl = 'https://api.deepgram.com';
