import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { indexTerms, scoredPassages } from '@parley/apps/knowledge-ingest/retrieval';
import {
  toUnitLength,
  type Collection,
  type EmbeddingSpace,
  type Embeddings,
  type IndexedPassage,
  type VectorStore,
} from '@parley/ports';
import { SqliteVectorStore } from '@parley/providers/sqlite-vectors';
import type { Figures } from '../measure/report';
import { timed } from './timing';

const wordsPerPassage = 60;
const vocabulary = 30_000;
const searches = 300;
const passagesPerStage = 500;
// As many as the service embeds and stages at a time.
const passagesPerBatch = 32;
const hits = 30;
const faqHits = 5;
// What the service reads for a turn: twice as many passages as the prompt takes.
const candidates = 16;

// Words are distributed as in real text: a few are frequent, and most are rare.
const word = () => letters(Math.floor(vocabulary ** Math.random()));
const letters = (number: number) => `w${number.toString(26).replace(/\d/g, (digit) => 'qrstuvwxyz'.charAt(Number(digit)))}`;
const knownTerms = new Map<string, string[]>();

/** Terms as the service would index them; each word is analysed once. */
function termsOf(words: readonly string[]): string[] {
  return words.flatMap((each) => {
    const terms = knownTerms.get(each) ?? indexTerms(each);
    knownTerms.set(each, terms);
    return terms;
  });
}

const question = () => Array.from({ length: 5 }, word).join(' ');
const randomVector = ({ dimensions }: EmbeddingSpace) =>
  toUnitLength(Float32Array.from({ length: dimensions }, () => Math.random() - 0.5));

/** How fast a collection of this many chunks is filled, and how fast it answers the service's searches. */
export async function measureRetrieval(count: number, embeddings: Embeddings): Promise<Figures> {
  const directory = mkdtempSync(path.join(tmpdir(), 'parley-bench-'));
  const store = new SqliteVectorStore({ directory });
  const { space } = embeddings.capabilities;
  const collection = { orgId: 1, knowledgeBaseId: count };
  const insertMs = await fill(store, collection, { count, space });

  const search = async (text: string, vector: Float32Array) => {
    const [dense = [], lexical = []] = await store.search(collection, [
      { dense: { space, vector, limit: hits } },
      { lexical: { terms: indexTerms(text), limit: hits } },
      { dense: { space, vector, limit: faqHits, kinds: ['faq'] } },
    ]);
    return scoredPassages(text, { dense, lexical }, embeddings.capabilities, candidates);
  };
  const figures = {
    'meaning p50/p99 (cpu) ms': await timed(searches, () =>
      store.searchDense(collection, { space, vector: randomVector(space), limit: hits }),
    ),
    words: await timed(searches, () => store.searchLexical(collection, { terms: indexTerms(question()), limit: hits })),
    'all searches and fusion': await timed(searches, () => search(question(), randomVector(space))),
    'while writing': await beside(batches(store, collection, space), () =>
      timed(searches, () => search(question(), randomVector(space))),
    ),
    'with embedding the question': await timed(searches, async () => {
      const text = question();
      const [vector = randomVector(space)] = await embeddings.embed([text]);
      return search(text, vector);
    }),
  };
  await store.close();
  rmSync(directory, { recursive: true, force: true });
  return { what: `retrieval, ${count} chunks`, 'chunks/s in': Math.round((count / insertMs) * 1000), ...figures };
}

/** Measures while something else runs continuously. */
async function beside<T>(work: () => Promise<void>, measure: () => Promise<T>): Promise<T> {
  let isOver = false;
  const working = (async () => {
    while (!isOver) await work();
  })();
  const measured = await measure();
  isOver = true;
  await working;
  return measured;
}

interface Stage {
  readonly sourceId: string;
  readonly from: number;
  readonly count: number;
  readonly space: EmbeddingSpace;
}

function passagesOf({ sourceId, from, count, space }: Stage): IndexedPassage[] {
  return Array.from({ length: count }, (_, index) => {
    const words = Array.from({ length: wordsPerPassage }, word);
    const place = { sourceId, version: 1, ordinal: from + index, kind: 'document' as const, citation: {} };
    return { ...place, text: words.join(' '), vector: randomVector(space), terms: termsOf(words) };
  });
}

/**
 * Stages a batch each time, like an ingest. The passages are prepared in advance, because in the service another thread or
 * machine does that.
 */
function batches(store: VectorStore, collection: Collection, space: EmbeddingSpace): () => Promise<void> {
  const batch = passagesOf({ sourceId: 'b', from: 0, count: passagesPerBatch, space });
  let staged = 0;
  return () =>
    store.stage(
      collection,
      space,
      batch.map((passage) => ({ ...passage, ordinal: (staged += 1) })),
    );
}

/** Returns how many milliseconds it took. */
async function fill(
  store: VectorStore,
  collection: Collection,
  { count, space }: { count: number; space: EmbeddingSpace },
): Promise<number> {
  await store.prepare(collection, space);
  const startedMs = performance.now();
  for (let from = 0; from < count; from += passagesPerStage)
    await store.stage(
      collection,
      space,
      passagesOf({ sourceId: 'a', from, count: Math.min(passagesPerStage, count - from), space }),
    );
  await store.publish(collection, 'a', 1);
  return performance.now() - startedMs;
}
