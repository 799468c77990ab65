import { workerData } from 'node:worker_threads';
import type { DenseQuery, EmbeddingSpace, Hit, Passage, Search } from '@parley/ports';
import { z } from 'zod';
import { answerCalls } from '../answer-calls.ts';
import { bytesOf, CollectionFile, kindCodes, OpenCollections, passageColumns, passageOf, tableOf } from './collection-file.ts';
import { Signatures } from './signatures.ts';
import { TermIndex } from './term-index.ts';

const Ids = z.array(z.number());

/** How many candidates by sign bits are compared by exact cosine; up to this number of vectors a search is exhaustive. */
const candidates = 400;

/** Searches a knowledge base, concurrently to the thread that writes it. Blocking, so it runs in a worker. */
class CollectionSearches {
  private readonly file: CollectionFile;
  private readonly terms: TermIndex;
  private readonly spaces = new Map<string, SpaceSearches>();
  private seen = 0;

  constructor(path: string) {
    this.file = new CollectionFile(path);
    this.terms = new TermIndex(this.file);
  }

  /** All searches see the same state, including everything committed before. */
  search(searches: readonly Search[]): Hit[][] {
    return this.file.snapshot(() => {
      if (searches.some((each) => 'dense' in each)) this.follow();
      return searches.map((each) => ('dense' in each ? this.searchDense(each.dense) : this.terms.search(each.lexical)));
    });
  }

  private searchDense({ space, vector, limit, kinds }: DenseQuery): Hit[] {
    return this.spaceOf(space)?.search(vector, limit, kinds && new Set(kindCodes(kinds))) ?? [];
  }

  read(ids: readonly string[]): Passage[] {
    const rows = this.file.all(
      `select ${passageColumns} from json_each(?) as wanted join passages as p on p.passage_id = wanted.value where p.published = 1`,
      JSON.stringify(ids),
    );
    return rows.map((row) => passageOf(row).passage);
  }

  close(): void {
    this.forget();
    this.file.close();
  }

  /** Updates memory from the file, change by change, or reloads if some changes are no longer recorded. */
  private follow(): void {
    if (this.spaces.size === 0) this.seen = this.file.lastChange();
    const changes = this.file.changesAfter(this.seen);
    // All changes are checked before the first is applied, since a later one may have removed a space from the file.
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

/** The operations of a search thread. A collection is named by its file. */
export interface SearchCalls {
  search(name: string, searches: readonly Search[]): Hit[][];
  read(name: string, ids: readonly string[]): Passage[];
  release(name: string): void;
  closeAll(): void;
}

const { directory } = z.object({ directory: z.string() }).parse(workerData);
const collections = new OpenCollections(directory, (file) => new CollectionSearches(file));

const calls: SearchCalls = {
  search: (name, searches) => sharingPassages(collections.existing(name)?.search(searches) ?? searches.map(() => [])),
  read: (name, ids) => collections.existing(name)?.read(ids) ?? [],
  /** Closes a file that another thread has deleted. */
  release: (name) => collections.close(name),
  closeAll: () => collections.closeAll(),
};

answerCalls({ ...calls });

/** Replaces equal passages in several results by one object, so that it is copied to the caller once. */
function sharingPassages(found: Hit[][]): Hit[][] {
  const shared = new Map<string, Passage>();
  return found.map((hits) =>
    hits.map(({ passage, score }) => {
      const place = `${passage.sourceId}/${passage.version}/${passage.ordinal}`;
      const one = shared.get(place) ?? passage;
      shared.set(place, one);
      return { passage: one, score };
    }),
  );
}

/** Searches the vectors of an embedding space, keeping the signatures of published ones in memory. */
class SpaceSearches {
  private readonly file: CollectionFile;
  private readonly table: string;
  private readonly signatures: Signatures;

  constructor(file: CollectionFile, { name, dimensions }: EmbeddingSpace) {
    this.file = file;
    this.table = tableOf(name);
    this.signatures = new Signatures(dimensions);
    this.read('');
  }

  search(vector: Float32Array, limit: number, kinds: ReadonlySet<number> | undefined): Hit[] {
    const bytes = bytesOf(vector);
    const signature = this.file.value('select vec_quantize_binary(?)', bytes);
    if (!(signature instanceof Uint8Array)) return [];
    const ids = this.signatures.nearest(signature, Math.max(candidates, limit), kinds);
    const rows = this.file.all(
      `with nearest as materialized (
         select v.id, 1 - vec_distance_cosine(v.vector, ?) as score
         from json_each(?) as found join ${this.table} as v on v.id = found.value order by score desc, v.id limit ?
       )
       select ${passageColumns}, score from nearest join passages as p on p.id = nearest.id order by score desc, p.id`,
      ...[bytes, JSON.stringify(ids), limit],
    );
    return rows.map(passageOf);
  }

  /** Reads the passages of these ids, a JSON array, again. */
  follow(ids: string): void {
    for (const id of Ids.parse(JSON.parse(ids))) this.signatures.remove(id);
    this.read('and p.id in (select value from json_each(?))', ids);
  }

  release(): void {
    this.signatures.release();
  }

  private read(and: string, ...values: string[]): void {
    const rows = this.file.each(
      `select v.id, p.kind, v.signature from passages as p join ${this.table} as v on v.id = p.id where p.published = 1 ${and}`,
      ...values,
    );
    for (const { id, kind, signature } of rows) {
      if (typeof id === 'number' && typeof kind === 'number' && signature instanceof Uint8Array)
        this.signatures.add(id, kind, signature);
    }
  }
}
