import type { SpokenLanguage } from '@parley/ports';

export interface AzureSpeechOptions {
  readonly apiKey: string;
  /** A region such as `centralindia`. */
  readonly region: string;
  /** Takes the place of the region's own addresses. */
  readonly baseUrl?: string;
}

export const azureLanguages = ['english', 'hindi', 'marathi'] as const;
export const azureLocales: Record<SpokenLanguage, string> = { english: 'en-IN', hindi: 'hi-IN', marathi: 'mr-IN' };
