import type { Campaign as PublicCampaign } from '@parley/contracts';
import type { z } from 'zod';
import type { Campaign } from './campaign.entity';
import { type ContactState, contactStates } from './plan/campaign';

export type CampaignRecord = z.input<typeof PublicCampaign>;
export type Counts = Readonly<Partial<Record<ContactState, number>>>;

/** How many contacts a campaign has in all. */
export function contactCountOf(counts: Counts): number {
  return contactStates.reduce((sum, state) => sum + (counts[state] ?? 0), 0);
}

/** A campaign as clients read it. */
export function recordOf(campaign: Campaign, counts: Counts): CampaignRecord {
  return {
    CampaignKeyID: campaign.keyId,
    CampaignID: campaign.id,
    CampaignName: campaign.name,
    AgentID: campaign.agentId,
    AgentKeyID: campaign.agentKey,
    CallerNumber: campaign.callerNumber,
    MoreCallerNumbers: campaign.moreCallerNumbers,
    CallingHours: campaign.callingHours,
    Holidays: campaign.holidays,
    Retry: campaign.retry,
    CallsPerMinute: campaign.callsPerMinute,
    MaxConcurrentCalls: campaign.maxConcurrentCalls,
    startDate: campaign.startDate,
    endDate: campaign.endDate,
    voicemail: campaign.voicemail,
    ringSeconds: campaign.ringSeconds,
    ResultSchema: campaign.resultSchema,
    CreditBudget: campaign.creditBudget,
    status: campaign.status,
    statusReason: campaign.statusReason,
    contactCount: contactCountOf(counts),
    progress: {
      waiting: counts.WAITING ?? 0,
      active: counts.ACTIVE ?? 0,
      completed: counts.COMPLETED ?? 0,
      missed: counts.MISSED ?? 0,
      failed: counts.FAILED ?? 0,
      doNotCall: counts.DO_NOT_CALL ?? 0,
      cancelled: counts.CANCELLED ?? 0,
    },
    CreatedOn: campaign.createdOn.toISOString(),
    UpdatedOn: campaign.updatedOn.toISOString(),
  };
}
