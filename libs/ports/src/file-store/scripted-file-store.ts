import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { ProviderFailure } from '../provider-failure';
import {
  keysPerPageMax,
  limitBytes,
  segmentsOfKey,
  type FileStore,
  type FileStoreCapabilities,
  type StoredFile,
} from './file-store';

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
