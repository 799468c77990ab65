import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { restoreLinks } from './postgres-binaries';

describe('the packaged programs of Postgres', () => {
  it('get back the links that an installation without scripts omits, repeatedly', async () => {
    const root = await mkdtemp(path.join(tmpdir(), 'parley-links-'));
    await mkdir(path.join(root, 'native/lib'), { recursive: true });
    await writeFile(path.join(root, 'native/lib/libpq.so.5.18'), 'library');
    const links = [{ source: 'native/lib/libpq.so.5.18', target: 'native/lib/libpq.so.5' }];
    await writeFile(path.join(root, 'native/pg-symlinks.json'), JSON.stringify(links));
    expect(await restoreLinks(root)).toBe(true);
    expect(await restoreLinks(root)).toBe(true);
    expect(await readFile(path.join(root, 'native/lib/libpq.so.5'), 'utf8')).toBe('library');

    const missing = [{ source: 'native/lib/lost', target: 'native/nowhere/lost.so' }];
    await writeFile(path.join(root, 'native/pg-symlinks.json'), JSON.stringify(missing));
    expect(await restoreLinks(root)).toBe(false);
    await rm(root, { recursive: true });
  });
});
