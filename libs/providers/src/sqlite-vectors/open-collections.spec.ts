import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { OpenCollections } from './collection-file';

it('keeps a collection’s files readable by their owner only', () => {
  const directory = path.join(mkdtempSync(path.join(tmpdir(), 'parley-vectors-')), 'vectors');
  const open = new OpenCollections(directory, (file) => {
    const database = new DatabaseSync(file);
    database.exec('PRAGMA journal_mode = wal; CREATE TABLE passages (id int); INSERT INTO passages VALUES (1)');
    return database;
  });
  const modeOf = (file: string): number => statSync(file).mode & 0o777;
  writeFileSync(open.fileOf('of-an-earlier-build'), '', { mode: 0o644 });
  for (const name of ['new', 'of-an-earlier-build']) {
    open.get(name);
    expect(['', '-wal', '-shm'].map((ending) => modeOf(open.fileOf(name) + ending))).toEqual([0o600, 0o600, 0o600]);
  }
  expect(modeOf(directory)).toBe(0o700);
  open.closeAll();
  rmSync(path.dirname(directory), { recursive: true });
});
