import { z } from 'zod';
import { type Adapter, describeGuardedAdapter, describeModelAdapter } from '../model-answer/model-adapter.suite';
import { anthropicModel } from './index';

const block = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string() }),
  z.object({ type: z.literal('tool_use'), id: z.string(), name: z.string(), input: z.record(z.string(), z.unknown()) }),
  z.object({ type: z.literal('tool_result'), tool_use_id: z.string(), content: z.union([z.string(), z.array(z.unknown())]) }),
]);
const body = z.object({
  model: z.literal('small'),
  stream: z.literal(true),
  max_tokens: z.int().min(1),
  temperature: z.number().min(0).max(1),
  system: z.union([z.string(), z.array(z.object({ type: z.literal('text'), text: z.string() }))]),
  messages: z
    .array(z.object({ role: z.enum(['user', 'assistant']), content: z.union([z.string().min(1), z.array(block).min(1)]) }))
    .min(1),
  tools: z
    .array(z.object({ name: z.string(), description: z.string(), input_schema: z.object({ type: z.literal('object') }) }))
    .optional(),
});

const event = (type: string, fields: object) => `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
const start = event('message_start', {
  message: {
    id: 'm',
    type: 'message',
    role: 'assistant',
    model: 'small',
    content: [],
    stop_reason: null,
    usage: { input_tokens: 21, output_tokens: 1 },
  },
});
const open = (content_block: object) => event('content_block_start', { index: 0, content_block });
const delta = (change: object) => event('content_block_delta', { index: 0, delta: change });
const said = (text: string) => delta({ type: 'text_delta', text });
const stop = (stop_reason: string) =>
  event('content_block_stop', { index: 0 }) +
  event('message_delta', { delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 7 } }) +
  event('message_stop', {});

const adapter: Adapter = {
  open: (options) => anthropicModel({ model: 'small', contextTokens: 8192, ...options }),
  protocol: {
    path: /^\/v1\/messages$/,
    key: ['x-api-key', 'sk-right'],
    body,
    answer: [
      start,
      open({ type: 'text', text: '' }),
      said('Within '),
      said('three '),
      said('working '),
      said('days.'),
      stop('end_turn'),
    ],
    tool: [
      start,
      open({ type: 'tool_use', id: 'toolu_1', name: 'business_hours', input: {} }),
      delta({ type: 'input_json_delta', partial_json: '{"day":' }),
      delta({ type: 'input_json_delta', partial_json: '"Sunday"}' }),
      stop('tool_use'),
    ],
    errorBody: { type: 'error', error: { type: 'api_error', message: 'told to fail' } },
  },
};

describeModelAdapter('the Anthropic adapter', adapter);
describeGuardedAdapter('the Anthropic adapter', adapter);
