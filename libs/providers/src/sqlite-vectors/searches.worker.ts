import { workerData } from 'node:worker_threads';
import type { DenseQuery, Hit, LexicalQuery } from '@parley/ports';
import { z } from 'zod';
import { answerCalls } from '../answer-calls.ts';
import { CollectionSearches } from './collection-searches.ts';
import { OpenCollections } from './open-collections.ts';

/** What a thread that searches does. A collection is named by its file. */
export interface SearchCalls {
  searchDense(name: string, query: DenseQuery): Hit[];
  searchLexical(name: string, query: LexicalQuery): Hit[];
  release(name: string): void;
  closeAll(): void;
}

const { directory } = z.object({ directory: z.string() }).parse(workerData);
const collections = new OpenCollections(directory, (file) => new CollectionSearches(file));

const calls: SearchCalls = {
  searchDense: (name, query) => collections.existing(name)?.searchDense(query) ?? [],
  searchLexical: (name, query) => collections.existing(name)?.searchLexical(query) ?? [],
  /** Lets go of a file that another thread has deleted. */
  release: (name) => collections.close(name),
  closeAll: () => collections.closeAll(),
};

answerCalls({ ...calls });
