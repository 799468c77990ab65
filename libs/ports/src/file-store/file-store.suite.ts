import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { FileTooLarge, type FileStore, orphanAgeMs, sweepFiles } from './file-store';
const bytesMax = 1_000_000;

async function read(store: FileStore, key: string): Promise<Buffer | undefined> {
  const stream = await store.open(key);
  return stream && Buffer.concat(await stream.toArray());
}

const keysOf = async (pages: AsyncIterable<readonly string[]>) => (await Readable.from(pages).toArray()).flat();

/** The guarantees of the port, tested for any store. */
export function describeFileStore(name: string, create: () => Promise<FileStore> | FileStore): void {
  describe(`${name} as a file store`, () => {
    let store: FileStore;
    beforeEach(async () => {
      store = await create();
    });

    it('returns every byte, and the hash of what arrived', async () => {
      const parts = [Buffer.alloc(70_000, 'a'), Buffer.from('नमस्ते'), Buffer.alloc(5, 0)];
      const stored = await store.put('1/2/original.pdf', Readable.from(parts), { bytesMax });
      const content = Buffer.concat(parts);
      expect(stored).toEqual({
        key: '1/2/original.pdf',
        bytes: content.byteLength,
        sha256: createHash('sha256').update(content).digest('hex'),
      });
      expect((await read(store, '1/2/original.pdf'))?.equals(content)).toBe(true);
    });

    it('keeps an empty file', async () => {
      await store.put('1/empty', Readable.from([]), { bytesMax });
      expect(await read(store, '1/empty')).toHaveLength(0);
    });

    it('replaces a file whole', async () => {
      await store.put('1/a', Readable.from([Buffer.from('a longer first version')]), { bytesMax });
      await store.put('1/a', Readable.from([Buffer.from('second')]), { bytesMax });
      expect((await read(store, '1/a'))?.toString()).toBe('second');
    });

    it('refuses a file beyond the limit and keeps the previous one', async () => {
      await store.put('1/a', Readable.from([Buffer.from('kept')]), { bytesMax });
      const tooLarge = Readable.from([Buffer.alloc(8), Buffer.alloc(8)]);
      await expect(store.put('1/a', tooLarge, { bytesMax: 15 })).rejects.toBeInstanceOf(FileTooLarge);
      expect((await read(store, '1/a'))?.toString()).toBe('kept');
    });

    it('keeps nothing of an upload that broke off', async () => {
      async function* broken() {
        yield Buffer.from('half');
        throw new Error('the client went away');
      }
      await expect(store.put('1/half', broken(), { bytesMax })).rejects.toThrow('the client went away');
      expect(await store.open('1/half')).toBeUndefined();
    });

    it('returns undefined for a missing file, and deletes it without an error', async () => {
      expect(await store.open('1/nothing')).toBeUndefined();
      await store.delete('1/nothing');
    });

    it('forgets a deleted file', async () => {
      await store.put('1/a', Readable.from([Buffer.from('x')]), { bytesMax });
      await store.delete('1/a');
      expect(await store.open('1/a')).toBeUndefined();
    });

    it('lists what was written before a moment, folder by folder and every file once', async () => {
      const keys = ['sweep/1/a', 'sweep/1/b', 'sweep/2/d', 'sweep/2/deeper/c', 'sweep/e'];
      for (const key of [...keys, 'sweeping/not', 'other/not'])
        await store.put(key, Readable.from([Buffer.from(key)]), { bytesMax });
      const listed = async (folder: string, beforeMs: number) => (await keysOf(store.writtenBefore(folder, beforeMs))).sort();
      const later = Date.now() + 60_000;
      expect(await listed('sweep', later)).toEqual(keys);
      expect(await listed('sweep/2', later)).toEqual(['sweep/2/d', 'sweep/2/deeper/c']);
      expect(await listed('sweep', Date.now() - 60_000)).toEqual([]);
      expect(await listed('nothing', later)).toEqual([]);
    });

    it('sweeps a day’s orphans, and leaves what is kept or younger', async () => {
      for (const key of ['orphans/kept', 'orphans/1/lost', 'orphans/2/lost'])
        await store.put(key, Readable.from([Buffer.from('x')]), { bytesMax });
      const kept = async (keys: readonly string[]) => new Set(keys.filter((key) => key === 'orphans/kept'));
      expect(await sweepFiles(store, 'orphans', { nowMs: Date.now(), kept })).toBe(0);
      expect(await sweepFiles(store, 'orphans', { nowMs: Date.now() + orphanAgeMs + 60_000, kept })).toBe(2);
      expect(await store.open('orphans/1/lost')).toBeUndefined();
      expect((await read(store, 'orphans/kept'))?.toString()).toBe('x');
    });

    it.each([
      '../secret',
      '1/../../etc/passwd',
      '/etc/passwd',
      '1//2',
      '.',
      '1/..',
      'a\\b',
      'a\0b',
      '',
      '1/%2e%2e/x',
      'x'.repeat(200),
    ])('refuses the key %j, which could point elsewhere', async (key) => {
      await expect(store.put(key, Readable.from([Buffer.from('x')]), { bytesMax })).rejects.toThrow('not a file key');
      await expect(store.open(key)).rejects.toThrow('not a file key');
      await expect(store.delete(key)).rejects.toThrow('not a file key');
      await expect(keysOf(store.writtenBefore(key, 0))).rejects.toThrow('not a file key');
    });
  });
}
