import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { SherpaSpeaking } from '.';

const run = promisify(execFile);
const tool = path.resolve('tools/models.mjs');
const name = 'vits-piper-en_US-amy-low';

describe('npm run models', () => {
  let place: string;
  let models: string;
  let server: Server;
  let mirror: string;
  let asked: string[];
  let archive: Buffer;

  beforeEach(async () => {
    place = await mkdtemp(path.join(tmpdir(), 'mirror-'));
    models = path.join(place, 'models');
    archive = await archiveOf('a model');
    asked = [];
    server = createServer((request, response) => {
      asked.push(request.url ?? '');
      response.writeHead(request.url === `/tts-models/${name}.tar.bz2` ? 200 : 404).end(archive);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    mirror = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
  });
  afterEach(async () => {
    server.closeAllConnections();
    server.close();
    await rm(place, { recursive: true });
  });

  async function archiveOf(content: string): Promise<Buffer> {
    const folder = path.join(place, name);
    await mkdir(path.join(folder, 'espeak-ng-data'), { recursive: true });
    for (const file of ['en_US-amy-low.onnx', 'tokens.txt']) await writeFile(path.join(folder, file), content);
    await run('tar', ['-cjf', path.join(place, 'made.tar.bz2'), '-C', place, name]);
    return readFile(path.join(place, 'made.tar.bz2'));
  }

  const manage = (...args: string[]) => run(process.execPath, [tool, ...args], { env: { ...process.env, PARLEY_MODELS: models } });
  const unavailable = () => new SherpaSpeaking(models).capabilities.unavailable;

  it('adds a model that the engine then finds, and lists it', async () => {
    expect(unavailable()).toBeDefined();
    await manage('add', name, '--from', mirror);
    expect(unavailable()).toBeUndefined();
    expect((await manage('list')).stdout).toContain(`✓ ${name}`);
    await manage('add', name, '--from', mirror);
    expect(asked).toHaveLength(1);
  });

  it('records the checksum of the first download, and takes no other bytes afterwards', async () => {
    expect((await manage('add', name, '--from', mirror)).stdout).toContain('nobody publishes a checksum');
    await rm(path.join(models, name), { recursive: true });
    archive = await archiveOf('another model');
    await expect(manage('add', name, '--from', mirror)).rejects.toMatchObject({ stderr: expect.stringContaining('is not what it was') });
    expect(unavailable()).toBeDefined();
  });

  it('leaves nothing behind of what is not there or not known', async () => {
    const missing = manage('add', 'sherpa-onnx-whisper-base', '--from', mirror);
    await expect(missing).rejects.toMatchObject({ stderr: expect.stringContaining('answered 404') });
    await expect(manage('add', 'no-such-model')).rejects.toMatchObject({ stderr: expect.stringContaining('there is no model') });
    await expect(manage()).rejects.toMatchObject({ stderr: expect.stringContaining('usage') });
  });
});
