import { text, url } from '@parley/service-kit';
import { defineLanguageModelVendor } from '../language-model-vendor';

/** Any server that speaks OpenAI’s protocol. */
export const openAiCompatible = defineLanguageModelVendor({
  id: 5,
  name: 'openai-compatible',
  isLocal: false,
  grade: 'production',
  latency: 'live',
  // The model that LLM_MODEL names; its size is not ours to know, so a modest one is assumed.
  models: [{ id: 51, model: 'configured', contextTokens: 8192 }],
  variables: {
    LLM_BASE_URL: url('http', 'https').optional().meta({
      description: 'A server of your own that speaks OpenAI’s protocol: vLLM, Ollama, llama.cpp, LiteLLM.',
      example: 'http://vllm:8000/v1',
    }),
    LLM_API_KEY: text().optional().meta({ description: 'The key of that server, if it wants one.', example: '…', secret: true }),
    LLM_MODEL: text().optional().meta({ description: 'The model to ask there.', example: 'qwen3-8b' }),
  },
  settings: ['LLM_BASE_URL', 'LLM_MODEL'],
  keyCheck: {
    baseUrl: null,
    path: '/models',
    method: 'GET',
    headers: (key) => ({ authorization: `Bearer ${key}` }),
    isModelRequired: true,
  },
  open: async ({ config, own, contextTokens }) => {
    // A customer's server is asked through the guarded fetch, which LangChain's client takes.
    if (own) return (await import('../openai-model')).openAiModel({ contextTokens, model: '', ...own });
    const ours = { model: config.LLM_MODEL ?? '', apiKey: config.LLM_API_KEY ?? 'none', baseUrl: config.LLM_BASE_URL ?? '' };
    return new (await import('.')).ChatCompletionsModel({ contextTokens, ...ours });
  },
});
