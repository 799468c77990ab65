import { utimesSync } from 'node:fs';
import path from 'node:path';
import { Readable } from 'node:stream';
import { orphanAgeMs } from '@parley/ports';
import { DiskFiles } from '@parley/providers/disk-files';
import { eventually, LongWaits } from '@parley/testing';
import { Installation } from '../../installation.suite';

const hourMs = 60 * 60 * 1_000;

describe('a contact file whose request was killed', () => {
  let installation: Installation;
  let waits: LongWaits;
  beforeAll(async () => {
    waits = new LongWaits();
    installation = await Installation.start();
  });
  afterAll(async () => {
    await installation.stop();
    waits.letGo();
  });

  it('is deleted after a day; other services’ files are left alone', async () => {
    const files = new DiskFiles(installation.folder);
    const isThere = async (key: string) => {
      const stream = await files.open(key);
      stream?.destroy();
      return stream !== undefined;
    };
    const keys = ['contacts/7/lost.csv', 'contacts/8/young.csv', 'uploads/7/document'];
    for (const key of keys) await files.put(key, Readable.from([Buffer.from('CustomerName,ContactNumber\n')]), { bytesMax: 100 });
    const dayAgo = (Date.now() - orphanAgeMs - hourMs) / 1000;
    for (const key of ['contacts/7/lost.csv', 'uploads/7/document'])
      utimesSync(path.join(installation.folder, key), dayAgo, dayAgo);
    // Without waiting for the hour between two sweeps.
    waits.end();
    await eventually('the orphan is gone', async () => !(await isThere('contacts/7/lost.csv')));
    expect(await Promise.all(keys.map(isThere))).toEqual([false, true, true]);
  });
});
