import { text, url } from '@parley/service-kit';
import { z } from 'zod';

/** Where answers come from. Every service that lists or uses language models takes these, so that all see the same ones. */
export const LlmProviderVariables = z.object({
  OPENAI_API_KEY: text().optional().meta({ description: 'The key of OpenAI.', example: 'sk-…', secret: true }),
  ANTHROPIC_API_KEY: text().optional().meta({ description: 'The key of Anthropic.', example: 'sk-ant-…', secret: true }),
  GOOGLE_API_KEY: text().optional().meta({ description: 'The key of Google’s Gemini API.', example: 'AIza…', secret: true }),
  LLM_BASE_URL: url('http', 'https').optional().meta({
    description: 'A server of your own that speaks OpenAI’s protocol: Ollama, vLLM, llama.cpp.',
    example: 'http://127.0.0.1:11434/v1',
  }),
  LLM_MODEL: text().optional().meta({ description: 'The model to ask there.', example: 'qwen2.5:7b-instruct' }),
  LLM_API_KEY: text().optional().meta({ description: 'The key of that server, if it wants one.', example: '…', secret: true }),
});
export type LlmProviderConfig = z.output<typeof LlmProviderVariables>;
