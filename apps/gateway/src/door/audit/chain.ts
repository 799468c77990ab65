import { createHash, createHmac, randomBytes } from 'node:crypto';
import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { verifyAudit } from '@parley/contracts';
import { TenantScope } from '@parley/database';
import { Logger, NotOpened, SealedSecrets } from '@parley/service-kit';
import { Column, Entity, type EntityManager, PrimaryGeneratedColumn } from 'typeorm';
import { z } from 'zod';

/** The content of a line, without its link to the previous line. */
export type AuditStatement = Omit<AuditEntryRow, 'id' | 'hash' | 'previousHash'>;

/** The hash that an organization's first line follows. */
export const beginning = '0'.repeat(64);

/**
 * Seals the lines of the audit log: a hash of the whole line and, through the previous line, of all earlier ones, keyed with a
 * secret that the database does not hold. Write access to the database is not enough to rewrite a line.
 */
export class ChainSeal {
  constructor(private readonly key: Buffer) {}

  /** The seal of a line. */
  line(previousHash: string, statement: AuditStatement): string {
    return this.sealOf(saying(previousHash, statement));
  }

  /** The seal of a chain's end, so that lines cut off at the end are noticed. */
  end(orgId: number, { hash, entries }: ChainEnd): string {
    return this.sealOf(`end\n${orgId}\n${entries}\n${hash}`);
  }

  /** The seal of a note, kept elsewhere, of where a chain ended. */
  noted(orgId: number, { hash, entries, id, notedOn }: ChainEnd & { id: number; notedOn: string }): string {
    return this.sealOf(`noted\n${orgId}\n${entries}\n${hash}\n${id}\n${notedOn}`);
  }

  /** The seal of the last line written before sealing was introduced. */
  unsealed(orgId: number, { hash, entries }: ChainEnd): string {
    return this.sealOf(`unsealed\n${orgId}\n${entries}\n${hash}`);
  }

  private sealOf(text: string): string {
    return createHmac('sha256', this.key).update(text).digest('hex');
  }
}

/** Where a chain ends. */
export interface ChainEnd {
  readonly hash: string;
  readonly entries: number;
}

/** The hash of a line from before sealing. It needs no secret, so it proves nothing by itself. */
export function unsealedHashOf(previousHash: string, statement: AuditStatement): string {
  return createHash('sha256').update(saying(previousHash, statement)).digest('hex');
}

function saying(previousHash: string, statement: AuditStatement): string {
  return `${previousHash}\n${canonical(saidIn(statement))}`;
}

function saidIn(statement: AuditStatement) {
  const {
    orgId,
    keyId,
    action,
    memberId,
    integrationKeyId,
    integrationId,
    subject,
    before,
    after,
    requestId,
    outcome,
    createdOn,
  } = statement;
  return {
    orgId,
    keyId,
    action,
    memberId,
    integrationKeyId,
    integrationId,
    subject,
    before,
    after,
    requestId,
    outcome,
    createdOn: createdOn.toISOString(),
  };
}

/** JSON with sorted fields, because Postgres may store them in another order. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  fields.sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${canonical(field)}`).join(',')}}`;
}

const place = 'audit/chain-key';
const keyBytes = 32;
const headsAtOnce = 500;

const Heads = z.array(z.object({ orgId: z.int(), hash: z.string(), entries: z.int() }));

interface OpenedKey {
  readonly seal: ChainSeal;
  /** It was sealed with a former PARLEY_SECRET_KEY. */
  readonly wasStale: boolean;
}

/**
 * Holds the key of the audit chains. The database stores it sealed with PARLEY_SECRET_KEY, so that a new PARLEY_SECRET_KEY
 * requires re-sealing only this text and no lines.
 */
@Injectable()
export class ChainKey implements OnApplicationBootstrap {
  private opened: Promise<OpenedKey> | undefined;

  constructor(
    private readonly tenants: TenantScope,
    private readonly seals: SealedSecrets,
    private readonly log: Logger,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    const count = await this.sealWhatWasBefore(await this.seal());
    // Expected once in the life of an installation. If it is logged again, seals were removed.
    if (count > 0) this.log.warn('Audit chains without a seal were sealed as they are', { count });
  }

  /** The seal for new lines. */
  async seal(): Promise<ChainSeal> {
    return (await this.key()).seal;
  }

  /** Re-seals the key with the current PARLEY_SECRET_KEY, unless it already is. */
  async sealAgain(): Promise<{ sealed: number; unopened: number }> {
    this.opened = undefined;
    return this.key().then(
      ({ wasStale }) => ({ sealed: wasStale ? 1 : 0, unopened: 0 }),
      (error: unknown) => {
        if (!(error instanceof NotOpened)) throw error;
        return { sealed: 0, unopened: 1 };
      },
    );
  }

  private key(): Promise<OpenedKey> {
    this.opened ??= this.open().catch((error: unknown) => {
      this.opened = undefined;
      throw error;
    });
    return this.opened;
  }

  private open(): Promise<OpenedKey> {
    return this.tenants.acrossTenants('one key seals the chains of all organizations', async (manager) => {
      const fresh = this.seals.seal(randomBytes(keyBytes).toString('base64'), place);
      await manager.query('INSERT INTO audit_chain_key (is_only, sealed) VALUES (true, $1) ON CONFLICT DO NOTHING', [fresh]);
      const [row]: { sealed: string }[] = await manager.query('SELECT sealed FROM audit_chain_key FOR UPDATE');
      const key = this.seals.open(row?.sealed ?? '', place);
      const wasStale = row !== undefined && !this.seals.isCurrent(row.sealed);
      if (wasStale) await manager.query('UPDATE audit_chain_key SET sealed = $1', [this.seals.seal(key, place)]);
      return { seal: new ChainSeal(Buffer.from(key, 'base64')), wasStale };
    });
  }

