// Unpacks the peers for the SIP tests, sipp and baresip, into .cache/sip-peers without root. Plain Node, version 20 or later.
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { unpackPackages, withDependencies } from './debian-packages.mjs';

const folder = path.resolve(import.meta.dirname, '../.cache/sip-peers');
const patienceMs = 180_000;

/** Where sipp, baresip and its modules are, and the environment to start them in; undefined if they are missing. */
export function findSipPeers() {
  for (const [root, environment] of [
    ['/', {}],
    [folder, unpackedEnvironment()],
  ]) {
    const [sipp, baresip, modules] = ['usr/bin/sipp', 'usr/bin/baresip', 'usr/lib/baresip/modules'].map((part) =>
      path.join(root, part),
    );
    if ([sipp, baresip, modules].every((part) => existsSync(part))) return { sipp, baresip, modules, environment };
  }
  return undefined;
}

/** Makes them available, within three minutes. Returns undefined if that succeeded, otherwise the reason why not. */
export async function unpackSipPeers() {
  if (findSipPeers()) return undefined;
  const choose = async (signal) => {
    const names = ['sip-tester', 'baresip-core'];
    // apt does not list packages that are already installed, but the folder needs them too.
    return [...new Set([...(await withDependencies(names, signal)), ...names])];
  };
  return unpackPackages({ folder, choose, isThere: () => findSipPeers() !== undefined, patienceMs });
}

function unpackedEnvironment() {
  const libraries = path.join(folder, 'usr/lib');
  if (!existsSync(libraries)) return {};
  const places = readdirSync(libraries).filter((name) => name.includes('-linux-'));
  return { LD_LIBRARY_PATH: places.map((name) => path.join(libraries, name)).join(':') };
}

if (process.argv[1] === import.meta.filename) {
  const reason = await unpackSipPeers();
  process.stderr.write(`parley: ${reason ? `SIP is not tested with real peers: ${reason}` : 'sipp and baresip are ready'}\n`);
}
