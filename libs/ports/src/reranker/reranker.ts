import type { ProviderFailure } from '../provider-failure';

export interface RerankerCapabilities {
  readonly provider: string;
  readonly passagesPerCall: number;
  /** Longer passages are cut, never refused. */
  readonly charactersPerPassage: number;
}

/** The index of a passage in the request, and how well it answers; comparable only within one response. */
export interface RankedPassage {
  readonly index: number;
  readonly relevance: number;
}

export interface RerankOptions {
  signal?: AbortSignal;
}

/** Scores how well passages answer a question. Fails with a ProviderFailure. */
export interface Reranker {
  readonly capabilities: RerankerCapabilities;
  /** Returns every passage once, best answer first. Takes any number; the engine splits them into calls. */
  rerank(question: string, passages: readonly string[], options?: RerankOptions): Promise<RankedPassage[]>;
  close(): Promise<void>;
}

/** Best first; equal ones keep their order. */
export function byRelevance(passages: readonly RankedPassage[]): RankedPassage[] {
  return passages.toSorted((a, b) => b.relevance - a.relevance || a.index - b.index);
}

const wordsOf = (text: string) => new Set(text.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? []);

/** A fake engine that scores by the share of the question's words. It can be told to fail. */
export class ScriptedReranker implements Reranker {
  readonly capabilities: RerankerCapabilities = { provider: 'scripted', passagesPerCall: 16, charactersPerPassage: 4_000 };
  /** Every call that arrived, for tests that count work. */
  readonly calls: { readonly question: string; readonly passages: readonly string[] }[] = [];
  private readonly failures: ProviderFailure[] = [];

  /** Makes the next call fail; further failures are queued behind it. */
  failNext(failure: ProviderFailure): void {
    this.failures.push(failure);
  }

  async rerank(question: string, passages: readonly string[], { signal }: RerankOptions = {}): Promise<RankedPassage[]> {
    signal?.throwIfAborted();
    const failure = this.failures.shift();
    if (failure) throw failure;
    this.calls.push({ question, passages: [...passages] });
    const questionWords = wordsOf(question);
    return byRelevance(
      passages.map((passage, index) => {
        const passageWords = wordsOf(passage.slice(0, this.capabilities.charactersPerPassage));
        return {
          index,
          relevance: [...questionWords].filter((word) => passageWords.has(word)).length / Math.max(1, questionWords.size),
        };
      }),
    );
  }

  async close(): Promise<void> {}
}
