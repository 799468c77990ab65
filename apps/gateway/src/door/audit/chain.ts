import { createHash, createHmac } from 'node:crypto';
import type { AuditEntryRow } from './audit-entry.entity';

/** What a line says, without what ties it to the line before. */
export type Statement = Omit<AuditEntryRow, 'id' | 'hash' | 'previousHash'>;

/** What the first line of an organization follows. */
export const beginning = '0'.repeat(64);

/**
 * Seals the lines of the audit log: a hash of everything that a line says, and through the line before of everything ever
 * said, keyed with a secret that the database does not hold. Who can write to the database cannot write a line anew.
 */
export class ChainSeal {
  constructor(private readonly key: Buffer) {}

  /** The seal of a line. */
  line(previousHash: string, statement: Statement): string {
    return this.sealOf(saying(previousHash, statement));
  }

  /** The seal of where a chain ends, so that no line can be cut off unseen. */
  end(orgId: number, { hash, entries }: ChainEnd): string {
    return this.sealOf(`end\n${orgId}\n${entries}\n${hash}`);
  }

  /** The seal of where the lines end that were written before there were seals. */
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

/** The hash of a line from before there were seals. It needs no secret, so it proves nothing by itself. */
export function unsealedHashOf(previousHash: string, statement: Statement): string {
  return createHash('sha256').update(saying(previousHash, statement)).digest('hex');
}

function saying(previousHash: string, statement: Statement): string {
  return `${previousHash}\n${canonical(saidIn(statement))}`;
}

function saidIn(statement: Statement) {
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

/** JSON with the fields in order, so that Postgres may keep them in another. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  fields.sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${canonical(field)}`).join(',')}}`;
}
