import { Controller, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { readTextVectors } from '@parley/contracts';
import { type Call, Handles } from '@parley/messaging';
import type { Embeddings, FileStore, Reranker, VectorStore } from '@parley/ports';
import { openFileStore } from '@parley/providers/configured-files';
import { LocalEmbeddings } from '@parley/providers/local-embeddings';
import { openAiEmbeddings } from '@parley/providers/openai-embeddings';
import { qdrant } from '@parley/providers/qdrant';
import { protocolReranker } from '@parley/providers/rerank-protocol';
import { sqliteVectors } from '@parley/providers/sqlite-vectors';
import type { z } from 'zod';
import type { KnowledgeConfig } from './config';

/** This installation's embeddings, vector store, reranker and file store. */
export abstract class Engines {
  abstract readonly embeddings: Embeddings;
  abstract readonly vectors: VectorStore;
  abstract readonly files: FileStore;
  /** Undefined if none is configured: then passages keep the order of the searches. */
  abstract readonly reranker: Reranker | undefined;
  abstract readonly rerankMsMax: number;
  /** The engine that can search an index in this embedding space; undefined if this installation has none. */
  abstract embeddingsFor(space: string): Embeddings | undefined;
}

/** The configured engines, or local ones by default. */
export class ConfiguredEngines extends Engines implements OnApplicationBootstrap, OnApplicationShutdown {
  readonly embeddings: Embeddings;
  readonly vectors: VectorStore;
  readonly files: FileStore;
  readonly reranker: Reranker | undefined;
  readonly rerankMsMax: number;
  private readonly earlier = new Map<string, Embeddings>();

  constructor(private readonly config: KnowledgeConfig) {
    super();
    this.embeddings =
      openAiEmbeddings.open(config) ?? LocalEmbeddings.ofAllLanguages(config.PARLEY_MODELS) ?? new LocalEmbeddings();
    this.vectors = qdrant.open(config) ?? sqliteVectors.open(config);
    this.files = openFileStore(config);
    this.reranker = protocolReranker.open(config);
    this.rerankMsMax = config.RERANK_TIMEOUT;
  }

  /** An index made by an earlier engine is searched with that engine until it has been replaced. */
  embeddingsFor(space: string): Embeddings | undefined {
    if (space === this.embeddings.capabilities.space.name) return this.embeddings;
    const engine = this.earlier.get(space) ?? earlierEngine(space, this.config);
    if (engine) this.earlier.set(space, engine);
    return engine;
  }

  /** The start does not wait for it. If it fails, so does the first question, which says why. */
  onApplicationBootstrap(): void {
    this.warm().catch(() => undefined);
  }

  /** A first question that starts threads and loads a model needs thirty times the work of the next: on a busy machine, too long. */
  async warm(): Promise<void> {
    await Promise.all([this.embeddings.warm?.(), this.vectors.warm?.()]);
  }

  async onApplicationShutdown(): Promise<void> {
    const engines = [this.embeddings, this.vectors, ...this.earlier.values(), ...(this.reranker ? [this.reranker] : [])];
    await Promise.all(engines.map((engine) => engine.close()));
  }
}

/** The engine for English is always available; another model of the configured service is recognized by the name of its space. */
function earlierEngine(space: string, config: KnowledgeConfig): Embeddings | undefined {
  const [, model, dimensions] = /^(text-embedding-.+)-(\d+)$/.exec(space) ?? [];
  const engine = model
    ? openAiEmbeddings.open({ ...config, EMBEDDINGS_MODEL: model, EMBEDDINGS_DIMENSIONS: Number(dimensions) })
    : localEngine(space, config);
  return engine?.capabilities.space.name === space ? engine : undefined;
}

function localEngine(space: string, { PARLEY_MODELS }: KnowledgeConfig): Embeddings | undefined {
  const multilingual = LocalEmbeddings.ofAllLanguages(PARLEY_MODELS);
  return multilingual?.capabilities.space.name === space ? multilingual : new LocalEmbeddings();
}

/** Embeds texts for services that compare them. */
@Controller()
export class TextVectorsController {
  constructor(private readonly engines: Engines) {}

  @Handles(readTextVectors)
  async vectors(
    { texts }: z.output<typeof readTextVectors.request>,
    { signal }: Call,
  ): Promise<z.input<typeof readTextVectors.reply>> {
    const { capabilities } = this.engines.embeddings;
    const vectors = await this.engines.embeddings.embed(texts, { signal });
    return {
      space: capabilities.space.name,
      paraphrase: capabilities.similarity.paraphrase,
      vectors: vectors.map((vector) => Array.from(vector, (each) => Math.round(each * 1e6) / 1e6)),
    };
  }
}
