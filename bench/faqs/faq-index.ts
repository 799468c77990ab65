import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type FaqCandidate, indexTerms } from '@parley/apps/knowledge-ingest/retrieval';
import type { Embeddings } from '@parley/ports';
import { SqliteVectorStore } from '@parley/providers/sqlite-vectors';

/** As many as the service examines closely. */
const nearest = 5;
const collection = { orgId: 1, knowledgeBaseId: 1 };

/** Stored questions in the embedded store, indexed and searched as by the service. */
export class FaqIndex {
  private readonly folder = mkdtempSync(path.join(tmpdir(), 'parley-faqs-'));
  private readonly store = new SqliteVectorStore({ directory: this.folder });
  private names: string[] = [];

  constructor(private readonly embeddings: Embeddings) {}

  async fill(faqs: Readonly<Record<string, string>>): Promise<void> {
    const { space } = this.embeddings.capabilities;
    this.names = Object.keys(faqs);
    const questions = Object.values(faqs);
    await this.store.prepare(collection, space);
    const vectors = await this.embeddings.embed(questions);
    for (const [id, text] of questions.entries()) {
      const place = { sourceId: String(id), version: 1, ordinal: 0, kind: 'faq' as const, citation: {} };
      const vector = vectors[id] ?? new Float32Array();
      await this.store.stage(collection, space, [{ ...place, text, vector, terms: indexTerms(text) }]);
      await this.store.publish(collection, String(id), 1);
    }
  }

  nameOf(id: number): string | undefined {
    return this.names[id];
  }

  /** The stored questions with the closest vectors. */
  async candidates(question: string): Promise<FaqCandidate[]> {
    const { space } = this.embeddings.capabilities;
    const [vector = new Float32Array()] = await this.embeddings.embed([question]);
    const near = await this.store.searchDense(collection, { space, vector, limit: nearest, kinds: ['faq'] });
    return near.map(({ passage, score }) => ({ id: Number(passage.sourceId), question: passage.text, similarity: score }));
  }

  async close(): Promise<void> {
    await this.store.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