  /** Chains from before sealing are trusted as far as they went when first found. */
  private async sealWhatWasBefore(seal: ChainSeal): Promise<number> {
    let count = 0;
    for (let found = headsAtOnce; found === headsAtOnce; count += found) {
      found = await this.tenants.acrossTenants('chains of all organizations had no seal', (manager) => sealHeads(manager, seal));
    }
    return count;
  }
}

async function sealHeads(manager: EntityManager, seal: ChainSeal): Promise<number> {
  const unsealed = 'SELECT org_id AS "orgId", hash, entries FROM audit_heads WHERE seal IS NULL LIMIT $1 FOR UPDATE';
  const heads = Heads.parse(await manager.query(unsealed, [headsAtOnce]));
  for (const { orgId, ...end } of heads) {
    const values = [orgId, seal.end(orgId, end), seal.unsealed(orgId, end)];
    await manager.query(
      `UPDATE audit_heads SET seal = $2, unsealed_entries = entries, unsealed_hash = hash, unsealed_seal = $3 WHERE org_id = $1`,
      values,
    );
  }
  return heads.length;
}

type AuditVerification = z.output<(typeof verifyAudit)['reply']>;

/** The recorded end of a chain, and how much of it has no seals. */
export interface ChainHead extends ChainEnd {
  readonly seal: string | null;
  readonly unsealedEntries: number;
  readonly unsealedHash: string | null;
  readonly unsealedSeal: string | null;
}

/** Follows one chain line by line and reports the first break. */
export class ChainWalk {
  private hash = beginning;
  private count = 0;
  lastId = 0;

  constructor(
    private readonly orgId: number,
    private readonly seal: ChainSeal,
    private readonly head: ChainHead | undefined,
    /** Where it ended when last noted in the file store. */
    private readonly noted?: ChainEnd & { readonly notedOn: string },
  ) {}

  /** Verifies further lines; returns where the chain breaks, if it does. */
  take(rows: readonly AuditEntryRow[]): AuditVerification | undefined {
    for (const row of rows) {
      const reason = this.breakAt(row);
      if (reason) return this.broken(reason, row);
      this.count += 1;
      this.hash = row.hash;
      this.lastId = row.id;
    }
    return undefined;
  }

  /** The verdict once all lines were read, compared with the recorded end. */
  end(head: ChainHead | undefined): AuditVerification {
    const { hash, count: entries, noted } = this;
    if (noted && entries < noted.entries) {
      const missing = noted.entries - entries;
      return this.broken(`${missing} lines are missing at the end, which were there on ${noted.notedOn}`, undefined);
    }
    const isEmpty = entries === 0 && !head;
    if (isEmpty || (head?.hash === hash && head.seal === this.seal.end(this.orgId, { hash, entries }))) {
      return { isIntact: true, checkedCount: entries, firstBroken: null };
    }
    const missing = (head?.entries ?? 0) - entries;
    return this.broken(missing > 0 ? `${missing} lines are missing at the end` : 'the end of the chain was changed', undefined);
  }

  private breakAt(row: AuditEntryRow): string | undefined {
    if (row.previousHash !== this.hash) return 'does not follow the line before: a line is missing, added or moved';
    const isNoted = this.noted?.entries === this.count + 1;
    if (isNoted && this.noted?.hash !== row.hash) return `is not the line that was there on ${this.noted?.notedOn}`;
    const isSealed = this.seal.line(this.hash, row) === row.hash;
    return isSealed || this.isFromBefore(row) ? undefined : 'was changed after it was written';
  }

  /** Lines without a seal are trusted up to where the chain ended when it was first sealed. */
  private isFromBefore(row: AuditEntryRow): boolean {
    const { unsealedEntries = 0, unsealedHash = null, unsealedSeal } = this.head ?? {};
    if (this.count >= unsealedEntries || unsealedHash === null) return false;
    const isVouchedFor = unsealedSeal === this.seal.unsealed(this.orgId, { hash: unsealedHash, entries: unsealedEntries });
    const isLast = this.count === unsealedEntries - 1;
    return isVouchedFor && unsealedHashOf(this.hash, row) === row.hash && (!isLast || row.hash === unsealedHash);
  }

  /** The verdict that the chain breaks at this line; undefined stands for a chain without any lines. */
  broken(reason: string, row: AuditEntryRow | undefined): AuditVerification {
    const firstBroken = { AuditEntryKeyID: row?.keyId ?? null, AuditEntryID: row?.id ?? null, reason };
    return { isIntact: false, checkedCount: this.count, firstBroken };
  }
}

/** One line of the audit log. Postgres refuses to change lines. */
@Entity({ name: 'audit_entries' })
export class AuditEntryRow {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id: number;

  @Column('int')
  orgId: number;

  @Column('uuid')
  keyId: string;

  @Column('text')
  action: string;

  @Column('uuid', { nullable: true })
  memberId: string | null;

  @Column('uuid', { nullable: true })
  integrationKeyId: string | null;

  @Column('int', { nullable: true })
  integrationId: number | null;

  @Column('text')
  subject: string;

  @Column('jsonb', { nullable: true })
  before: object | null;

  @Column('jsonb', { nullable: true })
  after: object | null;

  @Column('text')
  requestId: string;

  /** `OK`, the code of the fault, or `UNKNOWN` if the gateway died before the answer. */
  @Column('text')
  outcome: string;

  @Column('text')
  previousHash: string;

  @Column('text')
  hash: string;

  @Column('timestamptz')
  createdOn: Date;
}
