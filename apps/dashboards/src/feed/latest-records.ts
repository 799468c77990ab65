import { Injectable } from '@nestjs/common';
import type { campaignStatusChanged, salesTargetSet } from '@parley/contracts';
import { TenantScope } from '@parley/database';
import type { EventMeta } from '@parley/messaging';
import type { z } from 'zod';

/** Records of other services of which only the latest telling matters: campaigns and targets. */
@Injectable()
export class LatestRecords {
  constructor(private readonly tenants: TenantScope) {}

  async noteCampaign(campaign: z.output<typeof campaignStatusChanged.payload>, event: EventMeta): Promise<void> {
    await this.note(event, {
      name: 'note-campaign',
      text: `INSERT INTO campaigns AS known (org_id, told_at, told_by, campaign_id, campaign_key, name, status, contact_count)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
        ON CONFLICT (org_id, campaign_id) DO UPDATE SET told_at = excluded.told_at, told_by = excluded.told_by,
          name = excluded.name, status = excluded.status, contact_count = excluded.contact_count
        WHERE (known.told_at, known.told_by) < (excluded.told_at, excluded.told_by)`,
      values: [campaign.CampaignID, campaign.CampaignKeyID, campaign.CampaignName, campaign.status, campaign.contactCount],
    });
  }

  async noteTarget(target: z.output<typeof salesTargetSet.payload>, event: EventMeta): Promise<void> {
    await this.note(event, {
      name: 'note-target',
      text: `INSERT INTO sales_targets AS known
          (org_id, told_at, told_by, target_key, target_id, representative_id, metric, target, start_date, end_date)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
        ON CONFLICT (org_id, target_key) DO UPDATE SET told_at = excluded.told_at, told_by = excluded.told_by, target = excluded.target
        WHERE (known.told_at, known.told_by) < (excluded.told_at, excluded.told_by)`,
      values: [
        target.SalesTargetKeyID,
        target.SalesTargetID,
        target.SalesUserID,
        target.metric,
        target.target,
        target.startDate,
        target.endDate,
      ],
    });
  }

  private async note({ orgId, occurredAt, id }: EventMeta, statement: { name: string; text: string; values: unknown[] }) {
    if (orgId === null) throw new TypeError('this event belongs to an organization');
    await this.tenants.once(orgId, { ...statement, values: [orgId, occurredAt, id, ...statement.values] });
  }
}
