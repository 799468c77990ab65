import type { EmbeddingSpace, Hit } from '@parley/ports';
import { z } from 'zod';
import type { CollectionFile } from './collection-file.ts';
import { bytesOf, passageColumns, passageOf } from './rows.ts';
import { Signatures } from './signatures.ts';

const Ids = z.array(z.number());

/** So many candidates by sign bits get their exact cosine; up to this number of vectors a search is exhaustive. */
const candidates = 400;

/** The vectors of one embedding space inside a collection's file, with the signatures of the published ones in memory. */
export class SpaceIndex {
  private readonly file: CollectionFile;
  private readonly space: EmbeddingSpace;
  private readonly table: string;
  private signatures: Signatures | undefined;

  constructor(file: CollectionFile, space: EmbeddingSpace) {
    if (!/^[a-z0-9-]{1,64}$/.test(space.name)) throw new TypeError('not the name of an embedding space');
    this.file = file;
    this.space = space;
    this.table = `"vectors ${space.name}"`;
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

  /** Takes the vectors of a version that was just published into the searches. */
  show(source: string, version: number): void {
    if (this.signatures) this.read(this.signatures, 'and p.source = ? and p.version = ?', source, version);
  }

  /** `ids` is a JSON array, as SQLite gave it. */
  remove(ids: string): void {
    this.file.run(`delete from ${this.table} where id in (select value from json_each(?))`, ids);
    for (const id of Ids.parse(JSON.parse(ids))) this.signatures?.remove(id);
  }

  search(vector: Float32Array, limit: number, kinds: ReadonlySet<number> | undefined): Hit[] {
    const bytes = bytesOf(vector);
    const signature = this.file.value('select vec_quantize_binary(?)', bytes);
    if (!(signature instanceof Uint8Array)) return [];
    const ids = this.published().nearest(signature, Math.max(candidates, limit), kinds);
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

  /** Reads the signatures anew at the next search. */
  forget(): void {
    this.signatures = undefined;
  }

  drop(): void {
    this.file.define(`drop table if exists ${this.table}`);
    this.file.run('delete from spaces where name = ?', this.space.name);
  }

  private published(): Signatures {
    if (this.signatures) return this.signatures;
    const signatures = new Signatures(this.space.dimensions);
    this.read(signatures, '');
    this.signatures = signatures;
    return signatures;
  }

  private read(signatures: Signatures, and: string, ...values: (string | number)[]): void {
    const rows = this.file.each(
      `select v.id, p.kind, v.signature from ${this.table} as v join passages as p on p.id = v.id where p.published = 1 ${and}`,
      ...values,
    );
    for (const { id, kind, signature } of rows) {
      if (typeof id === 'number' && typeof kind === 'number' && signature instanceof Uint8Array)
        signatures.add(id, kind, signature);
    }
  }
}
