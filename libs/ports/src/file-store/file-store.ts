import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { ProviderFailure } from '../provider-failure';

/** What a store knows about a file once all of it is stored. */
export interface StoredFile {
  readonly key: string;
  readonly bytes: number;
  /** In hexadecimal, computed from the bytes that actually arrived. */
  readonly sha256: string;
}

export interface FileStoreCapabilities {
  readonly provider: string;
  /** The store's own limit, whatever the caller allows. */
  readonly bytesMax: number;
}

/**
 * Stores whole files by key. A file exists completely or not at all. Fails with a ProviderFailure. A class, so that it can be
 * injected.
 */
export abstract class FileStore {
  abstract readonly capabilities: FileStoreCapabilities;
  /** Replaces an existing file. Throws FileTooLarge at the first byte beyond `bytesMax`, storing nothing. */
  abstract put(key: string, body: AsyncIterable<Uint8Array>, options: { bytesMax: number }): Promise<StoredFile>;
  /** Undefined if there is no such file. */
  abstract open(key: string): Promise<Readable | undefined>;
  /** Deleting a missing file is no error. */
  abstract delete(key: string): Promise<void>;
  /** The keys below a folder of files last written before a time, in pages of at most a thousand. */
  abstract writtenBefore(folder: string, beforeMs: number): AsyncIterable<readonly string[]>;
  /** Deletes what unfinished uploads left in the store before a time; returns how many there were. */
  abstract forgetUnfinished(beforeMs: number): Promise<number>;
}

/** The most keys in a page. */
export const keysPerPageMax = 1_000;

/** More bytes arrived than the caller or the store allows. */
export class FileTooLarge extends Error {
  override readonly name = 'FileTooLarge';

  constructor(readonly bytesMax: number) {
    super(`the file is larger than ${bytesMax} bytes`);
  }
}

const segment = /^(?!\.{1,2}$)[A-Za-z0-9._=-]{1,120}$/;

/** The segments of a key. Refuses any that could leave the store's folder. */
export function segmentsOfKey(key: string): string[] {
  const segments = key.split('/');
  if (segments.length > 8 || !segments.every((part) => segment.test(part))) throw new TypeError('not a file key');
  return segments;
}

/** Passes bytes on; throws FileTooLarge at the first one beyond the limit. */
export async function* limitBytes(body: AsyncIterable<Uint8Array>, bytesMax: number): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const part of body) {
    bytes += part.byteLength;
    if (bytes > bytesMax) throw new FileTooLarge(bytesMax);
    yield part;
  }
}

/** After this long, in milliseconds, a received file is either referenced or never will be. */
export const orphanAgeMs = 24 * 60 * 60 * 1_000;

/** A store full of orphans is swept in several rounds. */
const deletedMax = 10_000;

interface Sweep {
  readonly nowMs: number;
  /** Which of these keys are still referenced. */
  readonly kept: (keys: readonly string[]) => Promise<ReadonlySet<string>>;
}

/**
 * Deletes files below a folder that are a day old and unreferenced, because a process was killed between storing and referencing
 * them. Returns how many; any number of processes may sweep at once.
 */
export async function sweepFiles(files: FileStore, folder: string, { nowMs, kept }: Sweep): Promise<number> {
  const beforeMs = nowMs - orphanAgeMs;
  let deleted = await files.forgetUnfinished(beforeMs);
  for await (const keys of files.writtenBefore(folder, beforeMs)) {
    const needed = await kept(keys);
    for (const key of keys) {
      if (needed.has(key)) continue;
      if (deleted >= deletedMax) return deleted;
      await files.delete(key);
      deleted += 1;
    }
  }
  return deleted;
}

/** A fake store in memory. It can be told to fail. */
export class ScriptedFileStore implements FileStore {
  readonly capabilities: FileStoreCapabilities = { provider: 'scripted', bytesMax: 64 * 1024 * 1024 };
  readonly files = new Map<string, Buffer>();
  private readonly writtenMs = new Map<string, number>();
  private readonly failures: ProviderFailure[] = [];

  failNext(failure: ProviderFailure): void {
    this.failures.push(failure);
  }

  async put(key: string, body: AsyncIterable<Uint8Array>, { bytesMax }: { bytesMax: number }): Promise<StoredFile> {
    segmentsOfKey(key);
    this.failIfTold();
    const content = Buffer.concat(
      await Readable.from(limitBytes(body, Math.min(bytesMax, this.capabilities.bytesMax))).toArray(),
    );
    this.files.set(key, content);
    this.writtenMs.set(key, Date.now());
    return { key, bytes: content.byteLength, sha256: createHash('sha256').update(content).digest('hex') };
  }

  async open(key: string): Promise<Readable | undefined> {
    segmentsOfKey(key);
    this.failIfTold();
    const content = this.files.get(key);
    return content && Readable.from([content]);
  }

  async delete(key: string): Promise<void> {
    segmentsOfKey(key);
    this.failIfTold();
    this.files.delete(key);
  }

  async *writtenBefore(folder: string, beforeMs: number): AsyncGenerator<readonly string[]> {
    segmentsOfKey(folder);
    this.failIfTold();
    const isOld = (key: string) => key.startsWith(`${folder}/`) && (this.writtenMs.get(key) ?? 0) < beforeMs;
    const keys = [...this.files.keys()].filter(isOld);
    for (let from = 0; from < keys.length; from += keysPerPageMax) yield keys.slice(from, from + keysPerPageMax);
  }

  async forgetUnfinished(): Promise<number> {
    return 0;
  }

  private failIfTold(): void {
    const failure = this.failures.shift();
    if (failure) throw failure;
  }
}
