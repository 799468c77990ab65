import { Injectable } from '@nestjs/common';
import { normalizeIp } from '@nestjs/throttler';
import { Fault, type Principal } from '@parley/contracts';
import { integer } from '@parley/service-kit';
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

/** What lasts: a WebSocket, a stream that ends when its reader leaves, and a request that may take minutes. */
export type Held = 'socket' | 'stream' | 'request';

const words: Readonly<Record<Held, string>> = { socket: 'sockets', stream: 'live streams', request: 'long requests' };

const places = (given: number, description: string) =>
  integer({ min: 1, max: 100_000 })
    .default(given)
    .meta({ description, example: String(given) });

/** What an operator can set about it. */
export const heldVariables = {
  SOCKETS_PER_KEY: places(200, 'WebSockets of one key on one gateway; for a widget without token, of one visitor’s address.'),
  SOCKETS_PER_ORGANIZATION: places(1_000, 'WebSockets of one organization on one gateway.'),
  SOCKETS_PER_ADDRESS: places(1_000, 'WebSockets from one address (or IPv6 /64) on one gateway.'),
  LIVE_STREAMS_PER_KEY: places(10, 'Streams of live counts that one key reads at a time on one gateway; one more gets 429.'),
  LIVE_STREAMS_PER_ORGANIZATION: places(200, 'The same for one organization.'),
  LIVE_STREAMS_PER_ADDRESS: places(100, 'The same from one address (or IPv6 /64).'),
  LONG_REQUESTS_PER_KEY: places(
    200,
    'Long requests of one key at a time on one gateway (a turn, sound, a file or an export, streamed or not); one more gets 429.',
  ),
  LONG_REQUESTS_PER_ORGANIZATION: places(500, 'The same for one organization.'),
  LONG_REQUESTS_PER_ADDRESS: places(500, 'The same from one address (or IPv6 /64).'),
};

/** Those of one gateway. */
export type HeldSettings = Readonly<Record<keyof typeof heldVariables, number>>;

interface Limits {
  readonly key: number;
  readonly organization: number;
  readonly address: number;
}

/** Places are freed when their holders leave, at an unknown time: clients may retry this soon. */
const retryAfterSeconds = 5;

/**
 * How much of what lasts is open at a time on this gateway, by key, organization and address. Rates say how often one may begin;
 * what never ends would add up beside them.
 */
export class HeldPlaces {
  private readonly taken = new Map<string, number>();
  private readonly limits: Readonly<Record<Held, Limits>>;

  constructor(settings: HeldSettings) {
    const limitsOf = (name: 'SOCKETS' | 'LIVE_STREAMS' | 'LONG_REQUESTS'): Limits => ({
      key: settings[`${name}_PER_KEY`],
      organization: settings[`${name}_PER_ORGANIZATION`],
      address: settings[`${name}_PER_ADDRESS`],
    });
    this.limits = { socket: limitsOf('SOCKETS'), stream: limitsOf('LIVE_STREAMS'), request: limitsOf('LONG_REQUESTS') };
  }

  /** Takes a place of each until the returned function is called, once or more often; a Fault if one has none left. */
  take(held: Held, { keyId, orgId }: Principal, address: string): () => void {
    const { key, organization, address: ofAddress } = this.limits[held];
    const asked = [
      { name: `${held} key ${keyId}`, limit: key, of: 'A key' },
      { name: `${held} organization ${orgId}`, limit: organization, of: 'A workspace' },
      { name: `${held} address ${normalizeIp(address)}`, limit: ofAddress, of: 'An address' },
    ];
    for (const { name, limit, of } of asked) {
      if ((this.taken.get(name) ?? 0) < limit) continue;
      throw new Fault('RATE_LIMITED', {
        message: `${of} may hold ${limit} ${words[held]} open here at a time.`,
        retryAfterSeconds,
      });
    }
    for (const { name } of asked) this.count(name, 1);
    return () => {
      for (const { name } of asked.splice(0)) this.count(name, -1);
    };
  }

  private count(name: string, step: 1 | -1): void {
    const count = (this.taken.get(name) ?? 0) + step;
    if (count === 0) this.taken.delete(name);
    else this.taken.set(name, count);
  }
}
