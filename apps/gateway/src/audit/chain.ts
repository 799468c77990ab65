import { createHash } from 'node:crypto';
import type { AuditEntryRow } from './audit-entry.entity';

/** What a line says, without what ties it to the line before. */
export type Statement = Omit<AuditEntryRow, 'id' | 'hash' | 'previousHash'>;

/** What the first line of an organization follows. */
export const beginning = '0'.repeat(64);

/** The hash of a line: it covers everything that the line says, and through the line before everything ever said. */
export function hashOf(previousHash: string, statement: Statement): string {
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
  const said = {
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
  return createHash('sha256')
    .update(`${previousHash}\n${canonical(said)}`)
    .digest('hex');
}

/** JSON with the fields in order, so that Postgres may keep them in another. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  fields.sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${canonical(field)}`).join(',')}}`;
}
