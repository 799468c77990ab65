import { examplesOf } from '@parley/contracts';
import type { z } from 'zod';

/** Values as an OpenAPI `examples` object; nothing when there are none. */
export function namedExamples(values: readonly unknown[]): { examples?: Record<string, { value: unknown }> } {
  if (values.length === 0) return {};
  return { examples: Object.fromEntries(values.map((value, index) => [`example${index + 1}`, { value }])) };
}

/** What a client may send. Text that a form or a query carries is shown as what it stands for. */
export function inputExamples(schema: z.ZodType, isText: boolean): unknown[] {
  const examples = examplesOf(schema);
  return isText ? examples.map((example) => understood(schema, example)) : examples;
}

/** What a client may get: with every default filled in, as the service sends it. */
export function outputExamples(schema: z.ZodType): unknown[] {
  return examplesOf(schema).map((example) => schema.parse(example));
}

function understood(schema: z.ZodType, example: unknown): unknown {
  const parsed = Object.entries(Object(schema.parse(example)));
  return Object.fromEntries(parsed.filter(([name]) => Object.hasOwn(Object(example), name)));
}
