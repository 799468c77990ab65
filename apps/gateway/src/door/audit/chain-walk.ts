import type { verifyAudit } from '@parley/contracts';
import type { z } from 'zod';
import type { AuditEntryRow } from './audit-entry.entity';
import { beginning, type ChainEnd, type ChainSeal, unsealedHashOf } from './chain';

type Verification = z.output<(typeof verifyAudit)['reply']>;

/** Where a chain says that it ends, and how far it had no seals. */
export interface ChainHead extends ChainEnd {
  readonly seal: string | null;
  readonly unsealedEntries: number;
  readonly unsealedHash: string | null;
  readonly unsealedSeal: string | null;
}

/** Follows one chain line by line and says where it breaks first. */
export class ChainWalk {
  private hash = beginning;
  private count = 0;
  lastId = 0;

  constructor(
    private readonly orgId: number,
    private readonly seal: ChainSeal,
    private readonly head: ChainHead | undefined,
  ) {}

  /** Goes on over these lines; answers where the chain breaks, if it does. */
  take(rows: readonly AuditEntryRow[]): Verification | undefined {
    for (const row of rows) {
      const reason = this.breakAt(row);
      if (reason) return this.broken(reason, row);
      this.count += 1;
      this.hash = row.hash;
      this.lastId = row.id;
    }
    return undefined;
  }

  /** What there is to say once no line is left. */
  end(): Verification {
    const { head, hash, count: entries } = this;
    const isEmpty = entries === 0 && !head;
    if (isEmpty || (head?.hash === hash && head.seal === this.seal.end(this.orgId, { hash, entries }))) {
      return { isIntact: true, checkedCount: entries, firstBroken: null };
    }
    const missing = (head?.entries ?? 0) - entries;
    return this.broken(missing > 0 ? `${missing} lines are missing at the end` : 'the end of the chain was changed', undefined);
  }

  private breakAt(row: AuditEntryRow): string | undefined {
    if (row.previousHash !== this.hash) return 'does not follow the line before: a line is missing, added or moved';
    const isSealed = this.seal.line(this.hash, row) === row.hash;
    return isSealed || this.isFromBefore(row) ? undefined : 'was changed after it was written';
  }

  /** Lines without a seal hold as far as the chain went when it was first sealed. */
  private isFromBefore(row: AuditEntryRow): boolean {
    const { unsealedEntries = 0, unsealedHash = null, unsealedSeal } = this.head ?? {};
    if (this.count >= unsealedEntries || unsealedHash === null) return false;
    const isVouchedFor = unsealedSeal === this.seal.unsealed(this.orgId, { hash: unsealedHash, entries: unsealedEntries });
    const isLast = this.count === unsealedEntries - 1;
    return isVouchedFor && unsealedHashOf(this.hash, row) === row.hash && (!isLast || row.hash === unsealedHash);
  }

  private broken(reason: string, row: AuditEntryRow | undefined): Verification {
    const firstBroken = { AuditEntryKeyID: row?.keyId ?? null, AuditEntryID: row?.id ?? null, reason };
    return { isIntact: false, checkedCount: this.count, firstBroken };
  }
}
