import { randomUUID } from 'node:crypto';
import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { TenantScope } from '@parley/database';
import { type RegularTask, RegularTasks } from '@parley/service-kit';
import { z } from 'zod';

const leaseSeconds = 30;
const keptHours = 24;
const prunedAtOnceMax = 5_000;

const Row = z.object({
  owner: z.string(),
  chargeId: z.string(),
  bodyHash: z.instanceof(Buffer).nullable(),
  status: z.int().nullable(),
  headers: z.record(z.string(), z.string()).nullable(),
  body: z.instanceof(Buffer).nullable(),
  fileKey: z.string().nullable(),
  isWithheld: z.boolean(),
});

/** Which requests with an Idempotency-Key are in progress, and the answers of finished ones, for 24 hours. */
@Injectable()
export class Claims {
  constructor(private readonly tenants: TenantScope) {}

  /** Claims a request key, or says why it cannot. Of concurrent requests only one gets it; an expired lease can be taken over. */
  async take(key: RequestKey, bodyHash: Buffer | null): Promise<Claimed> {
    const owner = randomUUID();
    const rows = await this.tenants.run(key.orgId, async (manager) => {
      const name = [key.orgId, key.caller, key.route, key.key];
      const [, , found] = await Promise.all([
        manager.query(forgetOld, [...name, keptHours]),
        manager.query(takeOrTakeOver, [...name, owner, leaseSeconds, bodyHash]),
        manager.query<unknown[]>(look, name),
      ]);
      return found;
    });
    const row = Row.parse(rows[0]);
    if (row.bodyHash && bodyHash && !row.bodyHash.equals(bodyHash)) return { state: 'otherBody' };
    if (row.owner === owner) return { state: 'mine', claim: { ...key, owner, chargeId: row.chargeId } };
    const { status, headers, isWithheld, bodyHash: answeredHash, fileKey } = row;
    const body = fileKey === null ? row.body : { fileKey };
    if (status === null || !headers || !body) return { state: 'inFlight' };
    return { state: 'answered', answer: { status, headers, body, isWithheld }, bodyHash: answeredHash };
  }

  /** Stores the answer of a claim, unless another process has taken it over. */
  async answer(claim: Claim, { status, headers, body, isWithheld }: StoredAnswer, bodyHash: Buffer | null): Promise<void> {
    const stored = Buffer.isBuffer(body) ? [body, null] : [null, body.fileKey];
    await this.change(claim, keep, [status, JSON.stringify(headers), stored[0], bodyHash, isWithheld, stored[1]]);
  }

  /** Deletes the claim, as if the request had never been made: it may be repeated, with any body. */
  async forget(claim: Claim): Promise<void> {
    await this.change(claim, forget, []);
  }

  /** Frees the key so that the same request can be answered again, under the same charge. */
  async letGo(claim: Claim, bodyHash: Buffer | null): Promise<void> {
    await this.change(claim, letGo, [bodyHash]);
  }

  /** Renews the leases of requests in progress. */
  async renew(claims: readonly Claim[]): Promise<void> {
    const owners = claims.map(({ owner }) => owner);
    const callers = claims.map(({ caller }) => caller);
    const keys = [claims.map(({ orgId }) => orgId), callers, claims.map(({ route }) => route), claims.map(({ key }) => key)];
    await this.tenants.acrossTenants('one statement renews the leases of every open request', (manager) =>
      manager.query(renew, [...keys, owners, leaseSeconds]),
    );
  }

  /** Removes claims older than a day, a bounded number at a time. */
  async prune(): Promise<void> {
    await this.tenants.acrossTenants('answers of every organization grow old', (manager) =>
      manager.query(prune, [keptHours, prunedAtOnceMax]),
    );
  }

  /** Those of these files that hold an answer that may still be replayed. */
  async keptFiles(keys: readonly string[]): Promise<ReadonlySet<string>> {
    const rows = await this.tenants.acrossTenants('files of answers of every organization grow old', (manager) =>
      manager.query<{ key: string }[]>(`SELECT body_file AS key FROM idempotent_requests WHERE body_file = ANY($1)`, [keys]),
    );
    return new Set(rows.map(({ key }) => key));
  }

  private async change(claim: Claim, statement: string, values: unknown[]): Promise<void> {
    const { orgId, caller, route, key, owner } = claim;
    await this.tenants.run(orgId, (manager) => manager.query(statement, [orgId, caller, route, key, owner, ...values]));
  }
}

const named = 'org_id = $1 AND caller = $2 AND route = $3 AND key = $4';

