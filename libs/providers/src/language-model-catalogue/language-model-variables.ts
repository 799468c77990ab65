import { text, url } from '@parley/service-kit';
import { z } from 'zod';

/** Where language models come from. Every service that lists or uses them takes these, so that all see the same ones. */
export const LanguageModelVariables = z.object({
  OPENAI_API_KEY: text().optional().meta({ description: 'The key of OpenAI.', example: 'sk-…', secret: true }),
  ANTHROPIC_API_KEY: text().optional().meta({ description: 'The key of Anthropic.', example: 'sk-ant-…', secret: true }),
  GOOGLE_API_KEY: text().optional().meta({ description: 'The key of the Gemini API.', example: 'AIza…', secret: true }),
  LLM_BASE_URL: url('http', 'https').optional().meta({
    description: 'A server of your own that speaks OpenAI’s protocol: vLLM, Ollama, llama.cpp, LiteLLM.',
    example: 'http://vllm:8000/v1',
  }),
  LLM_API_KEY: text().optional().meta({ description: 'The key of that server, if it wants one.', example: '…', secret: true }),
  LLM_MODEL: text().optional().meta({ description: 'The model to ask there.', example: 'qwen3-8b' }),
  LLAMA_MODEL_PATH: text().optional().meta({
    description: 'A GGUF file that the conversation service runs itself. Needs the optional package node-llama-cpp 3.22.',
    example: '/var/lib/parley/models/qwen3-4b-q4.gguf',
  }),
});

export type LanguageModelConfig = z.output<typeof LanguageModelVariables>;
