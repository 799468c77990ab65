import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Embeddings, Hit } from '@parley/ports';
import { SqliteVectorStore } from '@parley/providers/sqlite-vectors';
import { indexTerms, questionTerms } from '@parley/apps/knowledge-ingest/retrieval';

const collection = { orgId: 1, knowledgeBaseId: 1 };
const hits = 30;

/** What both searches found for one question. */
export interface Searches {
  readonly dense: Hit[];
  readonly lexical: Hit[];
}

/** The knowledge base of an evaluation in the embedded store, indexed as by the service. */
export class IndexOfPassages {
  private readonly folder = mkdtempSync(path.join(tmpdir(), 'parley-retrieval-'));
  private readonly store = new SqliteVectorStore({ directory: this.folder });

  constructor(private readonly embeddings: Embeddings) {}

  async fill(passages: Readonly<Record<string, readonly string[]>>): Promise<void> {
    const { space } = this.embeddings.capabilities;
    await this.store.prepare(collection, space);
    for (const [topic, texts] of Object.entries(passages)) {
      const vectors = await this.embeddings.embed(texts);
      const indexed = texts.flatMap((text, ordinal) => {
        const vector = vectors[ordinal];
        return vector
          ? [
              {
                sourceId: topic,
                version: 1,
                ordinal,
                kind: 'document' as const,
                text,
                citation: {},
                vector,
                terms: indexTerms(text),
              },
            ]
          : [];
      });
      await this.store.stage(collection, space, indexed);
      await this.store.publish(collection, topic, 1);
    }
  }

  async search(question: string): Promise<Searches> {
    const [vector = new Float32Array()] = await this.embeddings.embed([question], { as: 'question' });
    return {
      dense: await this.store.searchDense(collection, { space: this.embeddings.capabilities.space, vector, limit: hits }),
      lexical: await this.store.searchLexical(collection, { terms: questionTerms(question), limit: hits }),
    };
  }

  async close(): Promise<void> {
    await this.store.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
