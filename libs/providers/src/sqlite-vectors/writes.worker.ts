import { rmSync } from 'node:fs';
import { workerData } from 'node:worker_threads';
import type { EmbeddingSpace, Passage } from '@parley/ports';
import { z } from 'zod';
import { answerCalls } from '../answer-calls.ts';
import { CollectionIndex, type IdentifiedPassage } from './collection-index.ts';
import { OpenCollections } from './open-collections.ts';

/** What the thread that writes does. A collection is named by its file. */
export interface CollectionWrites {
  prepare(name: string, space: EmbeddingSpace): void;
  stage(name: string, space: EmbeddingSpace, passages: readonly IdentifiedPassage[]): void;
  publish(name: string, source: string, version: number): void;
  removeSource(name: string, source: string): void;
  removeVersion(name: string, source: string, version: number): void;
  list(name: string, page: { after?: string; limit: number }): { id: string; passage: Passage }[];
  addVectors(name: string, space: EmbeddingSpace, vectors: readonly { id: string; vector: Float32Array }[]): void;
  dropSpace(name: string, space: Pick<EmbeddingSpace, 'name'>): void;
  count(name: string): number;
  drop(name: string): void;
  closeAll(): void;
}

const { directory } = z.object({ directory: z.string() }).parse(workerData);
const collections = new OpenCollections(directory, (file) => new CollectionIndex(file));

const calls: CollectionWrites = {
  prepare: (name, space) => collections.get(name).prepare(space),
  stage: (name, space, passages) => collections.get(name).stage(space, passages),
  publish: (name, source, version) => collections.existing(name)?.publish(source, version),
  removeSource: (name, source) => collections.existing(name)?.removeSource(source),
  removeVersion: (name, source, version) => collections.existing(name)?.removeVersion(source, version),
  list: (name, page) => collections.existing(name)?.list(page) ?? [],
  addVectors: (name, space, vectors) => collections.existing(name)?.addVectors(space, vectors),
  dropSpace: (name, space) => collections.existing(name)?.dropSpace(space),
  count: (name) => collections.existing(name)?.count() ?? 0,
  drop(name) {
    collections.close(name);
    for (const suffix of ['', '-wal', '-shm']) rmSync(collections.fileOf(name) + suffix, { force: true });
  },
  closeAll: () => collections.closeAll(),
};

answerCalls({ ...calls });