const forgetOld = `
  DELETE FROM idempotent_requests
  WHERE ${named} AND created_at < now() - $5 * interval '1 hour' AND lease_until < now()`;

const forget = `DELETE FROM idempotent_requests WHERE ${named} AND owner = $5`;

const takeOrTakeOver = `
  INSERT INTO idempotent_requests AS r (org_id, caller, route, key, owner, charge_id, lease_until, body_hash)
  VALUES ($1, $2, $3, $4, $5, gen_random_uuid(), clock_timestamp() + $6 * interval '1 second', $7)
  ON CONFLICT (org_id, caller, route, key) DO UPDATE SET owner = EXCLUDED.owner, lease_until = EXCLUDED.lease_until
  WHERE r.status IS NULL AND r.lease_until < clock_timestamp()
    AND (r.body_hash IS NULL OR EXCLUDED.body_hash IS NULL OR r.body_hash = EXCLUDED.body_hash)`;

const look = `
  SELECT owner, charge_id AS "chargeId", body_hash AS "bodyHash", status, headers, body,
    body_file AS "fileKey", is_withheld AS "isWithheld"
  FROM idempotent_requests WHERE ${named}`;

const keep = `
  UPDATE idempotent_requests SET status = $6, headers = $7, body = $8, body_hash = coalesce(body_hash, $9), is_withheld = $10,
    body_file = $11
  WHERE ${named} AND owner = $5`;

const letGo = `
  UPDATE idempotent_requests SET lease_until = '-infinity', body_hash = coalesce(body_hash, $6)
  WHERE ${named} AND owner = $5`;

const renew = `
  UPDATE idempotent_requests r SET lease_until = clock_timestamp() + $6 * interval '1 second'
  FROM unnest($1::int[], $2::text[], $3::text[], $4::text[], $5::uuid[]) AS held (org_id, caller, route, key, owner)
  WHERE r.org_id = held.org_id AND r.caller = held.caller AND r.route = held.route AND r.key = held.key
    AND r.owner = held.owner AND r.status IS NULL`;

const prune = `
  DELETE FROM idempotent_requests WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM idempotent_requests WHERE created_at < now() - $1 * interval '1 hour' AND lease_until < now() LIMIT $2))`;

const renewEveryMs = (leaseSeconds * 1_000) / 3;
const pruneEveryMs = 60_000;
const trouble = 'Idempotency keys could not be kept up';

/** Renews the leases of requests that this gateway is answering, and prunes those a day old. */
@Injectable()
export class ClaimLeases implements OnApplicationBootstrap {
  private readonly open = new Set<Claim>();
  private readonly renewing: RegularTask;

  constructor(
    private readonly claims: Claims,
    private readonly tasks: RegularTasks,
  ) {
    const renewal = { everyMs: renewEveryMs, run: () => this.renew(), lasts: true };
    this.renewing = tasks.of({ name: 'idempotency leases', ...renewal, trouble });
  }

  onApplicationBootstrap(): void {
    const pruning = { everyMs: pruneEveryMs, run: () => this.claims.prune() };
    this.tasks.of({ name: 'old idempotency keys', ...pruning, trouble }).start(pruneEveryMs);
  }

  hold(claim: Claim): void {
    if (this.open.size === 0) this.renewing.start(renewEveryMs);
    this.open.add(claim);
  }

  drop(claim: Claim): void {
    this.open.delete(claim);
  }

  private async renew(): Promise<number> {
    if (this.open.size === 0) return Number.POSITIVE_INFINITY;
    await this.claims.renew([...this.open]);
    return renewEveryMs;
  }
}

/** What a repetition is recognized by: the caller, its Idempotency-Key, and the route. */
export interface RequestKey {
  readonly orgId: number;
  /** The API key of the request: no caller is given an answer meant for another. */
  readonly caller: string;
  readonly route: string;
  readonly key: string;
}

/** The right to answer a request key while the request is in progress. If the gateway dies, it expires. */
export interface Claim extends RequestKey {
  readonly owner: string;
  /** The charge for this key: one id over all attempts, so that a retry after a crash is not charged again. */
  readonly chargeId: string;
}

/** The first answer as it was sent. */
export interface StoredAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** A large body is a file. */
  readonly body: Buffer | { readonly fileKey: string };
  /** The body contained a secret: it was sent once and not stored. */
  readonly isWithheld: boolean;
}

/** The result of claiming a request key. */
export type Claimed =
  | { readonly state: 'mine'; readonly claim: Claim }
  | { readonly state: 'inFlight' }
  | { readonly state: 'otherBody' }
  | { readonly state: 'answered'; readonly answer: StoredAnswer; readonly bodyHash: Buffer | null };
