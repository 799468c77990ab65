// Finds a nats-server on this machine, or unpacks Debian's without root; lists the tests that need one. Plain Node, because it
// runs before anything is installed.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { isProgram } from './debian-packages.mjs';

const root = path.resolve(import.meta.dirname, '..');
const cache = path.join(root, '.cache', 'nats');
const unpacked = path.join(cache, 'usr', 'sbin', 'nats-server');

/** The path of a nats-server that can be started; throws one line that says how to get one. */
export async function findNatsServer() {
  const given = process.env.NATS_SERVER;
  if (given) {
    if (isProgram(given)) return given;
    throw new Error(`NATS_SERVER=${given} is no program that can be started`);
  }
  const found = onPath() ?? (isProgram(unpacked) ? unpacked : unpackFromDebian());
  if (found) return found;
  throw new Error(
    'nats-server was not found: install it (https://nats.io/download, or `brew install nats-server`) or name it in NATS_SERVER',
  );
}

/**
 * Test files that start a nats-server of their own, or run on a cluster. Uses only features of the oldest Node that can install
 * us.
 */
export function testsThatNeedNats() {
  const files = ['apps', 'libs', 'tools', 'k8s', 'deploy', 'docs'].flatMap((folder) =>
    readdirSync(path.join(root, folder), { recursive: true }).map((file) => path.join(folder, file).replaceAll('\\', '/')),
  );
  const starts = (file) => /TestNats\.(start|program)\(/.test(readFileSync(path.join(root, file), 'utf8'));
  return files
    .filter((file) => (file.endsWith('.spec.ts') ? starts(file) : /\/e2e\/(journeys|cluster)\/.*\.e2e\.ts$/.test(file)))
    .toSorted();
}

function onPath() {
  const folders = [...(process.env.PATH ?? '').split(path.delimiter), '/usr/sbin', '/usr/local/sbin', '/opt/homebrew/bin'];
  return folders
    .filter((folder) => path.isAbsolute(folder))
    .map((folder) => path.join(folder, process.platform === 'win32' ? 'nats-server.exe' : 'nats-server'))
    .find(isProgram);
}

function unpackFromDebian() {
  if (!succeeds('apt-get', ['--version']) || !succeeds('dpkg', ['--version'])) return undefined;
  mkdirSync(cache, { recursive: true });
  // Two processes may do this at once: each unpacks into its own folder, and the first one's is kept.
  const folder = mkdtempSync(path.join(cache, 'unpack-'));
  try {
    download(folder);
    const archive = readdirSync(folder).find((name) => name.endsWith('.deb'));
    if (!archive || !succeeds('dpkg', ['-x', archive, '.'], folder)) return undefined;
    const program = path.join(folder, 'usr', 'sbin', 'nats-server');
    if (!isProgram(program)) return undefined;
    mkdirSync(path.dirname(unpacked), { recursive: true });
    renameSync(program, unpacked);
    return unpacked;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function download(folder) {
  if (succeeds('apt-get', ['download', 'nats-server'], folder)) return;
  if (process.getuid?.() !== 0) return;
  if (succeeds('apt-get', ['update'])) succeeds('apt-get', ['download', 'nats-server'], folder);
}

function succeeds(program, args, cwd = root) {
  try {
    execFileSync(program, args, { cwd, stdio: 'ignore', timeout: 120_000 });
    return true;
  } catch {
    return false;
  }
}
