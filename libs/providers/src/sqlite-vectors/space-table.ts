import type { EmbeddingSpace } from '@parley/ports';
import type { CollectionFile } from './collection-file.ts';
import { bytesOf } from './rows.ts';

/** The table that holds the vectors of a space. */
export function tableOf(space: string): string {
  if (!/^[a-z0-9-]{1,64}$/.test(space)) throw new TypeError('not the name of an embedding space');
  return `"vectors ${space}"`;
}

/** Writes the vectors of one embedding space into a collection's file. */
export class SpaceTable {
  private readonly file: CollectionFile;
  private readonly space: EmbeddingSpace;
  private readonly table: string;

  constructor(file: CollectionFile, space: EmbeddingSpace) {
    this.file = file;
    this.space = space;
    this.table = tableOf(space.name);
  }

  create(): void {
    this.file.define(
      `create table if not exists ${this.table} (id integer primary key, vector blob not null, signature blob not null)`,
    );
    this.file.run('insert or ignore into spaces (name, dimensions) values (?, ?)', this.space.name, this.space.dimensions);
  }

  insert(id: number | bigint, vector: Float32Array): void {
    const { name, dimensions } = this.space;
    if (vector.length !== dimensions)
      throw new TypeError(`a vector of ${vector.length} dimensions does not belong to the space ${name}`);
    const bytes = bytesOf(vector);
    this.file.run(`insert or replace into ${this.table} values (?, ?, vec_quantize_binary(?))`, id, bytes, bytes);
  }

  /** `ids` is a JSON array, as SQLite gave it. */
  remove(ids: string): void {
    this.file.run(`delete from ${this.table} where id in (select value from json_each(?))`, ids);
  }

  drop(): void {
    this.file.define(`drop table if exists ${this.table}`);
    this.file.run('delete from spaces where name = ?', this.space.name);
  }
}
