import type { DenseQuery, EmbeddingSpace, Hit, LexicalQuery } from '@parley/ports';
import { CollectionFile } from './collection-file.ts';
import { kindCodes } from './rows.ts';
import { SpaceSearches } from './space-searches.ts';
import { TermIndex } from './term-index.ts';

/** Answers questions to one knowledge base, beside the thread that writes it. Blocks its own thread, so it lives in a worker. */
export class CollectionSearches {
  private readonly file: CollectionFile;
  private readonly terms: TermIndex;
  private readonly spaces = new Map<string, SpaceSearches>();
  private seen = 0;

  constructor(path: string) {
    this.file = new CollectionFile(path);
    this.terms = new TermIndex(this.file);
  }

  /** A change that is committed before a search begins is seen by it whole. */
  searchDense({ space, vector, limit, kinds }: DenseQuery): Hit[] {
    return this.file.snapshot(() => {
      this.follow();
      return this.spaceOf(space)?.search(vector, limit, kinds && new Set(kindCodes(kinds))) ?? [];
    });
  }

  searchLexical(query: LexicalQuery): Hit[] {
    return this.file.snapshot(() => this.terms.search(query));
  }

  close(): void {
    this.forget();
    this.file.close();
  }

  /** Keeps what is in memory in step with the file, change by change, or begins anew when some have been forgotten. */
  private follow(): void {
    if (this.spaces.size === 0) this.seen = this.file.lastChange();
    const changes = this.file.changesAfter(this.seen);
    // All of them before the first is followed: a space may be gone from the file by the last.
    const isKnown = changes.every(({ id, passages }, index) => passages !== undefined && id === this.seen + 1 + index);
    if (!isKnown) this.forget();
    for (const { passages = '[]' } of changes) for (const space of this.spaces.values()) space.follow(passages);
    this.seen = changes.at(-1)?.id ?? this.seen;
  }

  private spaceOf({ name }: Pick<EmbeddingSpace, 'name'>): SpaceSearches | undefined {
    const known = this.spaces.get(name);
    if (known) return known;
    const dimensions = this.file.value('select dimensions from spaces where name = ?', name);
    if (typeof dimensions !== 'number') return undefined;
    const space = new SpaceSearches(this.file, { name, dimensions });
    this.spaces.set(name, space);
    return space;
  }

  private forget(): void {
    for (const space of this.spaces.values()) space.release();
    this.spaces.clear();
  }
}
