import { rmSync } from 'node:fs';
import { workerData } from 'node:worker_threads';
import type { EmbeddingSpace, IndexedPassage, Passage } from '@parley/ports';
import { z } from 'zod';
import { answerCalls, yieldIfAsked } from '../answer-calls.ts';
import { CollectionFile, kindCode, OpenCollections, passageColumns, passageOf, SpaceTable } from './collection-file.ts';
import { TermIndex } from './term-index.ts';

type IdentifiedPassage = IndexedPassage & { readonly id: string };

/** A knowledge base in an SQLite file, which only this thread writes. Blocking, so it runs in a worker. */
class CollectionIndex {
  private readonly file: CollectionFile;
  private readonly terms: TermIndex;
  private readonly spaces = new Map<string, SpaceTable>();

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
    this.file.transaction(() => {
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
    this.file.transaction(() => {
      this.file.noteChange(this.ids('p.source = ? and p.version = ? and p.published = 0', source, version));
      this.file.run('update passages set published = 1 where source = ? and version = ?', source, version);
      this.delete('p.source = ? and p.version < ?', source, version);
    });
  }

  removeSource(source: string): void {
    this.file.transaction(() => this.delete('p.source = ?', source));
  }

  removeVersion(source: string, version: number): void {
    this.file.transaction(() => this.delete('p.source = ? and p.version = ?', source, version));
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
    this.file.transaction(() => {
      const rows = vectors.flatMap(({ id, vector }) => {
        const row = this.file.value('select id from passages where passage_id = ?', id);
        if (typeof row !== 'number') return [];
        this.spaces.get(space.name)?.insert(row, vector);
        return [row];
      });
      this.file.noteChange(JSON.stringify(rows));
    });
  }

  dropSpace(space: Pick<EmbeddingSpace, 'name'>): void {
    this.file.transaction(() => {
      this.spaces.get(space.name)?.drop();
      this.file.noteChange();
    });
    this.spaces.delete(space.name);
  }

  count(): number {
    return Number(this.file.value('select count(*) from passages where published = 1'));
  }

  close(): void {
    this.file.close();
  }

  private open(space: EmbeddingSpace): SpaceTable {
    const table = new SpaceTable(this.file, space);
    this.spaces.set(space.name, table);
    return table;
  }

  /** The ids of matching passages, as a JSON array. */
  private ids(where: string, ...values: (string | number)[]): string {
    return String(this.file.value(`select json_group_array(p.id) from passages as p where ${where}`, ...values));
  }

  private delete(where: string, ...values: (string | number)[]): void {
    const ids = this.ids(where, ...values);
    if (ids === '[]') return;
    for (const space of this.spaces.values()) space.remove(ids);
    this.terms.remove(ids);
    this.file.run('delete from passages where id in (select value from json_each(?))', ids);
    this.file.noteChange(ids);
  }
}

/** The operations of the writing thread. A collection is named by its file. */
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

yieldIfAsked('documents');
answerCalls({ ...calls });
