/** Values as an OpenAPI `examples` object; nothing when there are none. */
export function namedExamples(values: readonly unknown[]): { examples?: Record<string, { value: unknown }> } {
  if (values.length === 0) return {};
  return { examples: Object.fromEntries(values.map((value, index) => [`example${index + 1}`, { value }])) };
}
