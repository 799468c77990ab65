import { mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { ProviderFailure } from '@parley/ports';
import { describeFileStore } from '@parley/ports/suites';
import { ConfigurationError } from '@parley/service-kit';
import { DiskFiles, diskFiles } from './index';

const root = mkdtempSync(path.join(tmpdir(), 'parley-files-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

describeFileStore('the disk', () => new DiskFiles(root));

describe('the disk file store', () => {
  const store = new DiskFiles(root);

  it('leaves nothing behind of a failed upload', async () => {
    await expect(store.put('1/large', Readable.from([Buffer.alloc(10)]), { bytesMax: 9 })).rejects.toThrow('larger than');
    expect(readdirSync(path.join(root, '.incoming'))).toEqual([]);
  });

  it('deletes what a killed upload left unfinished, but nothing that is still arriving', async () => {
    writeFileSync(path.join(root, '.incoming', 'left-behind'), 'half');
    expect(await store.forgetUnfinished(Date.now() - 60_000)).toBe(0);
    expect(await store.forgetUnfinished(Date.now() + 60_000)).toBe(1);
    expect(readdirSync(path.join(root, '.incoming'))).toEqual([]);
  });

  it('does not follow a link out of its folder', async () => {
    const secret = path.join(tmpdir(), `parley-secret-${process.pid}`);
    writeFileSync(secret, 'secret');
    await store.put('1/near', Readable.from([Buffer.from('x')]), { bytesMax: 10 });
    symlinkSync(secret, path.join(root, '1', 'link'));
    await expect(store.open('1/link')).rejects.toBeInstanceOf(ProviderFailure);
    rmSync(secret);
  });

  it('reports its own failure, not one of the upload, if its folder cannot be made', async () => {
    const file = path.join(root, 'a-file');
    writeFileSync(file, '');
    const put = new DiskFiles(file).put('1/a', Readable.from([Buffer.from('x')]), { bytesMax: 10 });
    await expect(put).rejects.toBeInstanceOf(ProviderFailure);
  });

  it('makes its folder when it opens, and stops the start if it cannot', () => {
    const folder = path.join(root, 'new', 'files');
    diskFiles.open({ FILES_DIR: folder });
    expect(readdirSync(folder)).toEqual([]);
    const below = path.join(root, 'another-file');
    writeFileSync(below, '');
    const open = () => diskFiles.open({ FILES_DIR: path.join(below, 'files') });
    expect(open).toThrow(ConfigurationError);
    expect(open).toThrow(/another-file\/files, which cannot be written \(ENOTDIR\)\. Set S3_BUCKET, or FILES_DIR/);
  });

  const onLinux = process.platform === 'linux' ? it : it.skip;
  onLinux('stops the start also where Node would try for ever to make a folder: the one above exists, but makes none', () => {
    expect(() => diskFiles.open({ FILES_DIR: '/proc/nope/files' })).toThrow(ConfigurationError);
  });

  it('does not let a key reach unfinished uploads', async () => {
    await expect(store.open('.incoming/anything')).rejects.toThrow('not a file key');
  });
});
