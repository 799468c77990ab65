import { chmodSync, closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import path from 'node:path';

const openMax = 64;

/** The collections that a thread has open, by name. The one used longest ago makes room. */
export class OpenCollections<Collection extends { close(): void }> {
  private readonly directory: string;
  private readonly openFile: (file: string) => Collection;
  private readonly open = new Map<string, Collection>();

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
    this.open.delete(name);
    this.open.set(name, collection);
    const oldest = this.open.keys().next().value;
    if (this.open.size > openMax && oldest !== undefined) this.close(oldest);
    return collection;
  }

  /** A question about a collection that was never filled must not create its file. */
  existing(name: string): Collection | undefined {
    return this.open.has(name) || existsSync(this.fileOf(name)) ? this.get(name) : undefined;
  }

  close(name: string): void {
    this.open.get(name)?.close();
    this.open.delete(name);
  }

  closeAll(): void {
    for (const name of this.open.keys()) this.close(name);
  }
}

/** A file that its owner alone may read, also when an earlier build made it for more; SQLite gives the files beside it the same mode. */
function ownFile(file: string): string {
  closeSync(openSync(file, 'a', 0o600));
  chmodSync(file, 0o600);
  return file;
}
