/** The fields of an object of unknown type; throws if it is not an object. */
export function recordOf(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null) throw new TypeError(`not an object: ${String(value)}`);
  return value as Record<string, unknown>;
}
