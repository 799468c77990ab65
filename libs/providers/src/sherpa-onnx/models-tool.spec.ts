import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
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

  /** Nobody can make bytes that have the checksum of the real model. */
  async function trust(bytes: Buffer): Promise<void> {
    await mkdir(models, { recursive: true });
    await writeFile(
      path.join(models, 'models.lock.json'),
      JSON.stringify({ [name]: createHash('sha256').update(bytes).digest('hex') }),
    );
  }

  const manage = (...args: string[]) =>
    run(process.execPath, [tool, ...args], { env: { ...process.env, PARLEY_MODELS: models } });
  const unavailable = () => new SherpaSpeaking(models).capabilities.unavailable;

  it('adds a model that the engine then finds, and lists it', async () => {
    await trust(archive);
    expect(unavailable()).toBeDefined();
    await manage('add', name, '--from', mirror);
    expect(unavailable()).toBeUndefined();
    expect((await manage('list')).stdout).toContain(`✓ ${name}`);
    await manage('add', name, '--from', mirror);
    expect(asked).toHaveLength(1);
  });

  it('takes no bytes but those of the model, and says what it found instead', async () => {
    const found = createHash('sha256').update(archive).digest('hex');
    const refused = { stderr: expect.stringMatching(new RegExp(`checksum ${found} and not [0-9a-f]{64}, as this tool says`)) };
    await expect(manage('add', name, '--from', mirror)).rejects.toMatchObject(refused);
    expect(unavailable()).toBeDefined();
    expect(await readdir(models)).toEqual([]);
  });

  it('takes the bytes that the lock file names, and no others', async () => {
    await trust(archive);
    archive = await archiveOf('another model');
    const refused = { stderr: expect.stringContaining('models.lock.json says') };
    await expect(manage('add', name, '--from', mirror)).rejects.toMatchObject(refused);
    expect(unavailable()).toBeDefined();
    await trust(archive);
    await manage('add', name, '--from', mirror);
    expect(unavailable()).toBeUndefined();
  });

  it('leaves nothing behind of what is not there or not known', async () => {
    const missing = manage('add', 'sherpa-onnx-whisper-base', '--from', mirror);
    await expect(missing).rejects.toMatchObject({ stderr: expect.stringContaining('answered 404') });
    await expect(manage('add', 'no-such-model')).rejects.toMatchObject({ stderr: expect.stringContaining('there is no model') });
    await expect(manage()).rejects.toMatchObject({ stderr: expect.stringContaining('usage') });
  });
});
