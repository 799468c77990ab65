const wordPattern = /[\p{L}\p{M}\p{N}@.+_-]*[\p{L}\p{M}\p{N}@_]/gu;

/** One spelling for what engines write in several: case, apostrophes, nukta, chandrabindu. */
export function folded(text: string): string {
  return respelt(text).toLowerCase();
}

/** The words of a folded text without the punctuation between them. */
export function wordsOf(foldedText: string): readonly string[] {
  return foldedText.match(wordPattern) ?? [];
}

/** The folded words of these lines. */
export function wordSet(...lines: readonly string[]): ReadonlySet<string> {
  return new Set(lines.flatMap((line) => folded(line).split(/\s+/u)).filter(Boolean));
}

/** Matches a folded text that ends with one of these phrases. `\b` does not work in Devanagari. */
export function ending(...phrases: readonly string[]): RegExp {
  return new RegExp(`(?:^|\\s)(?:${respelt(phrases.join('|'))})$`, 'u');
}

export function respelt(text: string): string {
  return text
    .normalize('NFC')
    .replace(/[\u200c\u200d\u093c'’]/gu, '')
    .replaceAll('\u0901', '\u0902');
}
