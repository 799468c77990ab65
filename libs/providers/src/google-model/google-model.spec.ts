import { z } from 'zod';
import { type Adapter, describeGuardedAdapter, describeModelAdapter } from '../model-answer/model-adapter.suite';
import { googleModel } from './index';

const part = z.union([
  z.object({ text: z.string() }),
  z.object({ functionCall: z.object({ name: z.string(), args: z.object({}) }) }),
  z.object({ functionResponse: z.object({ name: z.string(), response: z.unknown() }) }),
]);
const body = z.object({
  contents: z.array(z.object({ role: z.enum(['user', 'model', 'function']), parts: z.array(part).min(1) })).min(1),
  systemInstruction: z.object({ parts: z.array(z.object({ text: z.string() })) }),
  generationConfig: z.object({ temperature: z.number(), maxOutputTokens: z.int() }),
  tools: z.array(z.object({ functionDeclarations: z.array(z.object({ name: z.string(), description: z.string() })) })).optional(),
});

const chunk = (parts: object[], candidatesTokenCount: number, ending: object = {}) => {
  const usageMetadata = { promptTokenCount: 21, candidatesTokenCount, totalTokenCount: 21 + candidatesTokenCount };
  return `data: ${JSON.stringify({ candidates: [{ index: 0, content: { role: 'model', parts }, ...ending }], usageMetadata })}\n\n`;
};
const finished = { finishReason: 'STOP' };

const adapter: Adapter = {
  open: (options) => googleModel({ model: 'small', contextTokens: 8192, ...options }),
  protocol: {
    path: /^\/v1beta\/models\/small:streamGenerateContent\?alt=sse$/,
    key: ['x-goog-api-key', 'sk-right'],
    body,
    answer: [
      chunk([{ text: 'Within ' }], 1),
      chunk([{ text: 'three ' }], 2),
      chunk([{ text: 'working ' }], 4),
      chunk([{ text: 'days.' }], 7, finished),
    ],
    tool: [chunk([{ functionCall: { name: 'business_hours', args: { day: 'Sunday' } } }], 7, finished)],
    errorBody: { error: { code: 500, message: 'told to fail', status: 'INTERNAL' } },
  },
};

describeModelAdapter('the Google adapter', adapter);
describeGuardedAdapter('the Google adapter', adapter);
