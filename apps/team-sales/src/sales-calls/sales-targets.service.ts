import { Injectable } from '@nestjs/common';
import { salesTargetSet, type setSalesTarget } from '@parley/contracts';
import { Outbox, TenantScope } from '@parley/database';
import { type Call, organizationOf } from '@parley/messaging';
import type { BodyOf, ReplyOf } from '../message-types';
import { findWorkingRepresentative } from '../representatives/representatives';
import { SalesTarget } from './sales-target.entity';

/** What representatives are to reach. */
@Injectable()
export class SalesTargetsService {
  constructor(
    private readonly tenants: TenantScope,
    private readonly outbox: Outbox,
  ) {}

  /** The same representative, metric and days again: the number is replaced, the target stays the same record. */
  set(body: BodyOf<typeof setSalesTarget>, call: Call): Promise<ReplyOf<typeof setSalesTarget>> {
    const orgId = organizationOf(call);
    const { SalesUserID, metric, target, startDate, endDate } = body;
    return this.tenants.run(orgId, async (manager) => {
      const { id: representativeId } = await findWorkingRepresentative(manager, { orgId, id: SalesUserID });
      await manager.query(
        `INSERT INTO sales_targets (org_id, representative_id, metric, target, start_date, end_date)
         VALUES ($1, $2, $3, $4, $5, $6)
         ON CONFLICT (representative_id, metric, start_date, end_date) DO UPDATE SET target = $4`,
        [orgId, representativeId, metric, target, startDate, endDate],
      );
      const stored = await manager.findOneByOrFail(SalesTarget, { orgId, representativeId, metric, startDate, endDate });
      const payload = { SalesTargetKeyID: stored.keyId, SalesTargetID: stored.id, ...body };
      await this.outbox.add(manager, salesTargetSet, { orgId, payload });
      return payload;
    });
  }
}
