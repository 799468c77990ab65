import { createHash, randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open, opendir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import {
  type FileStore,
  type FileStoreCapabilities,
  keysPerPageMax,
  limitBytes,
  ProviderFailure,
  segmentsOfKey,
  type StoredFile,
} from '@parley/ports';
import { makeFolders, variableText } from '@parley/service-kit';
import { defineConfigured, requireWritable } from '../vendor';

const incoming = '.incoming';

/** Files in a local folder. A file is created by renaming, so a crash leaves it complete or absent. */
export class DiskFiles implements FileStore {
  readonly capabilities: FileStoreCapabilities = { provider: 'disk', bytesMax: 1024 ** 3 };

  constructor(private readonly root: string) {}

  async put(key: string, body: AsyncIterable<Uint8Array>, { bytesMax }: { bytesMax: number }): Promise<StoredFile> {
    const target = this.pathOf(key);
    const temporary = path.join(this.root, incoming, randomUUID());
    try {
      await makeFolderOf(temporary);
      const written = await this.write(temporary, limitBytes(body, Math.min(bytesMax, this.capabilities.bytesMax)));
      await makeFolderOf(target);
      await rename(temporary, target);
      await syncFolder(path.dirname(target));
      return { key, ...written };
    } catch (error) {
      // If this fails, it is deleted later with other unfinished uploads.
      await rm(temporary, { force: true }).catch(() => undefined);
      throw toFailure(error);
    }
  }

  async open(key: string): Promise<Readable | undefined> {
    const handle = await openToRead(this.pathOf(key));
    return handle?.createReadStream();
  }

  async delete(key: string): Promise<void> {
    await rm(this.pathOf(key), { force: true });
  }

  async *writtenBefore(folder: string, beforeMs: number): AsyncGenerator<readonly string[]> {
    let page: string[] = [];
    for await (const file of filesBelow(this.pathOf(folder), beforeMs)) {
      page.push(path.relative(this.root, file).split(path.sep).join('/'));
      if (page.length < keysPerPageMax) continue;
      yield page;
      page = [];
    }
    if (page.length > 0) yield page;
  }

  async forgetUnfinished(beforeMs: number): Promise<number> {
    let forgotten = 0;
    for await (const file of filesBelow(path.join(this.root, incoming), beforeMs)) {
      await rm(file, { force: true });
      forgotten += 1;
    }
    return forgotten;
  }

  private async write(file: string, body: AsyncIterable<Uint8Array>): Promise<{ bytes: number; sha256: string }> {
    await using handle = await open(file, 'wx', 0o600);
    const hash = createHash('sha256');
    let bytes = 0;
    for await (const part of body) {
      hash.update(part);
      bytes += part.byteLength;
      await handle.writeFile(part);
    }
    await handle.sync();
    return { bytes, sha256: hash.digest('hex') };
  }

  private pathOf(key: string): string {
    const segments = segmentsOfKey(key);
    if (segments[0] === incoming) throw new TypeError('not a file key');
    return path.join(this.root, ...segments);
  }
}

/** Regular files only, since links are not uploads. Folders and files deleted meanwhile are skipped. */
async function* filesBelow(folder: string, beforeMs: number): AsyncGenerator<string> {
  const entries = await opendir(folder, { recursive: true }).catch((error: unknown) => {
    if (codeOf(error) !== 'ENOENT') throw toFailure(error);
  });
  if (!entries) return;
  for await (const entry of entries) {
    if (!entry.isFile()) continue;
    const file = path.join(entry.parentPath, entry.name);
    const writtenMs = await stat(file).then(
      ({ mtimeMs }) => mtimeMs,
      () => Infinity,
    );
    if (writtenMs < beforeMs) yield file;
  }
}

/** Makes a rename durable by syncing its folder. */
async function syncFolder(folder: string): Promise<void> {
  await using handle = await open(folder, 'r');
  await handle.sync();
}

async function openToRead(file: string): Promise<FileHandle | undefined> {
  try {
    return await open(file, constants.O_RDONLY | constants.O_NOFOLLOW);
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return undefined;
    throw toFailure(error);
  }
}

function codeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
}

/** Converts file system errors; anything else comes from the source of the bytes. */
function toFailure(error: unknown): unknown {
  if (typeof error !== 'object' || error === null || !('syscall' in error)) return error;
  const code = String(codeOf(error));
  return new ProviderFailure('disk', code, { retryable: code === 'ENOSPC' || code === 'EMFILE', cause: error });
}

/** Files in a folder of this machine. */
export const diskFiles = defineConfigured({
  variables: {
    FILES_DIR: variableText().default('.parley/files').meta({
      description:
        'The folder for uploads and recordings, when S3_BUCKET is not set. A service that cannot write there does not start.',
      example: '/var/lib/parley/files',
    }),
  },
  open: ({ FILES_DIR }) => {
    requireWritable('FILES_DIR', FILES_DIR, 'S3_BUCKET, or FILES_DIR to a folder that every service shares');
    return new DiskFiles(FILES_DIR);
  },
});

/** The folder is nearly always there, so it is only looked at. */
async function makeFolderOf(file: string): Promise<void> {
  const folder = path.dirname(file);
  await stat(folder).catch(() => makeFolders(folder));
}
