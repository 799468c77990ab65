import {
  byRelevance,
  ProviderFailure,
  type RankedPassage,
  type Reranker,
  type RerankerCapabilities,
  type RerankOptions,
} from '@parley/ports';
import { variableText, url } from '@parley/service-kit';
import { z } from 'zod';
import { callProvider, readJson } from '../provider-http';
import { defineConfigured } from '../vendor';

interface ProtocolRerankerOptions {
  /** The base URL of `/rerank`, including the version: `https://api.jina.ai/v1`, `https://api.cohere.com/v2`, `http://vllm:8000/v1`. */
  baseUrl: string;
  model: string;
  /** Rarely required by self-hosted servers. */
  apiKey?: string;
}

const provider = 'rerank';
const Answer = z.object({ results: z.array(z.object({ index: z.int().min(0), relevance_score: z.number() })) });

/** Reranking by the protocol that Cohere, Jina AI, vLLM, Infinity, llama.cpp and LiteLLM share: `POST …/rerank`. */
export class ProtocolReranker implements Reranker {
  readonly capabilities: RerankerCapabilities = { provider, passagesPerCall: 64, charactersPerPassage: 4_000 };

  constructor(private readonly options: ProtocolRerankerOptions) {}

  async rerank(question: string, passages: readonly string[], { signal }: RerankOptions = {}): Promise<RankedPassage[]> {
    signal?.throwIfAborted();
    const { passagesPerCall, charactersPerPassage } = this.capabilities;
    const ranked: RankedPassage[] = [];
    for (let from = 0; from < passages.length; from += passagesPerCall) {
      // Some servers refuse an empty document; a space is equivalent.
      const documents = passages
        .slice(from, from + passagesPerCall)
        .map((passage) => passage.slice(0, charactersPerPassage).trim() || ' ');
      const results = await this.ask(question, documents, signal);
      ranked.push(...results.map(({ index, relevance }) => ({ index: from + index, relevance })));
    }
    return byRelevance(ranked);
  }

  async close(): Promise<void> {}

  private async ask(query: string, documents: string[], signal: AbortSignal | undefined): Promise<RankedPassage[]> {
    const { baseUrl, model, apiKey } = this.options;
    const response = await callProvider({
      provider,
      url: `${baseUrl.replace(/\/+$/, '')}/rerank`,
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        ...(apiKey && { authorization: `Bearer ${apiKey}` }),
      },
      body: JSON.stringify({ model, query, documents, top_n: documents.length }),
      ...(signal && { signal }),
    });
    const { results } = await readJson(response, Answer, provider);
    const indices = new Set(results.map(({ index }) => index).filter((index) => index < documents.length));
    if (indices.size !== documents.length || results.length !== documents.length)
      throw new ProviderFailure(provider, 'did not rank every passage once', { retryable: false });
    return results.map(({ index, relevance_score }) => ({ index, relevance: relevance_score }));
  }
}

/** The installation's reranking server, if configured. */
export const protocolReranker = defineConfigured({
  variables: {
    RERANK_BASE_URL: url('http', 'https').optional().meta({
      description:
        'A server that reranks passages at …/rerank, as Cohere, Jina AI, vLLM, Infinity and llama.cpp do. Without it the order of the searches is kept.',
      example: 'http://vllm:8000/v1',
    }),
    RERANK_MODEL: variableText()
      .default('jina-reranker-v2-base-multilingual')
      .meta({
        description: 'The reranking model.',
        example: 'BAAI/bge-reranker-v2-m3',
        needs: ['RERANK_BASE_URL'],
      }),
    RERANK_API_KEY: variableText()
      .optional()
      .meta({
        description: 'The key of that server, if it requires one.',
        example: '…',
        secret: true,
        needs: ['RERANK_BASE_URL'],
      }),
  },
  open: ({ RERANK_BASE_URL: baseUrl, RERANK_MODEL: model, RERANK_API_KEY: apiKey }) =>
    baseUrl ? new ProtocolReranker({ baseUrl, model, ...(apiKey && { apiKey }) }) : undefined,
});
