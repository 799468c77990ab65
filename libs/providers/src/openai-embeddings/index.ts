import type { OpenAIEmbeddings as LangchainEmbeddings } from '@langchain/openai';
import {
  type EmbeddingCapabilities,
  type Embeddings,
  type EmbedOptions,
  ProviderFailure,
  retrying,
  toUnitLength,
} from '@parley/ports';
import { integer, variableText, url } from '@parley/service-kit';
import { z } from 'zod';
import { defineConfigured } from '../vendor';

interface OpenAiEmbeddingsOptions {
  apiKey: string;
  model: string;
  dimensions: number;
  /** The URL of any server that implements OpenAI's protocol. */
  baseUrl?: string;
  timeoutMs?: number;
  /** Whether to send `dimensions`, which only the `text-embedding-3` family accepts. */
  sendsDimensions?: boolean;
}

/** Waits of more than ten seconds are left to the durable job. */
const patience = { attempts: 5, backoffMs: 250, patienceMs: 10_000 } as const;

/** Embeddings by OpenAI's protocol, in batches, respecting rate limits. */
export class OpenAiEmbeddings implements Embeddings {
  readonly capabilities: EmbeddingCapabilities;
  /** Loads the client on first use, since the package is large. */
  private readonly connect: () => Promise<LangchainEmbeddings>;
  private client: Promise<LangchainEmbeddings> | undefined;

  constructor(options: OpenAiEmbeddingsOptions) {
    const {
      apiKey,
      model,
      dimensions,
      baseUrl,
      timeoutMs = 30_000,
      sendsDimensions = model.startsWith('text-embedding-3'),
    } = options;
    this.capabilities = {
      provider: 'openai',
      space: {
        name: `${model}-${dimensions}`
          .toLowerCase()
          .replace(/[^a-z0-9]+/g, '-')
          .slice(-64),
        dimensions,
      },
      // Thirty-two texts of eight thousand characters are below the protocol's 300,000 tokens in any script.
      textsPerCall: 32,
      charactersPerText: 8_000,
      similarity: { related: 0.35, paraphrase: 0.82, acrossScripts: true },
    };
    const settings = {
      apiKey,
      model,
      batchSize: this.capabilities.textsPerCall,
      timeout: timeoutMs,
      maxRetries: 0,
      encodingFormat: 'float' as const,
      ...(sendsDimensions && { dimensions }),
      ...(baseUrl && { configuration: { baseURL: baseUrl } }),
    };
    this.connect = async () => new (await import('@langchain/openai')).OpenAIEmbeddings(settings);
  }

  async embed(texts: readonly string[], { signal }: EmbedOptions = {}): Promise<Float32Array[]> {
    signal?.throwIfAborted();
    const { textsPerCall, charactersPerText } = this.capabilities;
    const vectors: Float32Array[] = [];
    for (let from = 0; from < texts.length; from += textsPerCall) {
      // The protocol refuses an empty text; a space is equivalent.
      const batch = texts.slice(from, from + textsPerCall).map((text) => text.slice(0, charactersPerText).trim() || ' ');
      vectors.push(...(await this.embedBatch(batch, signal)));
    }
    return vectors;
  }

  async close(): Promise<void> {}

  private embedBatch(batch: string[], signal: AbortSignal | undefined): Promise<Float32Array[]> {
    const attempt = async (): Promise<Float32Array[]> => {
      try {
        const client = await (this.client ??= this.connect());
        const vectors = await client.embedDocuments(batch);
        return vectors.map((vector) => this.checked(vector));
      } catch (error) {
        throw toProviderFailure(error);
      }
    };
    return retrying(attempt, { ...patience, ...(signal && { signal }) });
  }

  private checked(vector: number[]): Float32Array {
    const { dimensions } = this.capabilities.space;
    if (vector.length === dimensions) return toUnitLength(Float32Array.from(vector));
    const message = `the model gave ${vector.length} dimensions, configured are ${dimensions}`;
    throw new ProviderFailure('openai embeddings', message, { retryable: false });
  }
}

const Answered = z.object({ status: z.number(), headers: z.instanceof(Headers).optional() });
const retryableStatuses = new Set([408, 409, 429]);

/** The wait that a server requests, by any of three headers. */
export function retryAfterMsOf(headers: Headers | undefined, nowMs: number): number | undefined {
  const milliseconds = Number(headers?.get('retry-after-ms') ?? Number.NaN);
  if (milliseconds >= 0) return milliseconds;
  const wait = headers?.get('retry-after');
  if (!wait) return undefined;
  if (/^\d+(\.\d+)?$/.test(wait)) return Number(wait) * 1000;
  const atMs = Date.parse(wait);
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - nowMs);
}

/** Converts an error of the client: a response with a status, or no response. */
function toProviderFailure(error: unknown): ProviderFailure {
  if (error instanceof ProviderFailure) return error;
  const answered = Answered.safeParse(error);
  if (!answered.success) return new ProviderFailure('openai embeddings', 'no answer', { retryable: true, cause: error });
  const { status, headers } = answered.data;
  const retryAfterMs = retryAfterMsOf(headers, Date.now());
  return new ProviderFailure('openai embeddings', `status ${status}`, {
    retryable: status >= 500 || retryableStatuses.has(status),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    cause: error,
  });
}

/** The installation's embedding service, if there is a key for one. */
export const openAiEmbeddings = defineConfigured({
  variables: {
    EMBEDDINGS_API_KEY: variableText().optional().meta({
      description:
        'The key of an embeddings service that speaks OpenAI’s protocol. Without it an engine on this machine creates the embeddings.',
      example: 'sk-…',
      secret: true,
    }),
    EMBEDDINGS_BASE_URL: url('http', 'https')
      .optional()
      .meta({
        description: 'The address of that service, if it is not OpenAI.',
        example: 'http://vllm:8000/v1',
        needs: ['EMBEDDINGS_API_KEY'],
      }),
    EMBEDDINGS_MODEL: variableText()
      .default('text-embedding-3-small')
      .meta({
        description:
          'The embedding model. A change rebuilds the index of every knowledge base in the background, while the old one remains in use.',
        example: 'text-embedding-3-large',
        needs: ['EMBEDDINGS_API_KEY'],
      }),
    EMBEDDINGS_DIMENSIONS: integer({ min: 64, max: 4096, step: 16 })
      .default(1536)
      .meta({ description: 'The dimensions of its vectors.', example: '1536', needs: ['EMBEDDINGS_API_KEY'] }),
  },
  open: ({
    EMBEDDINGS_API_KEY: apiKey,
    EMBEDDINGS_BASE_URL: baseUrl,
    EMBEDDINGS_MODEL: model,
    EMBEDDINGS_DIMENSIONS: dimensions,
  }) => (apiKey ? new OpenAiEmbeddings({ apiKey, model, dimensions, ...(baseUrl && { baseUrl }) }) : undefined),
});
