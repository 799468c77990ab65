import { Injectable } from '@nestjs/common';
import { type listAudit, listMyOrganizations, type verifyAudit } from '@parley/contracts';
import { containing, type Page, pageOf, TenantScope } from '@parley/database';
import { ServiceBus } from '@parley/messaging';
import { Brackets, type EntityManager, MoreThan } from 'typeorm';
import type { z } from 'zod';
import { AuditEntryRow } from './audit-entry.entity';
import { beginning, hashOf } from './chain';

type Listing = z.output<(typeof listAudit)['request']>;
type Verification = z.output<(typeof verifyAudit)['reply']>;

const columns = { CreatedOn: 'entry.createdOn', action: 'entry.action' } as const;
const readAtOnce = 500;

/** Reads the audit log of one organization, and checks that nobody changed it. */
@Injectable()
export class AuditReader {
  constructor(
    private readonly tenants: TenantScope,
    private readonly bus: ServiceBus,
  ) {}

  async list(filter: Listing, orgId: number): Promise<Page<AuditEntryRow>> {
    const timezone = await this.timeZoneFor(filter);
    return this.tenants.read(orgId, (manager) => {
      const { searchName, action, memberAdminID, startDate, endDate, sortColumn } = filter;
      const entries = manager.createQueryBuilder(AuditEntryRow, 'entry').where({ orgId });
      if (action) entries.andWhere({ action });
      if (memberAdminID) entries.andWhere({ memberId: memberAdminID });
      if (startDate) entries.andWhere(`entry.createdOn >= ${instantOf(':startDate', startDate)}`, { startDate, timezone });
      if (endDate)
        entries.andWhere(
          isDay(endDate) ? `entry.createdOn < ${instantOf(':endDate', endDate, 1)}` : 'entry.createdOn <= :endDate',
          { endDate, timezone },
        );
      if (searchName) entries.andWhere(named(searchName));
      return pageOf(entries, filter, { by: columns[sortColumn] });
    });
  }

  /** Walks the chain from its beginning; stops at the first line that does not follow from the one before. */
  verify(orgId: number, signal?: AbortSignal): Promise<Verification> {
    return this.tenants.read(orgId, async (manager) => {
      let previous = { id: 0, hash: beginning };
      let checkedCount = 0;
      for (
        let rows = await linesAfter(manager, orgId, 0);
        rows.length > 0;
        rows = await linesAfter(manager, orgId, previous.id)
      ) {
        signal?.throwIfAborted();
        for (const row of rows) {
          const reason = breakOf(row, previous.hash);
          if (reason)
            return { isIntact: false, checkedCount, firstBroken: { AuditEntryKeyID: row.keyId, AuditEntryID: row.id, reason } };
          previous = row;
          checkedCount += 1;
        }
      }
      return ending(manager, orgId, previous.hash, checkedCount);
    });
  }

  /** A day has the hours of the organization's own time zone. */
  private async timeZoneFor({ startDate, endDate }: Listing): Promise<string> {
    if (![startDate, endDate].some((bound) => bound && isDay(bound))) return 'UTC';
    const organizations = await this.bus.ask(listMyOrganizations, {});
    return organizations.find(({ isCurrent }) => isCurrent)?.timezone ?? 'UTC';
  }
}

function breakOf(row: AuditEntryRow, previousHash: string): string | undefined {
  if (row.previousHash !== previousHash) return 'does not follow the line before: a line is missing, added or moved';
  if (hashOf(previousHash, row) !== row.hash) return 'was changed after it was written';
  return undefined;
}

/** Lines that were cut off at the end leave a chain that holds, and a count that does not. */
async function ending(manager: EntityManager, orgId: number, hash: string, checkedCount: number): Promise<Verification> {
  const [head]: { hash: string; entries: number }[] = await manager.query(
    'SELECT hash, entries FROM audit_heads WHERE org_id = $1',
    [orgId],
  );
  if (!head || head.hash === hash) return { isIntact: true, checkedCount, firstBroken: null };
  const reason = `${head.entries - checkedCount} lines are missing at the end`;
  return { isIntact: false, checkedCount, firstBroken: { AuditEntryKeyID: null, AuditEntryID: null, reason } };
}

function linesAfter(manager: EntityManager, orgId: number, id: number): Promise<AuditEntryRow[]> {
  return manager.find(AuditEntryRow, { where: { orgId, id: MoreThan(id) }, order: { id: 'ASC' }, take: readAtOnce });
}

function isDay(bound: string): boolean {
  return bound.length === 'YYYY-MM-DD'.length;
}

function instantOf(parameter: string, bound: string, daysLater = 0): string {
  return isDay(bound) ? `((${parameter}::date + ${daysLater})::timestamp AT TIME ZONE :timezone)` : `${parameter}::timestamptz`;
}

function named(text: string): Brackets {
  const pattern = containing(text);
  return new Brackets((any) =>
    any.where('entry.action ILIKE :pattern', { pattern }).orWhere('entry.subject ILIKE :pattern', { pattern }),
  );
}
