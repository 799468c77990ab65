import { Buffer } from 'node:buffer';
import type { EmbeddingSpace, Hit, Passage, PassageKind } from '@parley/ports';
import { z } from 'zod';
import type { CollectionFile } from './collection-file.ts';

const kinds: readonly PassageKind[] = ['document', 'faq', 'profile', 'catalogue'];

/** Kinds are kept as their place in a fixed list. Add at the end, never in between. */
export const kindCode = (kind: PassageKind): number => kinds.indexOf(kind);

/** The codes of the kinds asked for, or of all. */
export const kindCodes = (asked: readonly PassageKind[] = kinds): number[] => asked.map(kindCode);

/** What `passageOf` reads, of a table called `p`. */
export const passageColumns = 'p.passage_id, p.source, p.version, p.ordinal, p.kind, p.text, p.citation';

const Citation = z.record(z.string(), z.union([z.string(), z.number()]));
const PassageRow = z.object({
  passage_id: z.string(),
  source: z.string(),
  version: z.number(),
  ordinal: z.number(),
  kind: z.number(),
  text: z.string(),
  citation: z.string(),
  score: z.number().default(0),
});

/** A row of passages with its id and, where it was searched for, its score. */
export function passageOf(row: unknown): Hit & { id: string } {
  const { passage_id, source, version, ordinal, kind, text, citation, score } = PassageRow.parse(row);
  const passage: Passage = {
    sourceId: source,
    version,
    ordinal,
    kind: kinds[kind] ?? 'document',
    text,
    citation: Citation.parse(JSON.parse(citation)),
  };
  return { id: passage_id, passage, score };
}

/** The bytes of a vector as sqlite-vec reads them. */
export function bytesOf(vector: Float32Array): Uint8Array {
  return Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength);
}

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
