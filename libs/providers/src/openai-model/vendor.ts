import { text } from '@parley/service-kit';
import { defineLanguageModelVendor } from '../vendor';

/** The models of OpenAI. */
export const openAi = defineLanguageModelVendor({
  id: 2,
  name: 'openai',
  isLocal: false,
  grade: 'production',
  latency: 'live',
  models: [
    { id: 21, model: 'gpt-4.1-mini', contextTokens: 1_047_576 },
    { id: 22, model: 'gpt-4.1', contextTokens: 1_047_576 },
    { id: 23, model: 'gpt-4o-mini', contextTokens: 128_000 },
    { id: 24, model: 'gpt-4.1-nano', contextTokens: 1_047_576 },
    { id: 25, model: 'gpt-4o', contextTokens: 128_000 },
  ],
  variables: {
    OPENAI_API_KEY: text().optional().meta({ description: 'The key of OpenAI.', example: 'sk-…', secret: true }),
  },
  settings: ['OPENAI_API_KEY'],
  keyCheck: {
    baseUrl: 'https://api.openai.com/v1',
    path: '/models',
    method: 'GET',
    headers: (key) => ({ authorization: `Bearer ${key}` }),
  },
  open: async ({ config, own, ...model }) =>
    (await import('.')).openAiModel({ apiKey: config.OPENAI_API_KEY ?? '', ...own, ...model }),
});
