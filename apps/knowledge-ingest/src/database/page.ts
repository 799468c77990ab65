/** A search word as a pattern of ILIKE, in which it stands for itself. */
export function containing(word: string): string {
  return `%${word.replace(/[\\%_]/g, '\\$&')}%`;
}
