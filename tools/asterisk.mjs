// Finds an Asterisk on this machine, or unpacks Debian's into .cache/asterisk without root. Plain Node, version 20 or later. The
// stable Debian of 2023 has none, so the newest one on this machine's mirror is used, with a C library of its own.
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { loadedCommand, unpackNewest } from './debian-packages.mjs';

const folder = path.resolve(import.meta.dirname, '../.cache/asterisk');
const patienceMs = 300_000;
const needed = ['app_audiosocket.so', 'chan_pjsip.so', 'chan_websocket.so'];

/** How to start it: the command, and where its modules and data are. Undefined if there is none with everything we need. */
export function findAsterisk() {
  return fitting('/', ['/usr/sbin/asterisk']) ?? fitting(folder, loadedCommand(folder, 'usr/sbin/asterisk'));
}

/** Makes one available, within five minutes. Returns undefined if that succeeded, otherwise the reason why not. */
export async function unpackAsterisk() {
  const isThere = () => findAsterisk() !== undefined;
  return isThere() ? undefined : unpackNewest('asterisk', { folder, isThere, patienceMs });
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

if (process.argv[1] === import.meta.filename) {
  const reason = await unpackAsterisk();
  process.stderr.write(`parley: ${reason ? `SIP is not tested with Asterisk: ${reason}` : 'an Asterisk is ready'}\n`);
}
