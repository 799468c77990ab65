/** A pattern of LIKE and ILIKE that finds what somebody typed anywhere in a text. Its wildcards stand for themselves. */
export function containing(typed: string): string {
  return `%${typed.replace(/[\\%_]/g, '\\$&')}%`;
}
