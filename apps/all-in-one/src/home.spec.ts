import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePort } from './config';
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

  it('reports in one line that it cannot be created', async () => {
    const file = path.join(directory, 'file');
    writeFileSync(file, '');
    await expect(Home.take(path.join(file, 'home'))).rejects.toThrow(/cannot make the data directory .* PARLEY_HOME/);
  });
});

describe('a free port', () => {
  const servers: Server[] = [];
  afterEach(() => servers.splice(0).forEach((server) => server.close()));

  it('is given out once, can be listened on, and is outside the range of outgoing connections', async () => {
    const ports = await Promise.all(Array.from({ length: 200 }, freePort));
    expect(new Set(ports).size).toBe(200);
    // Linux assigns those from 32,768 on, other systems from 49,152.
    expect(Math.max(...ports)).toBeLessThan(32_768);
    for (const port of ports.slice(0, 20)) {
      const server = createServer().listen(port, '127.0.0.1');
      servers.push(server);
      await once(server, 'listening');
    }
  });
});
