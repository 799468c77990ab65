import { Buffer } from 'node:buffer';
import { chmodSync, closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync, type SQLInputValue, type SQLOutputValue, type StatementSync } from 'node:sqlite';
import type { EmbeddingSpace, Hit, Passage, PassageKind } from '@parley/ports';
import { LRUCache } from 'lru-cache';
import { load } from 'sqlite-vec';
import { z } from 'zod';

/** The categories include marks; otherwise the tokenizer would split Devanagari words at vowel signs. */
const tokenizer = `unicode61 remove_diacritics 0 categories ''L* N* Co Mn Mc''`;

const schema = `
  create table if not exists passages (
    id integer primary key,
    passage_id text not null unique,
    source text not null,
    version integer not null,
    ordinal integer not null,
    kind integer not null,
    published integer not null default 0,
    text text not null,
    citation text not null
  );
  create index if not exists passages_by_source on passages (source, version);
  create table if not exists spaces (name text primary key, dimensions integer not null);
  create virtual table if not exists passage_terms using fts5(terms, content='', contentless_delete=1, tokenize='${tokenizer}');
  create table if not exists changes (id integer primary key autoincrement, passages text);
`;

/** How long a search thread waits while the writer creates the file. */
const busyMs = 5_000;
/** How many changes are recorded; a search thread that has missed more reads everything again. */
const changesKept = 1_000;

type StoredRow = Record<string, SQLOutputValue>;

interface StoredChange {
  readonly id: number;
  /** The ids of passages added or removed, as a JSON array; undefined if anything may have changed. */
  readonly passages: string | undefined;
}

/** The SQLite file of one collection. Every committed transaction survives a killed process and a power cut. */
export class CollectionFile {
  private readonly database: DatabaseSync;
  private readonly statements = new Map<string, StatementSync>();

  constructor(file: string) {
    this.database = new DatabaseSync(file, { allowExtension: true, timeout: busyMs });
    load(this.database);
    this.database.exec(
      'pragma journal_mode = wal; pragma synchronous = full; pragma cache_size = -16384; pragma mmap_size = 1073741824',
    );
    this.database.exec(schema);
  }

  run(sql: string, ...values: SQLInputValue[]): number | bigint {
    return this.statement(sql).run(...values).lastInsertRowid;
  }

  all(sql: string, ...values: SQLInputValue[]): StoredRow[] {
    return this.statement(sql).all(...values);
  }

  /** The first column of the first row. */
  value(sql: string, ...values: SQLInputValue[]): SQLOutputValue | undefined {
    return Object.values(this.statement(sql).get(...values) ?? {})[0];
  }

  each(sql: string, ...values: SQLInputValue[]): Iterable<StoredRow> {
    return this.statement(sql).iterate(...values);
  }

  /** Changes tables, and drops statements prepared for the old ones. */
  define(sql: string): void {
    this.statements.clear();
    this.database.exec(sql);
  }

  transaction(work: () => void): void {
    this.database.exec('begin immediate');
    try {
      work();
      this.database.exec('commit');
    } catch (error) {
      this.database.exec('rollback');
      throw error;
    }
  }

  /** Reads from a snapshot, which does not see later commits. */
  snapshot<T>(read: () => T): T {
    this.database.exec('begin');
    try {
      return read();
    } finally {
      this.database.exec('commit');
    }
  }

  /** Records changed passages, or that anything may have changed, for the search threads, as part of the transaction. */
  noteChange(passages?: string): void {
    if (passages === '[]') return;
    const id = Number(this.run('insert into changes (passages) values (?)', passages ?? null));
    this.run('delete from changes where id <= ?', id - changesKept);
  }

  lastChange(): number {
    return Number(this.value('select max(id) from changes') ?? 0);
  }

  changesAfter(id: number): StoredChange[] {
    return this.all('select id, passages from changes where id > ? order by id', id).map(({ id: next, passages }) => ({
      id: Number(next),
      passages: typeof passages === 'string' ? passages : undefined,
    }));
  }

  close(): void {
    this.database.close();
  }

  private statement(sql: string): StatementSync {
    const statement = this.statements.get(sql) ?? this.database.prepare(sql);
    this.statements.set(sql, statement);
    return statement;
  }
}

const openMax = 64;

/** The open collections of a thread, by name. The least recently used one is closed to make room. */
export class OpenCollections<Collection extends { close(): void }> {
  private readonly directory: string;
  private readonly openFile: (file: string) => Collection;
  private readonly open = new LRUCache<string, Collection>({ max: openMax, dispose: (collection) => collection.close() });

  constructor(directory: string, openFile: (file: string) => Collection) {
    this.directory = directory;
    this.openFile = openFile;
    mkdirSync(directory, { recursive: true, mode: 0o700 });
  }

  fileOf(name: string): string {
    return path.join(this.directory, `${name}.sqlite`);
  }

  get(name: string): Collection {
    const collection = this.open.get(name) ?? this.openFile(ownFile(this.fileOf(name)));
    if (!this.open.has(name)) this.open.set(name, collection);
    return collection;
  }

  /** Opens a collection only if its file exists, since a search must not create it. */
  existing(name: string): Collection | undefined {
    return this.open.has(name) || existsSync(this.fileOf(name)) ? this.get(name) : undefined;
  }

  close(name: string): void {
    this.open.delete(name);
  }

  closeAll(): void {
    this.open.clear();
  }
}

/**
 * Makes a file readable only by its owner, even if an earlier build created it otherwise. SQLite gives its companion files the same mode.
 */
function ownFile(file: string): string {
  closeSync(openSync(file, 'a', 0o600));
  chmodSync(file, 0o600);
  return file;
}

const kinds: readonly PassageKind[] = ['document', 'faq', 'profile', 'catalogue'];

/** Kinds are stored by their position in a fixed list, to which new ones may only be appended. */
export const kindCode = (kind: PassageKind): number => kinds.indexOf(kind);

/** The codes of the requested kinds, or of all. */
export const kindCodes = (asked: readonly PassageKind[] = kinds): number[] => asked.map(kindCode);

/** The columns for `passageOf`, of a table aliased `p`. */
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

/** A passage from a row, with its id and, after a search, its score. */
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

/** The bytes of a vector, for sqlite-vec. */
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

  /** @param ids A JSON array. */
  remove(ids: string): void {
    this.file.run(`delete from ${this.table} where id in (select value from json_each(?))`, ids);
  }

  drop(): void {
    this.file.define(`drop table if exists ${this.table}`);
    this.file.run('delete from spaces where name = ?', this.space.name);
  }
}
