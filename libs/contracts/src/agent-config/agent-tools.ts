import { z } from 'zod';
import { described, filledText, secret, secretMask, text, WebAddress } from '../vocabulary';

const HeaderName = z
  .string()
  .max(100)
  .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 'must be a header name');

/** Tools that every agent may have; none of its own may be called so. */
export const builtinToolNames: readonly string[] = [
  'end_conversation',
  'search_knowledge',
  'price_and_availability',
  'transfer_call',
  'call_back',
  'do_not_call_again',
];

/** An HTTP function that the model may call. A secret is written once and read back masked. */
export const AgentTool = described(
  'AgentTool',
  'An HTTP function with JSON Schema parameters.',
  z.object({
    name: z.string().regex(/^[a-zA-Z][a-zA-Z0-9_]{0,63}$/, 'must start with a letter and have only letters, digits and _'),
    description: filledText(1000),
    method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']).default('POST'),
    url: WebAddress,
    parameters: z.record(z.string(), z.unknown()),
    headers: z
      .array(
        z.object({ name: HeaderName, value: secret(text(2000), { when: 'isSecret' }), isSecret: z.boolean().default(false) }),
      )
      .max(20)
      .default([]),
    timeoutMs: z.int().min(100).max(20_000).default(5000),
  }),
  {
    name: 'order_status',
    description: 'Looks up an order by its number.',
    method: 'POST',
    url: 'https://shop.example/api/order-status',
    parameters: { type: 'object', properties: { orderNo: { type: 'string' } }, required: ['orderNo'] },
    headers: [{ name: 'authorization', value: secretMask, isSecret: true }],
    timeoutMs: 5000,
  },
);

/** A tool for the examples of other schemas. */
export const toolExample = {
  name: 'order_status',
  description: 'Looks up an order by its number.',
  url: 'https://shop.example/api/order-status',
  parameters: { type: 'object' },
};
