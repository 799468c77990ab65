import { existsSync, mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { workerData } from 'node:worker_threads';
import type { DenseQuery, EmbeddingSpace, Hit, LexicalQuery, Passage } from '@parley/ports';
import { z } from 'zod';
import { answerCalls } from '../answer-calls.ts';
import { CollectionIndex, type IdentifiedPassage } from './collection-index.ts';

/** What the worker does. A collection is named by its file. */
export interface CollectionCalls {
  prepare(name: string, space: EmbeddingSpace): void;
  stage(name: string, space: EmbeddingSpace, passages: readonly IdentifiedPassage[]): void;
  publish(name: string, source: string, version: number): void;
  removeSource(name: string, source: string): void;
  removeVersion(name: string, source: string, version: number): void;
  searchDense(name: string, query: DenseQuery): Hit[];
  searchLexical(name: string, query: LexicalQuery): Hit[];
  list(name: string, page: { after?: string; limit: number }): { id: string; passage: Passage }[];
  addVectors(name: string, space: EmbeddingSpace, vectors: readonly { id: string; vector: Float32Array }[]): void;
  dropSpace(name: string, space: Pick<EmbeddingSpace, 'name'>): void;
  count(name: string): number;
  drop(name: string): void;
  release(name: string): void;
  closeAll(): void;
}

const openMax = 64;
const { directory } = z.object({ directory: z.string() }).parse(workerData);
const open = new Map<string, CollectionIndex>();
mkdirSync(directory, { recursive: true });

const fileOf = (name: string) => path.join(directory, `${name}.sqlite`);

/** The one used longest ago makes room. */
function collection(name: string): CollectionIndex {
  const index = open.get(name) ?? new CollectionIndex(fileOf(name));
  open.delete(name);
  open.set(name, index);
  const oldest = open.keys().next().value;
  if (open.size > openMax && oldest !== undefined) close(oldest);
  return index;
}

/** A question about a collection that was never filled must not create its file. */
const existing = (name: string) => (open.has(name) || existsSync(fileOf(name)) ? collection(name) : undefined);

function close(name: string): void {
  open.get(name)?.close();
  open.delete(name);
}

const calls: CollectionCalls = {
  prepare: (name, space) => collection(name).prepare(space),
  stage: (name, space, passages) => collection(name).stage(space, passages),
  publish: (name, source, version) => existing(name)?.publish(source, version),
  removeSource: (name, source) => existing(name)?.removeSource(source),
  removeVersion: (name, source, version) => existing(name)?.removeVersion(source, version),
  searchDense: (name, query) => existing(name)?.searchDense(query) ?? [],
  searchLexical: (name, query) => existing(name)?.searchLexical(query) ?? [],
  list: (name, page) => existing(name)?.list(page) ?? [],
  addVectors: (name, space, vectors) => existing(name)?.addVectors(space, vectors),
  dropSpace: (name, space) => existing(name)?.dropSpace(space),
  count: (name) => existing(name)?.count() ?? 0,
  drop(name) {
    close(name);
    for (const suffix of ['', '-wal', '-shm']) rmSync(fileOf(name) + suffix, { force: true });
  },
  /** Lets go of a file that another thread has deleted. */
  release: (name) => close(name),
  closeAll() {
    for (const name of open.keys()) close(name);
  },
};

answerCalls({ ...calls });
