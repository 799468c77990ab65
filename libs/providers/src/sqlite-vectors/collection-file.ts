import { DatabaseSync, type SQLInputValue, type SQLOutputValue, type StatementSync } from 'node:sqlite';
import { load } from 'sqlite-vec';

/** Without marks among its categories the tokenizer would split Devanagari words at their vowel signs. */
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
  create virtual table if not exists passage_vocabulary using fts5vocab(passage_terms, row);
`;

/** The thread that searches words has a connection of its own, and waits while the other creates the file. */
const busyMs = 5_000;

type Row = Record<string, SQLOutputValue>;

/** The SQLite file of one collection. Every committed transaction outlives a killed process and a power cut. */
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

  all(sql: string, ...values: SQLInputValue[]): Row[] {
    return this.statement(sql).all(...values);
  }

  /** The first column of the first row. */
  value(sql: string, ...values: SQLInputValue[]): SQLOutputValue | undefined {
    return Object.values(this.statement(sql).get(...values) ?? {})[0];
  }

  each(sql: string, ...values: SQLInputValue[]): Iterable<Row> {
    return this.statement(sql).iterate(...values);
  }

  /** Changes tables; forgets the statements that may have been made for the old ones. */
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

  close(): void {
    this.database.close();
  }

  private statement(sql: string): StatementSync {
    const statement = this.statements.get(sql) ?? this.database.prepare(sql);
    this.statements.set(sql, statement);
    return statement;
  }
}
