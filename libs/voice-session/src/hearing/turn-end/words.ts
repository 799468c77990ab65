const wordPattern = /[\p{L}\p{M}\p{N}@.+_-]*[\p{L}\p{M}\p{N}@_]/gu;

/** One spelling for what engines write in several: case, apostrophes, nukta, chandrabindu. */
export function folded(text: string): string {
  return respelt(text).toLowerCase();
}

/** The words of a folded text without the punctuation between them. */
export function wordsOf(foldedText: string): readonly string[] {
  return foldedText.match(wordPattern) ?? [];
}

/** The words of some lines, spelt as `folded` spells them. */
export function wordSet(...lines: readonly string[]): ReadonlySet<string> {
  return new Set(lines.flatMap((line) => folded(line).split(/\s+/u)).filter(Boolean));
}

/** Matches a text, folded, that ends with one of these phrases; it knows where words begin in Devanagari, which `\b` does not. */
export function ending(...phrases: readonly string[]): RegExp {
  return new RegExp(`(?:^|\\s)(?:${respelt(phrases.join('|'))})$`, 'u');
}

function respelt(text: string): string {
  return text.normalize('NFC').replace(/[\u200c\u200d\u093c'’]/gu, '').replaceAll('\u0901', '\u0902');
}
