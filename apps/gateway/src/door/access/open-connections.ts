import { Injectable } from '@nestjs/common';
import type { Principal } from '@parley/contracts';

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
const endedKeys = { entriesMax: 10_000, ttlMs: 60_000 };

/** The sockets of this gateway and what opened them, so that the end of a key or of a widget is theirs too. */
@Injectable()
export class OpenConnections {
  private readonly sockets = new Map<Closable, Credential>();
  private readonly ended = new KeyCache<true>(endedKeys);

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

/** How a cache of keys is bounded. */
interface KeyCacheLimits {
  readonly entriesMax: number;
  readonly ttlMs: number;
}

interface CachedValue<Value> {
  readonly value: Value;
  readonly untilMs: number;
}

/** A bounded cache of key look-ups with a short lifetime; the least recently set entry is evicted. */
export class KeyCache<Value> {
  private readonly entries = new Map<string, CachedValue<Value>>();

  constructor(
    private readonly limits: KeyCacheLimits,
    private readonly now: () => number = Date.now,
  ) {}

  get size(): number {
    return this.entries.size;
  }

  get(id: string): Value | undefined {
    const kept = this.entries.get(id);
    if (!kept) return undefined;
    if (kept.untilMs > this.now()) return kept.value;
    this.entries.delete(id);
    return undefined;
  }

  set(id: string, value: Value): void {
    // Setting an entry moves it to the end. Reading does not: with such a short lifetime, age is enough.
    this.entries.delete(id);
    this.entries.set(id, { value, untilMs: this.now() + this.limits.ttlMs });
    if (this.entries.size <= this.limits.entriesMax) return;
    const [oldest] = this.entries.keys();
    if (oldest !== undefined) this.entries.delete(oldest);
  }

  /** Forgets what fits. */
  forget(fits: (value: Value) => boolean): void {
    for (const [id, { value }] of this.entries) if (fits(value)) this.entries.delete(id);
  }

  clear(): void {
    this.entries.clear();
  }
}
