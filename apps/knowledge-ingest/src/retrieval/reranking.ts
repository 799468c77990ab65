import { Injectable } from '@nestjs/common';
import { CircuitBreaker, inTime, type Reranker } from '@parley/ports';
import { Logger } from '@parley/service-kit';
import { Engines } from '../engines';
import type { Found } from './selection';

/** Orders candidates by an engine that reads question and passage together, where this installation has one. */
@Injectable()
export class Reranking {
  /** A reranker that is out of order must not cost every turn its whole patience. */
  private readonly breaker = new CircuitBreaker();

  constructor(
    private readonly engines: Engines,
    private readonly log: Logger,
  ) {}

  /** The order stands as it was when there is no engine, or when it fails or takes too long. */
  async order(question: string, found: readonly Found[]): Promise<readonly Found[]> {
    const { reranker } = this.engines;
    if (!reranker || found.length < 2 || this.breaker.waitMs > 0) return found;
    try {
      return await this.breaker.run(() => this.ordered(reranker, question, found));
    } catch (error) {
      this.log.warn('Passages could not be reranked, their order stands', { error });
      return found;
    }
  }

  private async ordered(reranker: Reranker, question: string, found: readonly Found[]): Promise<Found[]> {
    const timeoutMs = this.engines.rerankMsMax;
    const texts = found.map(({ passage }) => passage.text);
    const ranking = reranker.rerank(question, texts, { signal: AbortSignal.timeout(timeoutMs) });
    const ranked = await inTime(ranking, { provider: reranker.capabilities.provider, timeoutMs });
    return ranked.flatMap(({ index }) => found[index] ?? []);
  }
}
