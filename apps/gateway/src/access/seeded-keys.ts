import { createHash, timingSafeEqual } from 'node:crypto';
import type { Principal } from '@parley/contracts';
import { Principals } from './principals';
import type { SeededKeyList } from './seeded-key-list';

/** Keys given by configuration. Only their hashes are kept, and every one is compared in constant time. */
export class SeededKeys extends Principals {
  private readonly holders: readonly { hash: Buffer; principal: Principal }[];

  constructor(keys: SeededKeyList) {
    super();
    this.holders = keys.map(({ key, principal }) => ({ hash: hashOf(key), principal }));
  }

  principalOf(apiKey: string): Principal | undefined {
    const hash = hashOf(apiKey);
    let found: Principal | undefined;
    // No early exit: the time taken must not tell how far down the list a key is.
    for (const holder of this.holders) if (timingSafeEqual(holder.hash, hash)) found = holder.principal;
    return found;
  }
}

function hashOf(apiKey: string): Buffer {
  return createHash('sha256').update(apiKey).digest();
}
