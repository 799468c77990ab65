import { fuse, scoredPassages, tuning } from '@parley/apps/knowledge-ingest/retrieval';
import type { EmbeddingCapabilities } from '@parley/ports';
import type { Searches } from './index-of-passages';

/** Topics in the order of an engine's results, and its score for the first. */
export interface Ranking {
  readonly topics: readonly string[];
  readonly sureness: number;
}

type Engine = (question: string, searches: Searches) => Ranking;

const distinct = (topics: readonly string[]) => [...new Set(topics)];

/** The engines compared: each search alone, their plain fusion, and the service's own ranking. */
export function enginesFor(capabilities: EmbeddingCapabilities): Readonly<Record<string, Engine>> {
  return {
    'words (BM25)': (_, { lexical }) => ({
      topics: distinct(lexical.map(({ passage }) => passage.sourceId)),
      sureness: lexical[0]?.score ?? 0,
    }),
    'meaning (dense)': (_, { dense }) => ({
      topics: distinct(dense.map(({ passage }) => passage.sourceId)),
      sureness: dense[0]?.score ?? 0,
    }),
    'fusion (RRF)': (_, { dense, lexical }) => {
      const fused = fuse(dense, lexical, tuning.weights.english);
      return { topics: distinct(fused.map(({ passage }) => passage.sourceId)), sureness: fused[0]?.rankScore ?? 0 };
    },
    'as served': (question, searches) => {
      const scored = scoredPassages(question, searches, capabilities, 30);
      return { topics: distinct(scored.map(({ passage }) => passage.sourceId)), sureness: scored[0]?.score ?? 0 };
    },
  };
}
