import type { DenseQuery, EmbeddingSpace, Hit, IndexedPassage, LexicalQuery, Passage } from '@parley/ports';
import { CollectionFile } from './collection-file.ts';
import { kindCode, kindCodes, passageColumns, passageOf } from './rows.ts';
import { SpaceIndex } from './space-index.ts';
import { TermIndex } from './term-index.ts';

export type IdentifiedPassage = IndexedPassage & { readonly id: string };

/** One knowledge base in one SQLite file. Blocks its thread, so it lives in a worker. */
export class CollectionIndex {
  private readonly file: CollectionFile;
  private readonly terms: TermIndex;
  private readonly spaces = new Map<string, SpaceIndex>();

  constructor(path: string) {
    this.file = new CollectionFile(path);
    this.terms = new TermIndex(this.file);
    for (const { name, dimensions } of this.file.all('select name, dimensions from spaces')) {
      if (typeof name === 'string' && typeof dimensions === 'number') this.open({ name, dimensions });
    }
  }

  prepare(space: EmbeddingSpace): void {
    if (!this.spaces.has(space.name)) this.open(space).create();
  }

  stage(space: EmbeddingSpace, passages: readonly IdentifiedPassage[]): void {
    this.prepare(space);
    this.change(() => {
      for (const passage of passages) {
        this.delete('p.passage_id = ?', passage.id);
        const id = this.file.run(
          'insert into passages (passage_id, source, version, ordinal, kind, text, citation) values (?, ?, ?, ?, ?, ?, ?)',
          ...[passage.id, passage.sourceId, passage.version, passage.ordinal, kindCode(passage.kind)],
          ...[passage.text, JSON.stringify(passage.citation)],
        );
        this.terms.insert(id, passage.terms);
        this.spaces.get(space.name)?.insert(id, passage.vector);
      }
    });
  }

  publish(source: string, version: number): void {
    this.change(() => {
      this.file.run('update passages set published = 1 where source = ? and version = ?', source, version);
      this.delete('p.source = ? and p.version < ?', source, version);
    });
    for (const space of this.spaces.values()) space.show(source, version);
  }

  removeSource(source: string): void {
    this.change(() => this.delete('p.source = ?', source));
  }

  removeVersion(source: string, version: number): void {
    this.change(() => this.delete('p.source = ? and p.version = ?', source, version));
  }

  searchDense({ space, vector, limit, kinds }: DenseQuery): Hit[] {
    return this.spaces.get(space.name)?.search(vector, limit, kinds && new Set(kindCodes(kinds))) ?? [];
  }

  searchLexical(query: LexicalQuery): Hit[] {
    return this.terms.search(query);
  }

  list({ after = '', limit }: { after?: string; limit: number }): { id: string; passage: Passage }[] {
    return this.file
      .all(
        `select ${passageColumns} from passages as p where published = 1 and passage_id > ? order by passage_id limit ?`,
        after,
        limit,
      )
      .map(passageOf);
  }

  addVectors(space: EmbeddingSpace, vectors: readonly { id: string; vector: Float32Array }[]): void {
    this.prepare(space);
    this.change(() => {
      for (const { id, vector } of vectors) {
        const row = this.file.value('select id from passages where passage_id = ?', id);
        if (typeof row === 'number') this.spaces.get(space.name)?.insert(row, vector);
      }
    });
    this.spaces.get(space.name)?.forget();
  }

  dropSpace(space: Pick<EmbeddingSpace, 'name'>): void {
    this.spaces.get(space.name)?.drop();
    this.spaces.delete(space.name);
  }

  count(): number {
    return Number(this.file.value('select count(*) from passages where published = 1'));
  }

  close(): void {
    this.file.close();
  }

  /** All of it or nothing, in the file and in memory. */
  private change(work: () => void): void {
    try {
      this.file.transaction(work);
    } catch (error) {
      for (const space of this.spaces.values()) space.forget();
      throw error;
    }
  }

  private open(space: EmbeddingSpace): SpaceIndex {
    const index = new SpaceIndex(this.file, space);
    this.spaces.set(space.name, index);
    return index;
  }

  private delete(where: string, ...values: (string | number)[]): void {
    const ids = this.file.value(`select json_group_array(p.id) from passages as p where ${where}`, ...values);
    if (typeof ids !== 'string' || ids === '[]') return;
    for (const space of this.spaces.values()) space.remove(ids);
    this.terms.remove(ids);
    this.file.run('delete from passages where id in (select value from json_each(?))', ids);
  }
}
