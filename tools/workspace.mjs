// What every command needs first: locked dependencies, and Node 24 whatever the machine has. Runs on the machine's own Node
// before anything is installed, so it imports nothing but Node itself.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import path from 'node:path';

export const root = path.resolve(import.meta.dirname, '..');
const inRoot = (...parts) => path.join(root, ...parts);
// Makes everything started from here start faster the second time: half of a document reader's run time is compilation.
process.env.NODE_COMPILE_CACHE ??= inRoot('.cache', 'compiled');

/** Ends the command with one line that says what to do. */
export function refuse(message, exitCode = 1) {
  process.stderr.write(`parley: ${message}\n`);
  process.exit(exitCode);
}

/** If a command is asked for its usage, prints the comment that it begins with, before anything is installed, built or started. */
export function explainIfAsked(file) {
  if (!process.argv.slice(2).some((word) => word === '--help' || word === '-h')) return;
  const lines = readFileSync(file, 'utf8').split('\n');
  const comment = lines.slice(
    0,
    lines.findIndex((line) => !line.startsWith('//')),
  );
  process.stdout.write(`${comment.map((line) => line.replace(/^\/\/ ?/, '')).join('\n')}\n`);
  process.exit(0);
}

/** Installs what is missing and returns the path of a suitable Node. */
export async function prepareWorkspace() {
  requireNode();
  if (!isInstalled()) await installDependencies();
  return findNode24() ?? (await fetchNode24());
}

function requireNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major < 20 || (major === 20 && minor < 11)) {
    refuse(`Node ${process.versions.node} is too old. Install Node 20.11 or newer (https://nodejs.org), then try again.`);
  }
}

/** Compares what npm recorded as installed with the lock file, instead of a marker of our own that could become stale. */
function isInstalled() {
  const installed = readPackages(inRoot('node_modules', '.package-lock.json'));
  const locked = readPackages(inRoot('package-lock.json'));
  if (!installed || !locked) return false;
  return Object.entries(locked).every(([name, entry]) => {
    if (name === '') return true;
    const present = installed[name];
    return present ? present.version === entry.version : Boolean(entry.optional || entry.devOptional || entry.peer);
  });
}

function readPackages(file) {
  if (!existsSync(file)) return undefined;
  return JSON.parse(readFileSync(file, 'utf8')).packages;
}

async function installDependencies() {
  const startedAt = Date.now();
  const seconds = () => Math.round((Date.now() - startedAt) / 1000);
  process.stderr.write('parley: installing dependencies as locked (a minute or so, once)\n');
  const tick = setInterval(() => process.stderr.write(`parley: still installing, ${seconds()} s\n`), 10_000);
  // An npm without support for `allowScripts` would run onnxruntime's script, which downloads CUDA libraries that nothing here
  // uses.
  const env = { ...process.env, ONNXRUNTIME_NODE_INSTALL: 'skip' };
  const code = await run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], { env, stdio: ['ignore', 2, 2] });
  clearInterval(tick);
  if (code !== 0) refuse('npm ci failed; its reason stands above. Check the network or proxy, then try again.');
  process.stderr.write(`parley: dependencies installed in ${seconds()} s\n`);
}

function findNode24() {
  const bundled = inRoot('node_modules', 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
  if (existsSync(bundled) && spawnSync(bundled, ['--version']).status === 0) return bundled;
  return Number(process.versions.node.split('.')[0]) >= 24 ? process.execPath : undefined;
}

/** If npm was told to ignore install scripts, does what the `node` package's own script would have done. */
async function fetchNode24() {
  process.stderr.write('parley: fetching Node 24 (install scripts are switched off in npm)\n');
  await run(process.execPath, ['installArchSpecificPackage'], { cwd: inRoot('node_modules', 'node'), stdio: ['ignore', 2, 2] });
  return findNode24() ?? refuse('no Node 24 to run on. Run `npm rebuild node`, or install Node 24 yourself, then try again.');
}

/**
 * Runs a program to its end; resolves with its exit code. With a lower `priority`, it only takes what others leave of the
 * machine.
 */
export function run(command, args, { priority = 0, ...options } = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd: root, stdio: 'inherit', ...options });
    if (priority && child.pid) setPriority(child.pid, priority);
    child.on('error', () => resolve(127));
    child.on('exit', (code, signal) => resolve(signal ? 128 : code));
  });
}

/** Runs a program in our place: signals are passed to it, and its exit code becomes ours. */
export async function become(command, args, options = {}) {
  const child = spawn(command, args, { cwd: root, stdio: 'inherit', ...options });
  // Ctrl-C reaches the whole process group: the child stops by itself, and we wait for it.
  process.on('SIGINT', () => {});
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => refuse(`cannot start ${command}: ${error.message}`));
  child.on('exit', (code, signal) => process.exit(signal ? 1 : (code ?? 1)));
}
