// Finds a Chromium on this machine, or unpacks Debian's into .cache/chromium without root: for the tests of our pages.
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { isProgram, unpackPackages, withDependencies } from './debian-packages.mjs';

const folder = path.resolve(import.meta.dirname, '../.cache/chromium');
const program = path.join(folder, 'usr/lib/chromium/chromium-headless-shell');
const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const patienceMs = 300_000;

/** The browser and the environment that it needs to start; undefined if there is none. CHROMIUM overrides the search. */
export function findChromium() {
  const given = process.env.CHROMIUM ?? onPath();
  if (given) return { program: given, environment: {} };
  return existsSync(program) ? { program, environment: unpackedEnvironment() } : undefined;
}

/** Makes a browser available, within five minutes. Returns undefined if that succeeded, otherwise the reason why not. */
export async function unpackChromium() {
  if (findChromium()) return undefined;
  const choose = (signal) => withDependencies(['chromium-headless-shell'], signal);
  return unpackPackages({ folder, choose, isThere: () => existsSync(program), patienceMs });
}

function onPath() {
  return (process.env.PATH ?? '')
    .split(path.delimiter)
    .filter((place) => path.isAbsolute(place))
    .flatMap((place) => names.map((name) => path.join(place, name)))
    .find(isProgram);
}

/** Points it to the libraries next to it, and to fonts if the machine has none. */
function unpackedEnvironment() {
  const libraries = readdirSync(path.join(folder, 'usr/lib'))
    .filter((name) => name.includes('-linux-'))
    .flatMap((name) => [name, `${name}/pulseaudio`])
    .map((name) => path.join(folder, 'usr/lib', name));
  const isFontless = !existsSync('/etc/fonts/fonts.conf');
  return { LD_LIBRARY_PATH: libraries.join(':'), ...(isFontless && { FONTCONFIG_SYSROOT: folder }) };
}

if (process.argv[1] === import.meta.filename) {
  const reason = await unpackChromium();
  process.stderr.write(`parley: ${reason ? `pages cannot be tested in a browser: ${reason}` : 'a Chromium is ready'}\n`);
}
