export interface RerankerCapabilities {
  readonly provider: string;
  readonly passagesPerCall: number;
  /** Longer passages are cut, never refused. */
  readonly charactersPerPassage: number;
}

/** Where a passage stood in the question, and how well it answers: comparable only within one answer. */
export interface RankedPassage {
  readonly index: number;
  readonly relevance: number;
}

export interface RerankOptions {
  signal?: AbortSignal;
}

/** Reads a question and passages together, and tells which answer it. Fails with a ProviderFailure. */
export interface Reranker {
  readonly capabilities: RerankerCapabilities;
  /** Every passage once, the one that answers best first. Any number of them: the engine cuts them into calls itself. */
  rerank(question: string, passages: readonly string[], options?: RerankOptions): Promise<RankedPassage[]>;
  close(): Promise<void>;
}

/** The best first; of equals the one that came first. */
export function byRelevance(passages: readonly RankedPassage[]): RankedPassage[] {
  return passages.toSorted((a, b) => b.relevance - a.relevance || a.index - b.index);
}
