/** The fields of a reply or an example, whose types a test knows nothing of yet. Fails where there are none. */
export function recordOf(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null) throw new TypeError(`not an object: ${String(value)}`);
  return value as Record<string, unknown>;
}
