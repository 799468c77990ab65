import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Principal } from '@parley/contracts';
import type { FastifyRequest } from 'fastify';
import { Principals } from './principals';
import { FailedKeys } from '../limits/failed-keys';
import { KeyCache } from './key-cache';
import { KeyReader } from './key-reader';
import { canBeKey } from './key-text';
import type { KnownKey } from './known-key';
import { LastUse } from './last-use';

/** Revocation arrives as an event; these times only bound the damage of one that was lost. */
export const knownKeys = { entriesMax: 20_000, ttlMs: 30_000 };
const unknownKeys = { entriesMax: 20_000, ttlMs: 5_000 };

/** Who holds a key, out of Postgres and remembered for a short while. Cached answers come without a promise. */
@Injectable()
export class StoredKeys extends Principals {
  private readonly known = new KeyCache<KnownKey>(knownKeys);
  private readonly unknown = new KeyCache<true>(unknownKeys);
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
    // The cache holds hashes, so that no dump of this process's memory is a list of keys.
    const id = hash('sha256', apiKey, 'base64');
    const known = this.known.get(id);
    if (known) return this.admit(known, request);
    if (this.unknown.get(id)) return this.refuse(request);
    return this.failed.lookUp(request.ip, () => this.readOnce(id, apiKey)).then((found) => found && this.admit(found, request));
  }

  /** Forgets every key that fits: its next use is looked up anew. */
  forget(fits: (key: KnownKey) => boolean): void {
    this.forgotten += 1;
    this.known.forget(fits);
  }

  /** A key that was looked for a moment ago counts as another failed look-up, without one. */
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

  /** Many requests with one cold key are one look. */
  private readOnce(id: string, apiKey: string): Promise<KnownKey | undefined> {
    const underWay = this.reading.get(id);
    if (underWay) return underWay;
    const reading = this.read(id, apiKey).finally(() => this.reading.delete(id));
    this.reading.set(id, reading);
    return reading;
  }

  private async read(id: string, apiKey: string): Promise<KnownKey | undefined> {
    const { forgotten } = this;
    const found = await this.reader.read(apiKey);
    if (!found) this.unknown.set(id, true);
    // What was read while a change came in may be from before it.
    else if (forgotten === this.forgotten) this.known.set(id, found);
    return found;
  }
}
