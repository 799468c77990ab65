import { createHmac, hkdfSync } from 'node:crypto';

const purpose = 'parley api keys v1';

/** Hashes keys under the installation's secret, so that a stolen table cannot be tried against guesses. */
export class KeyHashes {
  private readonly secrets: readonly Buffer[];

  /** The first secret is the one in use; the others were, and keys hashed under them still open the door. */
  constructor(current: string, former: readonly string[] = []) {
    this.secrets = [current, ...former].map((secret) => Buffer.from(hkdfSync('sha256', secret, '', purpose, 32)));
  }

  /** The hash that a key is kept under from now on. */
  current(key: string): Buffer {
    return this.all(key)[0] ?? Buffer.alloc(0);
  }

  /** Every hash that the key may be found under, the one in use first. */
  all(key: string): Buffer[] {
    return this.secrets.map((secret) => createHmac('sha256', secret).update(key).digest());
  }
}
