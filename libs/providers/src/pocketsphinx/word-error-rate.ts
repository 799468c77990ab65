/** Words wrong, missing or too many, as a share of the words that were said. */
export function wordErrorRate(said: string, heard: string): number {
  const saidWords = wordsOf(said);
  let costs = Array.from({ length: wordsOf(heard).length + 1 }, (_, index) => index);
  for (const [row, word] of saidWords.entries()) {
    const next = [row + 1];
    for (const [column, other] of wordsOf(heard).entries()) {
      const replaced = (costs[column] ?? 0) + (word === other ? 0 : 1);
      next.push(Math.min(replaced, (costs[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    costs = next;
  }
  return (costs.at(-1) ?? 0) / Math.max(1, saidWords.length);
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{M}\p{N}']+/gu) ?? [];
}
