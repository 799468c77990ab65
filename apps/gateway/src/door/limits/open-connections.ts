import { Injectable } from '@nestjs/common';
import type { Principal } from '@parley/contracts';
import { LRUCache } from 'lru-cache';

/** The close code for a socket whose credential is no longer valid. */
const noValidCredential = 4401;

interface Closable {
  close(code: number, reason: string): void;
}

/** What a socket was opened by. It is open for as long as that is good. */
export interface Credential {
  readonly principal: Principal;
  /** The widget that the token or page belongs to, and the page's origin if that alone opened it. */
  readonly widget?: { readonly keyId: string; readonly origin?: string };
}

/** A socket may be added by a request that was let in just before its key ended. */
const endedKeys = { max: 10_000, ttl: 60_000 };

/** The sockets of this gateway and what opened them, so that the end of a key or of a widget is theirs too. */
@Injectable()
export class OpenConnections {
  private readonly sockets = new Map<Closable, Credential>();
  private readonly ended = new LRUCache<string, true>(endedKeys);

  /** Watches a socket until the answered function is called, which its owner does when the socket closes. */
  add(credential: Credential, socket: Closable): () => void {
    if (this.ended.get(credential.principal.keyId)) socket.close(noValidCredential, 'the key has ended');
    this.sockets.set(socket, credential);
    return () => void this.sockets.delete(socket);
  }

  /** What the sockets were opened by that are open now. */
  get credentials(): readonly Credential[] {
    return [...this.sockets.values()];
  }

  /** Closes the connections of one key, and those it opens in the next moments. */
  endKey(keyId: string): void {
    this.ended.set(keyId, true);
    this.end(({ principal }) => principal.keyId === keyId);
  }

  /** Closes every socket whose credential fits. */
  end(fits: (credential: Credential) => boolean, reason = 'the key has ended'): void {
    for (const [socket, credential] of this.sockets) {
      if (!fits(credential)) continue;
      this.sockets.delete(socket);
      socket.close(noValidCredential, reason);
    }
  }
}
