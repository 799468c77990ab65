import { hash, randomBytes } from 'node:crypto';
import type { BlockList } from 'node:net';
import { crc32 } from 'node:zlib';
import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { Fault, type KeyKind, type Principal } from '@parley/contracts';
import { TenantScope } from '@parley/database';
import { frozenPrincipal } from '@parley/messaging';
import { type RegularTask, RegularTasks } from '@parley/service-kit';
import type { FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import { FailedKeys } from '../limits/failed-keys';
import { Principals } from '../../endpoint/gateway-call';
import { type IntegrationKeyRow, KeyReader } from './integration-key';
import { allowList, familyOf } from './key-owners';

const writeEveryMs = 5_000;
/** Uses closer together than this count as one. */
const worthNotingMs = 60_000;
const keysMax = 50_000;

/** Records when each key was last used, in batches. A crash loses a few seconds of it. */
@Injectable()
export class LastUse implements BeforeApplicationShutdown {
  private readonly notedAtMs = new LRUCache<number, number>({ max: keysMax });
  private unwritten = new Set<number>();
  private readonly writing: RegularTask;

  constructor(
    private readonly tenants: TenantScope,
    tasks: RegularTasks,
  ) {
    const trouble = 'The last use of keys was not written';
    this.writing = tasks.of({ name: 'last use of keys', everyMs: writeEveryMs, run: () => this.writeAndRest(), trouble });
  }

  note(rowId: number, nowMs: number): void {
    const before = this.notedAtMs.get(rowId);
    if (before !== undefined && nowMs - before < worthNotingMs) return;
    this.notedAtMs.set(rowId, nowMs);
    if (this.unwritten.size === 0) this.writing.start(writeEveryMs);
    this.unwritten.add(rowId);
  }

  /** Also writes what the last requests recorded. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.writing.now();
  }

  private async writeAndRest(): Promise<number> {
    await this.write();
    return Number.POSITIVE_INFINITY;
  }

  /** Writes what was recorded since the last write. */
  async write(): Promise<void> {
    const ids = [...this.unwritten];
    if (ids.length === 0) return;
    this.unwritten = new Set();
    const times = ids.map((id) => new Date(this.notedAtMs.get(id) ?? Date.now()));
    await this.tenants.acrossTenants('one batch carries the use of keys of many organizations', (manager) =>
      manager.query(
        `UPDATE integration_keys SET last_used_on = used.at
         FROM unnest($1::int[], $2::timestamptz[]) AS used(id, at)
         WHERE integration_keys.id = used.id AND (last_used_on IS NULL OR last_used_on < used.at)`,
        [ids, times],
      ),
    );
  }
}

/** Revocations arrive as events; these lifetimes limit the damage when one is lost. */
export const knownKeys = { max: 20_000, ttl: 30_000 };
const unknownKeys = { max: 20_000, ttl: 5_000 };

/** A valid key: its holder, expiry and allowed addresses. */
export class KnownKey {
  readonly rowId: number;
  readonly keyId: string;
  readonly memberId: string | null;
  readonly agentId: number | null;
  readonly principal: Principal;
  private readonly expiresAtMs: number;
  private readonly allowed: BlockList | undefined;

  constructor(row: IntegrationKeyRow, principal: Principal) {
    this.principal = frozenPrincipal(principal);
    this.rowId = row.id;
    this.keyId = row.keyId;
    this.memberId = row.memberId;
    this.agentId = row.agentId;
    this.expiresAtMs = row.expiresAt?.getTime() ?? Number.POSITIVE_INFINITY;
    this.allowed = row.allowedIps.length > 0 ? allowList(row.allowedIps) : undefined;
  }

  /** The key's holder, if it is valid at this moment. Throws a Fault if the address is not allowed. */
  holderAt(address: string, nowMs: number): Principal | undefined {
    if (nowMs >= this.expiresAtMs) return undefined;
    if (this.allowed && !this.allowed.check(address, familyOf(address)))
      throw new Fault('ADDRESS_NOT_ALLOWED', { message: `This API key may not be used from ${address}.` });
    return this.principal;
  }
}

/** Who holds a key, from Postgres and cached briefly. Cached answers come without a promise. */
@Injectable()
export class StoredKeys extends Principals {
  private readonly known = new LRUCache<string, KnownKey>(knownKeys);
  private readonly unknown = new LRUCache<string, true>(unknownKeys);
  private readonly reading = new Map<string, Promise<KnownKey | undefined>>();
  private forgotten = 0;

  constructor(
    private readonly reader: KeyReader,
    private readonly lastUse: LastUse,
    private readonly failed: FailedKeys,
  ) {
    super();
  }

  principalOf(apiKey: string, request: Pick<FastifyRequest, 'ip'>): Principal | undefined | Promise<Principal | undefined> {
    if (!canBeKey(apiKey)) return undefined;
    // The cache is keyed by hash, so that a memory dump of this process contains no list of keys.
    const id = hash('sha256', apiKey, 'base64');
    const known = this.known.get(id);
    if (known) return this.admit(known, request);
    if (this.unknown.get(id)) return this.refuse(request);
    return this.failed.lookUp(request.ip, () => this.readOnce(id, apiKey)).then((found) => found && this.admit(found, request));
  }

  /** Drops every matching key from the cache, so that its next use is looked up. */
  forget(fits: (key: KnownKey) => boolean): void {
    this.forgotten += 1;
    for (const [id, key] of this.known.entries()) if (fits(key)) this.known.delete(id);
  }

  /** A key known to be invalid counts as another failed look-up of its address, without making one. */
  private refuse(request: Pick<FastifyRequest, 'ip'>): undefined {
    this.failed.note(request.ip);
    return undefined;
  }

  private admit(known: KnownKey, request: Pick<FastifyRequest, 'ip'>): Principal | undefined {
    const nowMs = Date.now();
    const holder = known.holderAt(request.ip, nowMs);
    if (holder) this.lastUse.note(known.rowId, nowMs);
    return holder;
  }

  /** Concurrent requests with one uncached key share a single look-up. */
  private readOnce(id: string, apiKey: string): Promise<KnownKey | undefined> {
    const underWay = this.reading.get(id);
    if (underWay) return underWay;
    const reading = this.read(id, apiKey).finally(() => this.reading.delete(id));
    this.reading.set(id, reading);
    return reading;
  }

  private async read(id: string, apiKey: string): Promise<KnownKey | undefined> {
    const { forgotten } = this;
    const stored = await this.reader.read(apiKey);
    const found = stored && new KnownKey(stored.row, stored.principal);
    if (!found) this.unknown.set(id, true);
    // What was read while a change arrived may be older than the change, so it is not cached.
    else if (forgotten === this.forgotten) this.known.set(id, found);
    return found;
  }
}

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const secretLength = 32;
const checksumLength = 6;
/** The largest multiple of 62 that fits in a byte; higher values would favour the first letters. */
const fairBytes = alphabet.length * Math.floor(256 / alphabet.length);

/** The prefix of each kind of key. */
export const keyPrefixes: Record<KeyKind, string> = { agt: 'agt_', ext: 'ext_api_', wsk: 'wsk_' };

const shape = /^(agt_|ext_api_|wsk_)[0-9A-Za-z]{38}$/;

/** A new key: prefix, 32 random letters and digits, and a checksum of 6. */
export function newKeyText(kind: KeyKind): string {
  const unchecked = keyPrefixes[kind] + randomLetters(secretLength);
  return unchecked + checksum(unchecked);
}

/** Whether a text is a well-formed key. A mistyped one is not, and needs no look-up. */
export function canBeKey(text: string): boolean {
  return shape.test(text) && checksum(text.slice(0, -checksumLength)) === text.slice(-checksumLength);
}

function checksum(unchecked: string): string {
  let rest = crc32(unchecked);
  let letters = '';
  for (let place = 0; place < checksumLength; place += 1) {
    letters = alphabet.charAt(rest % alphabet.length) + letters;
    rest = Math.floor(rest / alphabet.length);
  }
  return letters;
}

function randomLetters(count: number): string {
  let letters = '';
  while (letters.length < count) {
    const fair = [...randomBytes(count)].filter((byte) => byte < fairBytes);
    letters += fair.map((byte) => alphabet.charAt(byte % alphabet.length)).join('');
  }
  return letters.slice(0, count);
}
