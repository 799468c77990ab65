import type { Hit, Passage } from '@parley/ports';

export interface Candidate {
  readonly passage: Passage;
  /** Undefined when the meaning search did not bring it. */
  readonly cosine: number | undefined;
  readonly rankScore: number;
}

const rankOffset = 60;

const keyOf = ({ sourceId, version, ordinal }: Passage) => `${sourceId}/${version}/${ordinal}`;

/** Reciprocal rank fusion: a passage that both searches like wins over one that only one of them loves. */
export function fuse(dense: readonly Hit[], lexical: readonly Hit[], weights: { dense: number; lexical: number }): Candidate[] {
  const candidates = new Map<string, Candidate>();
  dense.forEach(({ passage, score }, rank) => {
    candidates.set(keyOf(passage), { passage, cosine: score, rankScore: weights.dense / (rankOffset + rank) });
  });
  lexical.forEach(({ passage }, rank) => {
    const known = candidates.get(keyOf(passage));
    const rankScore = (known?.rankScore ?? 0) + weights.lexical / (rankOffset + rank);
    candidates.set(keyOf(passage), { passage, cosine: known?.cosine, rankScore });
  });
  return [...candidates.values()].sort((a, b) => b.rankScore - a.rankScore);
}
