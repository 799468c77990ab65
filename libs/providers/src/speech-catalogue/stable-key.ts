import { createHash } from 'node:crypto';

/** The same UUID for the same name on every installation, so that seeded records can leave the platform. */
export function stableKey(name: string): string {
  const hash = createHash('sha256').update(`parley/${name}`).digest('hex');
  return [hash.slice(0, 8), hash.slice(8, 12), `8${hash.slice(13, 16)}`, `a${hash.slice(17, 20)}`, hash.slice(20, 32)].join('-');
}
