import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Home } from './home';

describe('the home directory', () => {
  const directory = mkdtempSync(path.join(tmpdir(), 'parley-home-'));
  afterAll(() => rmSync(directory, { recursive: true }));

  it('belongs to one running platform at a time', async () => {
    const home = await Home.take(directory);
    await expect(Home.take(directory)).rejects.toThrow(/in use by a running Parley/);
    await home.release();
    const again = await Home.take(directory);
    await again.release();
  });

  it('is free again after its holder was killed', async () => {
    const home = await Home.take(directory);
    const socket = home['guard'].address();
    await home.release();
    const holder = spawn(process.execPath, [
      '-e',
      `require('net').createServer().listen(${JSON.stringify(socket)}, () => console.log('held'))`,
    ]);
    await once(holder.stdout, 'data');
    await expect(Home.take(directory)).rejects.toThrow(/in use/);
    holder.kill('SIGKILL');
    await once(holder, 'exit');
    await (await Home.take(directory)).release();
  });

  it('says in one line when it cannot be made', async () => {
    const file = path.join(directory, 'file');
    writeFileSync(file, '');
    await expect(Home.take(path.join(file, 'home'))).rejects.toThrow(/cannot make the data directory .* PARLEY_HOME/);
  });
});
