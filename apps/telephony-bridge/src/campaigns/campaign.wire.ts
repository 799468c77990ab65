import type { Campaign as PublicCampaign, listCampaignContacts } from '@parley/contracts';
import type { z } from 'zod';
import type { Campaign, CampaignContact } from './campaign.entity';
import { type ContactState, contactStates } from './plan/campaign';
import { zoneOfRegion } from './plan/regions';

export type CampaignRecord = z.input<typeof PublicCampaign>;
export type Counts = Readonly<Partial<Record<ContactState, number>>>;

/** How many contacts a campaign has in all. */
export function contactCountOf(counts: Counts): number {
  return contactStates.reduce((sum, state) => sum + (counts[state] ?? 0), 0);
}

/** A campaign as clients read it. */
export function recordOf(campaign: Campaign, counts: Counts): CampaignRecord {
  // Whoever still waits in one that was cancelled is called no more, also before that is written to each.
  const waiting = counts.WAITING ?? 0;
  const isCancelled = campaign.status === 'CANCELLED';
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
    MaxConversations: campaign.maxConversations,
    AbandonedShareMax: campaign.abandonedShareMax,
    CallsPerNumberADay: campaign.callsPerNumber,
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
      waiting: isCancelled ? 0 : waiting,
      active: counts.ACTIVE ?? 0,
      completed: counts.COMPLETED ?? 0,
      missed: counts.MISSED ?? 0,
      failed: counts.FAILED ?? 0,
      doNotCall: counts.DO_NOT_CALL ?? 0,
      cancelled: (counts.CANCELLED ?? 0) + (isCancelled ? waiting : 0),
    },
    CreatedOn: campaign.createdOn.toISOString(),
    UpdatedOn: campaign.updatedOn.toISOString(),
  };
}

/** A contact of a campaign as clients read it, but for when it is called next. */
export function shownContact(
  contact: CampaignContact,
): Omit<z.input<typeof listCampaignContacts.reply>['rows'][number], 'nextCallAt'> {
  return {
    CampaignContactKeyID: contact.keyId,
    CampaignContactID: contact.id,
    ContactKeyID: contact.contactKey,
    ContactID: contact.contactId,
    CustomerName: contact.name,
    ContactNumber: contact.number,
    TimeZone: zoneOfRegion(contact.region),
    variables: contact.variables,
    state: contact.state,
    attempts: contact.tries.length + (contact.state === 'ACTIVE' ? 1 : 0),
    disposition: contact.disposition,
    result: contact.result,
    resultReason: contact.resultReason,
    cause: contact.cause,
    CallKeyID: contact.callKey,
    CallID: contact.callId,
    CreatedOn: contact.createdOn.toISOString(),
    UpdatedOn: contact.updatedOn.toISOString(),
  };
}
