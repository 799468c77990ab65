import { z } from 'zod';
import type { Protocol } from './model-server.fake';

const call = z.object({
  id: z.string(),
  type: z.literal('function'),
  function: z.object({ name: z.string(), arguments: z.string() }),
});
const message = z.discriminatedUnion('role', [
  z.object({ role: z.literal('system'), content: z.string() }),
  z.object({ role: z.literal('user'), content: z.string() }),
  z.object({ role: z.literal('assistant'), content: z.string().nullable(), tool_calls: z.array(call).optional() }),
  z.object({ role: z.literal('tool'), content: z.string(), tool_call_id: z.string() }),
]);
const body = z.object({
  model: z.literal('small'),
  stream: z.literal(true),
  stream_options: z.object({ include_usage: z.literal(true) }),
  messages: z.array(message).min(2),
  temperature: z.number().min(0).max(2),
  max_tokens: z.int().min(1),
  tools: z
    .array(
      z.object({
        type: z.literal('function'),
        function: z.object({ name: z.string(), description: z.string(), parameters: z.object({}) }),
      }),
    )
    .optional(),
});

const chunk = (choice: object | null, usage: object | null = null) => {
  const choices = choice ? [{ index: 0, finish_reason: null, ...choice }] : [];
  return `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'small', choices, usage })}\n\n`;
};
const said = (content: string) => chunk({ delta: { content } });
const usage = chunk(null, { prompt_tokens: 21, completion_tokens: 7, total_tokens: 28 });
const toolCall = (piece: object) => chunk({ delta: { tool_calls: [{ index: 0, ...piece }] } });

/** OpenAI's documented chat completions. */
export const openAiProtocol: Protocol = {
  path: /^\/chat\/completions$/,
  key: ['authorization', 'Bearer sk-right'],
  body,
  answer: [
    chunk({ delta: { role: 'assistant', content: '' } }),
    said('Within '),
    said('three '),
    said('working '),
    said('days.'),
    chunk({ delta: {}, finish_reason: 'stop' }),
    usage,
    'data: [DONE]\n\n',
  ],
  tool: [
    chunk({ delta: { role: 'assistant', content: null } }),
    toolCall({ id: 'call_1', type: 'function', function: { name: 'business_hours', arguments: '' } }),
    toolCall({ function: { arguments: '{"day":' } }),
    toolCall({ function: { arguments: '"Sunday"}' } }),
    chunk({ delta: {}, finish_reason: 'tool_calls' }),
    usage,
    'data: [DONE]\n\n',
  ],
  errorBody: { error: { message: 'told to fail', type: 'invalid_request_error', param: null, code: null } },
};
