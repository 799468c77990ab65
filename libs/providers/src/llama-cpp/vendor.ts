import { text } from '@parley/service-kit';
import { defineLanguageModelVendor } from '../vendor';

/** A model that runs in this process. */
export const llamaCpp = defineLanguageModelVendor({
  id: 6,
  name: 'llama-cpp',
  isLocal: true,
  grade: 'production',
  latency: 'slow',
  // The model that LLAMA_MODEL_PATH names, with memory for as much as this.
  models: [{ id: 61, model: 'configured', contextTokens: 8192 }],
  variables: {
    LLAMA_MODEL_PATH: text().optional().meta({
      description: 'A GGUF file that the conversation service runs itself. Needs the optional package node-llama-cpp 3.22.',
      example: '/var/lib/parley/models/qwen3-4b-q4.gguf',
    }),
  },
  settings: ['LLAMA_MODEL_PATH'],
  open: async ({ config, contextTokens }) =>
    (await import('.')).llamaCppAt({ path: config.LLAMA_MODEL_PATH ?? '', contextTokens }),
});
