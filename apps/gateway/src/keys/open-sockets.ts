import { Injectable } from '@nestjs/common';
import type { Principal } from '@parley/contracts';
import { KeyCache } from './key-cache';

/** The close code for a socket whose credential is good no more. */
export const noValidCredential = 4401;

interface Closable {
  close(code: number, reason: string): void;
}

interface Holder {
  readonly principal: Principal;
  readonly sockets: Set<Closable>;
}

/** A socket may be added by a request that was let in just before its key ended. */
const endedKeys = { entriesMax: 10_000, ttlMs: 60_000 };

/** The sockets of this gateway by the key that opened them, so that a key's end is theirs too. */
@Injectable()
export class OpenSockets {
  private readonly holders = new Map<string, Holder>();
  private readonly ended = new KeyCache<true>(endedKeys);

  /** Watches a socket until the answered function is called, which its owner does when the socket closes. */
  add(principal: Principal, socket: Closable): () => void {
    if (this.ended.get(principal.keyId)) socket.close(noValidCredential, 'the key has ended');
    const holder = this.holders.get(principal.keyId) ?? { principal, sockets: new Set() };
    this.holders.set(principal.keyId, holder);
    holder.sockets.add(socket);
    return () => {
      holder.sockets.delete(socket);
      if (holder.sockets.size === 0 && this.holders.get(principal.keyId) === holder) this.holders.delete(principal.keyId);
    };
  }

  /** How many sockets one key holds open here. */
  countOf(keyId: string): number {
    return this.holders.get(keyId)?.sockets.size ?? 0;
  }

  /** Closes what one key has opened, and what it opens in the next moments. */
  endKey(keyId: string): void {
    this.ended.set(keyId, true);
    this.end((principal) => principal.keyId === keyId);
  }

  /** Closes the sockets of every holder that fits. */
  end(fits: (principal: Principal) => boolean): void {
    for (const [keyId, { principal, sockets }] of this.holders) {
      if (!fits(principal)) continue;
      this.holders.delete(keyId);
      for (const socket of sockets) socket.close(noValidCredential, 'the key has ended');
    }
  }
}
