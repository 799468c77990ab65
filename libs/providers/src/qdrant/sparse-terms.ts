/** The usual constants of BM25, and the length that most chunks have: Qdrant adds the inverse document frequency itself. */
const saturation = 1.2;
const lengthWeight = 0.75;
const usualLength = 80;

function indexOf(term: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < term.length; at += 1) hash = Math.imul(hash ^ term.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}

function counted(terms: readonly string[]): Map<number, number> {
  const counts = new Map<number, number>();
  for (const term of terms) counts.set(indexOf(term), (counts.get(indexOf(term)) ?? 0) + 1);
  return counts;
}

export interface SparseVector {
  indices: number[];
  values: number[];
}

/** A passage's words as the sparse vector whose product with a question's is BM25. */
export function passageTerms(terms: readonly string[]): SparseVector {
  const counts = counted(terms);
  const damping = saturation * (1 - lengthWeight + (lengthWeight * terms.length) / usualLength);
  return {
    indices: [...counts.keys()],
    values: [...counts.values()].map((count) => (count * (saturation + 1)) / (count + damping)),
  };
}

/** A question's words: each counts once. */
export function questionTerms(terms: readonly string[]): SparseVector {
  const indices = [...counted(terms).keys()];
  return { indices, values: indices.map(() => 1) };
}
