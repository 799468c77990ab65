import { Controller, Injectable } from '@nestjs/common';
import {
  callStateChanged,
  campaignStatusChanged,
  contactsAssigned,
  conversationEnded,
  salesCallLogged,
  salesTargetSet,
  usageRecorded,
} from '@parley/contracts';
import { TenantScope } from '@parley/database';
import { Consumes, type EventMeta } from '@parley/messaging';
import type { z } from 'zod';
import { assignmentFacts, callFacts, salesCallFacts, sessionFacts, usageFacts } from '../facts/facts';
import { Projection } from '../projection/projection';
import { assignmentFactOf, callFactOf, salesCallFactOf, sessionFactOf, usageFactOf } from './facts-of-events';

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

/** Events that are taken in together: one commit for all of them. */
const concurrency = 250;

/** What others tell, as facts. Events come at least once and in any order; their facts say which telling stands. */
@Controller()
export class EventsController {
  constructor(
    private readonly projection: Projection,
    private readonly latest: LatestRecords,
  ) {}

  @Consumes(callStateChanged, { concurrency })
  callChanged(call: z.output<typeof callStateChanged.payload>, event: EventMeta): Promise<void> {
    return this.projection.take(callFacts, callFactOf(call, event));
  }

  @Consumes(conversationEnded, { concurrency })
  conversationEnded(session: z.output<typeof conversationEnded.payload>, event: EventMeta): Promise<void> {
    return this.projection.take(sessionFacts, sessionFactOf(session, event));
  }

  @Consumes(usageRecorded, { concurrency })
  used(usage: z.output<typeof usageRecorded.payload>, event: EventMeta): Promise<void> {
    return this.projection.take(usageFacts, usageFactOf(usage, event));
  }

  @Consumes(salesCallLogged, { concurrency })
  salesCall(call: z.output<typeof salesCallLogged.payload>, event: EventMeta): Promise<void> {
    return this.projection.take(salesCallFacts, salesCallFactOf(call, event));
  }

  @Consumes(contactsAssigned, { concurrency })
  assigned(assignment: z.output<typeof contactsAssigned.payload>, event: EventMeta): Promise<void> {
    return this.projection.take(assignmentFacts, assignmentFactOf(assignment, event));
  }

  @Consumes(campaignStatusChanged)
  campaignChanged(campaign: z.output<typeof campaignStatusChanged.payload>, event: EventMeta): Promise<void> {
    return this.latest.noteCampaign(campaign, event);
  }

  @Consumes(salesTargetSet)
  targetSet(target: z.output<typeof salesTargetSet.payload>, event: EventMeta): Promise<void> {
    return this.latest.noteTarget(target, event);
  }
}
