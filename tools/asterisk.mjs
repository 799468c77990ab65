// Finds an Asterisk on this machine, or unpacks Debian's into .cache/asterisk, without root. Plain Node, from 20 on.
// The stable Debian of 2023 has none, so the newest of the mirror that this machine uses is taken, with a C library of its own.
import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { unpackPackages } from './debian-packages.mjs';

const run = promisify(execFile);
const folder = path.resolve(import.meta.dirname, '../.cache/asterisk');
const keyrings = ['gpg', 'pgp'].map((ending) => `/usr/share/keyrings/debian-archive-keyring.${ending}`);
const patienceMs = 300_000;
const needed = ['app_audiosocket.so', 'chan_pjsip.so', 'chan_websocket.so'];

/** How to start it: the command, and where its modules and data are. Undefined if there is none with everything we need. */
export function findAsterisk() {
  return fitting('/', ['/usr/sbin/asterisk']) ?? fitting(folder, unpackedCommand());
}

/** Makes one available. Answers undefined when it is, and otherwise the reason why not; within five minutes. */
export async function unpackAsterisk() {
  if (findAsterisk()) return undefined;
  const isThere = () => findAsterisk() !== undefined;
  const apt = await mkdtemp(path.join(tmpdir(), 'parley-apt-'));
  try {
    const options = await privateApt(apt);
    if (typeof options === 'string') return options;
    return await unpackPackages({ folder, choose: (signal) => wholeSystem(options, signal), isThere, patienceMs, options });
  } catch (failure) {
    return failure.code === 'ENOENT'
      ? 'apt-get and dpkg are not on this machine'
      : String(failure.stderr || failure.message).trim();
  } finally {
    await rm(apt, { recursive: true, force: true });
  }
}

function fitting(root, command) {
  const modules = moduleFolders(root).find((place) => needed.every((name) => existsSync(path.join(place, name))));
  const data = path.join(root, 'usr/share/asterisk');
  return modules && command && existsSync(command.at(-1)) ? { command, modules, data } : undefined;
}

function moduleFolders(root) {
  const libraries = path.join(root, 'usr/lib');
  if (!existsSync(libraries)) return [];
  const places = readdirSync(libraries).filter((name) => name.includes('-linux-'));
  return ['', ...places].map((place) => path.join(libraries, place, 'asterisk/modules'));
}

/** Through the unpacked loader: the program is newer than this machine's own C library may be. */
function unpackedCommand() {
  const at = (part) => path.join(folder, part);
  const loaders = ['usr/lib64', 'usr/lib']
    .map(at)
    .filter((place) => existsSync(place))
    .flatMap((place) => readdirSync(place).map((name) => path.join(place, name)))
    .filter((file) => /ld-linux[^/]*\.so\.\d$/.test(file));
  if (loaders.length === 0) return undefined;
  const libraries = [
    'usr/lib',
    ...readdirSync(at('usr/lib'))
      .filter((name) => name.includes('-linux-'))
      .map((name) => `usr/lib/${name}`),
  ];
  return [loaders[0], '--library-path', libraries.map(at).join(':'), at('usr/sbin/asterisk')];
}

/** Options of an apt with lists of its own: Debian's newest packages, chosen as if nothing were installed. */
async function privateApt(home) {
  const { stdout } = await run('apt-get', ['indextargets', '--format', '$(REPO_URI) $(ORIGIN)', 'Identifier: Packages']);
  const [mirror] =
    stdout
      .split('\n')
      .map((line) => line.split(' '))
      .find(([uri, origin]) => origin === 'Debian' && !uri.includes('security')) ?? [];
  if (!mirror) return 'this machine knows no mirror of Debian';
  await mkdir(path.join(home, 'lists/partial'), { recursive: true });
  await mkdir(path.join(home, 'cache/archives/partial'), { recursive: true });
  const keys = keyrings.find((file) => existsSync(file));
  const signed = keys ? `[signed-by=${keys}] ` : '';
  await writeFile(path.join(home, 'sources.list'), `deb ${signed}${mirror} sid main\n`);
  await writeFile(path.join(home, 'status'), '');
  const settings = {
    'Dir::Etc::sourcelist': 'sources.list',
    'Dir::State::lists': 'lists',
    'Dir::Cache': 'cache',
    'Dir::State::status': 'status',
  };
  const places = Object.entries(settings).flatMap(([name, place]) => ['-o', `${name}=${path.join(home, place)}`]);
  return [...places, '-o', 'Dir::Etc::sourceparts=/dev/null', '-o', 'Acquire::Languages=none', '-o', 'APT::Sandbox::User='];
}

async function wholeSystem(options, signal) {
  await run('apt-get', [...options, 'update'], { signal });
  const words = [...options, '--simulate', '--no-install-recommends', 'install', 'asterisk'];
  const { stdout } = await run('apt-get', words, { env: { ...process.env, LC_ALL: 'C' }, signal });
  return [...stdout.matchAll(/^Inst (\S+)/gm)].map(([, found]) => found);
}

if (process.argv[1] === import.meta.filename) {
  const reason = await unpackAsterisk();
  process.stderr.write(`parley: ${reason ? `SIP is not tested with Asterisk: ${reason}` : 'an Asterisk is ready'}\n`);
}
