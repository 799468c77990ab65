// Finds promtool on this machine, or unpacks Debian's Prometheus package into .cache/prometheus without root.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { unpackPackages } from './debian-packages.mjs';

const folder = path.resolve(import.meta.dirname, '../.cache/prometheus');
const places = ['/usr/bin/promtool', '/usr/local/bin/promtool', path.join(folder, 'usr/bin/promtool')];
const patienceMs = 50_000;

/** Its path, or the reason why there is none. It is only linked against the C library, so that one package is enough. */
export async function promtool() {
  const find = () => places.find((place) => existsSync(place));
  const why = find()
    ? undefined
    : await unpackPackages({ folder, choose: () => ['prometheus'], isThere: () => find() !== undefined, patienceMs });
  return { program: find(), why };
}
