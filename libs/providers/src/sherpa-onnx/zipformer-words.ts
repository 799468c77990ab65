import type { TimedWord } from '@parley/ports';

const pieceMs = 160;

/**
 * Pieces of words joined to words: a piece that begins with a space begins one. A word lasts until a little after its last
 * piece, or until the next word.
 */
export function wordsOf(pieces: readonly string[], secondsOf: readonly number[]): TimedWord[] {
  const words: { text: string; startMs: number; endMs: number }[] = [];
  for (const [index, piece] of pieces.entries()) {
    const atMs = Math.round((secondsOf[index] ?? 0) * 1000);
    const last = words.at(-1);
    if (last && !piece.startsWith(' ')) {
      last.text += plain(piece);
      last.endMs = atMs + pieceMs;
      continue;
    }
    if (last) last.endMs = Math.min(last.endMs, atMs);
    words.push({ text: plain(piece.trimStart()), startMs: atMs, endMs: atMs + pieceMs });
  }
  return words;
}

/** Models that know capital letters alone say nothing by them. */
export function plain(text: string): string {
  return text === text.toUpperCase() ? text.toLowerCase() : text;
}
