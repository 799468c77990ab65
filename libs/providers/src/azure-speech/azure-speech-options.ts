import type { SpokenLanguage } from '@parley/ports';
import type { ProviderAccess } from '../speech-http';

/** The resource is named by its region, such as `centralindia`, or by an address of its own. */
export interface AzureSpeechOptions extends ProviderAccess {
  readonly region: string;
}

/** Where a resource speaks and hears: its region's addresses, or below the custom domain that it was given. */
export function azureBaseUrl({ region, baseUrl }: AzureSpeechOptions, service: 'tts' | 'stt'): string {
  const itsRegion = baseUrl === undefined ? region : /^https:\/\/([a-z0-9]+)\.api\.cognitive\.microsoft\.com$/.exec(baseUrl)?.[1];
  return itsRegion === undefined ? `${baseUrl}/${service}` : `https://${itsRegion}.${service}.speech.microsoft.com`;
}

export const azureLanguages = ['english', 'hindi', 'marathi'] as const;
export const azureLocales: Record<SpokenLanguage, string> = { english: 'en-IN', hindi: 'hi-IN', marathi: 'mr-IN' };
