import { type Labels, type SeedEntry } from './seed-entry';

const language = (id: number, name: string, tag: string, labels: Labels): SeedEntry => ({
  kind: 'language',
  id,
  name,
  labels,
  details: { tag },
});

/** The languages that agents speak, with the ids of the specification. */
export const languages: readonly SeedEntry[] = [
  language(1, 'english', 'en-IN', { en: 'English', hi: 'अंग्रेज़ी', mr: 'इंग्रजी' }),
  language(2, 'hindi', 'hi-IN', { en: 'Hindi', hi: 'हिन्दी', mr: 'हिंदी' }),
  language(3, 'marathi', 'mr-IN', { en: 'Marathi', hi: 'मराठी', mr: 'मराठी' }),
];
