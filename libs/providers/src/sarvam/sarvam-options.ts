import type { SpokenLanguage } from '@parley/ports';

export const sarvamBaseUrl = 'https://api.sarvam.ai';

export const sarvamLanguages = ['hindi', 'marathi', 'english'] as const;
export const sarvamCodes: Record<SpokenLanguage, string> = { hindi: 'hi-IN', marathi: 'mr-IN', english: 'en-IN' };
