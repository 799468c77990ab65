import { text } from '@parley/service-kit';
import { defineLanguageModelVendor } from '../vendor';

/** The models of Google. */
export const google = defineLanguageModelVendor({
  id: 4,
  name: 'google',
  isLocal: false,
  grade: 'production',
  latency: 'live',
  models: [
    { id: 41, model: 'gemini-2.5-flash', contextTokens: 1_048_576 },
    { id: 42, model: 'gemini-2.5-pro', contextTokens: 1_048_576 },
    { id: 43, model: 'gemini-2.5-flash-lite', contextTokens: 1_048_576 },
  ],
  variables: {
    GOOGLE_API_KEY: text().optional().meta({ description: 'The key of the Gemini API.', example: 'AIza…', secret: true }),
  },
  settings: ['GOOGLE_API_KEY'],
  keyCheck: {
    baseUrl: 'https://generativelanguage.googleapis.com',
    path: '/v1beta/models?pageSize=1',
    method: 'GET',
    headers: (key) => ({ 'x-goog-api-key': key }),
  },
  open: async ({ config, own, ...model }) =>
    (await import('.')).googleModel({ apiKey: config.GOOGLE_API_KEY ?? '', ...own, ...model }),
});
