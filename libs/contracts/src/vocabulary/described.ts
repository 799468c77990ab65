import type { z } from 'zod';

/** Names a schema for the API documents and shows at least one value that it takes. A test parses every example. */
export function described<S extends z.ZodType>(
  id: string,
  description: string,
  schema: S,
  example: z.input<S>,
  ...more: z.input<S>[]
): S {
  return schema.meta({ id, description, examples: [example, ...more] });
}

/** The values that a described schema was shown to take. */
export function examplesOf(schema: z.ZodType): unknown[] {
  const examples = schema.meta()?.examples;
  return Array.isArray(examples) ? examples : [];
}
