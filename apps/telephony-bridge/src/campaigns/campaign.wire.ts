import { callsPerNumberUsual, type Campaign as PublicCampaign, type listCampaignContacts } from '@parley/contracts';
import type { z } from 'zod';
import type { Campaign, CampaignContact } from './campaign.entity';
import {
  type CallingRules,
  type CampaignPlan as PlannedCampaign,
  type ContactState,
  contactStates,
  type RetryPolicy,
} from './plan/campaign';
import { zoneOfRegion } from './plan/regions';

export type CampaignRecord = z.input<typeof PublicCampaign>;
export type ContactCounts = Readonly<Partial<Record<ContactState, number>>>;

/** How many contacts a campaign has in all. */
export function contactCountOf(counts: ContactCounts): number {
  return contactStates.reduce((sum, state) => sum + (counts[state] ?? 0), 0);
}

/** A campaign in the form for clients. */
export function recordOf(campaign: Campaign, counts: ContactCounts): CampaignRecord {
  // Waiting contacts of a cancelled campaign count as cancelled, even before each row is updated.
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

/** A contact of a campaign in the form for clients, without the time of its next call. */
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

export const weekdays = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'] as const;
/** A third of the latest thirty attempts; fewer may just be some invalid numbers in a row. */
const breaker = { failures: 10, among: 30 };
const minuteMs = 60_000;

interface OfOrganization {
  /** The slots that campaigns may use. */
  readonly lines: number;
  readonly legalHours?: CallingRules['legalHours'] | undefined;
  readonly callsPerNumber?: number | undefined;
}

/** A campaign in the form for the engine. */
export function planOf(
  record: Campaign,
  { lines, legalHours, callsPerNumber = callsPerNumberUsual }: OfOrganization,
): PlannedCampaign {
  const { callerNumber, moreCallerNumbers, refusedCallers, maxConcurrentCalls, creditBudget, startsAt, endsAt } = record;
  return {
    id: record.id,
    orgId: record.orgId,
    status: record.status,
    calling: rulesOf(record, legalHours),
    retry: retryOf(record),
    pacing: {
      callsPerMinute: record.callsPerMinute,
      linesMax: maxConcurrentCalls,
      conversationsMax: record.maxConversations ?? maxConcurrentCalls,
      abandonedShareMax: record.abandonedShareMax,
    },
    breaker,
    ...(creditBudget !== null && { credits: { budget: creditBudget } }),
    organizationLinesMax: lines,
    callsPerNumberMax: Math.min(callsPerNumber, record.callsPerNumber ?? callsPerNumber),
    callers: [callerNumber, ...moreCallerNumbers].filter((number) => !refusedCallers.includes(number)),
    ...(startsAt && { startsAt: startsAt.getTime() }),
    ...(endsAt && { endsAt: endsAt.getTime() }),
    regions: record.regions,
  };
}

/** The calling rules of a campaign, including its organization's hours. */
export function rulesOf(
  { callingHours: { days, from, to }, holidays }: Pick<Campaign, 'callingHours' | 'holidays'>,
  legalHours: CallingRules['legalHours'] = {},
): CallingRules {
  return {
    weekdays: days.map((day) => weekdays.indexOf(day)),
    fromMinute: minuteOfClock(from),
    toMinute: minuteOfClock(to),
    holidays,
    legalHours,
  };
}

export function minuteOfClock(time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  return hours * 60 + minutes;
}

function retryOf({ retry: { maxAttempts, minutesBetween, retryOn } }: Campaign): RetryPolicy {
  const rule = { times: maxAttempts, afterMs: minutesBetween * minuteMs, factor: 1 };
  return {
    attemptsMax: maxAttempts,
    on: {
      ...(retryOn.includes('MISSED') && { NO_ANSWER: rule, BUSY: rule, ABANDONED: rule }),
      ...(retryOn.includes('FAILED') && { FAILED: rule }),
      ...(retryOn.includes('VOICEMAIL') && { VOICEMAIL: rule }),
    },
  };
}

/** Counts by state, with 0 for missing ones. */
export function everyState(counts: Partial<{ [state in ContactState]: number }>): { [state in ContactState]: number } {
  const { WAITING = 0, ACTIVE = 0, COMPLETED = 0, MISSED = 0, FAILED = 0, DO_NOT_CALL = 0, CANCELLED = 0 } = counts;
  return { WAITING, ACTIVE, COMPLETED, MISSED, FAILED, DO_NOT_CALL, CANCELLED };
}
