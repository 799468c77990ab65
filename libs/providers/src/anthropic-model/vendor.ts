import { text } from '@parley/service-kit';
import { defineLanguageModelVendor } from '../vendor';

/** The models of Anthropic. */
export const anthropic = defineLanguageModelVendor({
  id: 3,
  name: 'anthropic',
  isLocal: false,
  grade: 'production',
  latency: 'live',
  models: [
    { id: 31, model: 'claude-haiku-4-5', contextTokens: 200_000 },
    { id: 32, model: 'claude-sonnet-4-5', contextTokens: 200_000 },
    { id: 33, model: 'claude-opus-4-1', contextTokens: 200_000 },
  ],
  variables: {
    ANTHROPIC_API_KEY: text().optional().meta({ description: 'The key of Anthropic.', example: 'sk-ant-…', secret: true }),
  },
  settings: ['ANTHROPIC_API_KEY'],
  keyCheck: {
    baseUrl: 'https://api.anthropic.com',
    path: '/v1/models',
    method: 'GET',
    headers: (key) => ({ 'x-api-key': key, 'anthropic-version': '2023-06-01' }),
  },
  open: async ({ config, own, ...model }) =>
    (await import('.')).anthropicModel({ apiKey: config.ANTHROPIC_API_KEY ?? '', ...own, ...model }),
});
