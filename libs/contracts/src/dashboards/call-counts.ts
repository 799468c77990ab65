import { z } from 'zod';
import { removalIn } from '../gateway/operator-terms';
import { defineRequest, defineStream } from '../messages';
import { campaignStates } from '../telephony-bridge/campaigns';
import {
  createdOnExample,
  DateBound,
  described,
  Nothing,
  OptionalDateBound,
  RecordId,
  startAfterEnd,
  startsBeforeEnd,
  Timestamp,
  TimeZoneName,
  Uuid,
} from '../vocabulary';

const daysMax = 3660;
const dayMs = 86_400_000;
const dateLength = 'YYYY-MM-DD'.length;

/** The agents whose figures are requested. One that does not exist or that the caller may not see is NOT_FOUND. */
export const AgentIds = z
  .array(RecordId)
  .min(1)
  .max(1000)
  .optional()
  .meta({ description: 'The agents to count; all that the caller may see by default.' });

/** The fields of every query of figures: the days, and the time zone they are in. */
export const figureSpan = {
  startDate: DateBound,
  endDate: DateBound,
  timeZone: TimeZoneName.optional().meta({
    description: 'The time zone that days are in; the organization’s by default.',
  }),
};

interface Span {
  readonly startDate: string;
  readonly endDate: string;
}

/** Refines a query to at most ten years of days, so that its answer is limited. */
export const endsSoonEnough = ({ startDate, endDate }: Span) =>
  Date.parse(endDate.slice(0, dateLength)) - Date.parse(startDate.slice(0, dateLength)) < daysMax * dayMs;
export const endsTooLate = { path: ['endDate'], error: `must be at most ${daysMax} days after startDate` };

const counts = {
  totalCalls: 50,
  completed: 40,
  answered: 42,
  missed: 6,
  failed: 2,
  cancelled: 1,
  open: 1,
  averageDurationSeconds: 81.5,
};
const Count = z.int().min(0);

/** The counts in the specification, the calls that none of them includes, and the mean length of answered calls. */
export const CallCounts = described(
  'CallCounts',
  'Calls placed, and their outcomes.',
  z.object({
    totalCalls: Count.meta({ description: 'Calls that were queued or came in within the span, whatever their outcome.' }),
    completed: Count.meta({ description: 'Those that ended as COMPLETED.' }),
    answered: Count.meta({
      description:
        'Those that reached IN_PROGRESS, even if they failed afterwards; not those for which no conversation could then be started.',
    }),
    missed: Count.meta({ description: 'Those that ended as MISSED.' }),
    failed: Count.meta({ description: 'Those that ended as FAILED.' }),
    cancelled: Count.meta({ description: 'Those that ended as CANCELLED.' }),
    open: Count.meta({
      description: 'Those that have not ended. totalCalls is completed, missed, failed, cancelled and open together.',
    }),
    averageDurationSeconds: z
      .number()
      .min(0)
      .meta({ description: 'The mean duration of answered calls that have ended; 0 if there are none.' }),
  }),
  counts,
);

export const getDashboardCount = defineRequest({
  subject: 'dashboards.call-count.get',
  request: described(
    'DashboardCountQuery',
    'A span of time, and the agents to count (all by default).',
    z
      .object({ ...figureSpan, agentIds: AgentIds })
      .refine(startsBeforeEnd, startAfterEnd)
      .refine(endsSoonEnough, endsTooLate),
    { startDate: '2026-03-01', endDate: '2026-03-31', agentIds: [12] },
    { startDate: '2026-03-01', endDate: '2026-03-31' },
  ),
  reply: described(
    'DashboardCount',
    'Counts in total and for each day of the organization’s time zone. A call belongs to the day on which it was queued or came in.',
    z.object({ ...CallCounts.shape, series: z.array(z.object({ date: z.iso.date(), ...CallCounts.shape })).max(3660) }),
    { ...counts, series: [{ date: '2026-03-02', ...counts }] },
  ),
});

const TodayCounts = described(
  'TodayCounts',
  'Today’s calls so far. `change` stays the same as long as the figures do.',
  z.object({ date: z.iso.date(), at: Timestamp, change: z.string().regex(/^[\w.-]{1,64}$/), ...CallCounts.shape }),
  { date: '2026-03-02', at: createdOnExample, change: '2026-03-02_50_40_42_6_2_1_1_81.5', ...counts },
);

export const getTodayCounts = defineRequest({
  subject: 'dashboards.call-count.today',
  onlyReads: true,
  request: Nothing,
  reply: TodayCounts,
});

const watchTimeoutMs = 3_600_000;

/** Today's counts whenever they change, for wallboards. Each item is complete, so a client that reconnects misses nothing. */
export const watchTodayCounts = defineStream({
  subject: 'dashboards.call-count.watch',
  timeoutMs: watchTimeoutMs,
  request: described(
    'WatchTodayCountsRequest',
    'The `change` that the watcher last received; the first item is sent at once unless it is the same.',
    z.object({
      after: z
        .string()
        .regex(/^[\w.-]{1,64}$/)
        .optional(),
    }),
    { after: '2026-03-02_50_40_42_6_2_1_1_81.5' },
  ),
  item: TodayCounts,
});

const figures = {
  totalCalls: 50,
  completed: 40,
  answered: 42,
  missed: 6,
  failed: 2,
  cancelled: 1,
  open: 1,
  averageDurationSeconds: 81.5,
  contactCount: 200,
  contactsReached: 42,
  answerRate: 0.84,
};

const CampaignFigures = z.object({
  ...CallCounts.shape,
  contactCount: z.int().min(0).meta({ description: 'Contacts of the campaign when its status last changed.' }),
  contactsReached: z
    .int()
    .min(0)
    .meta({ description: 'Distinct contacts with a call in the span that a person, not a machine, answered.' }),
  answerRate: z.number().min(0).max(1).meta({ description: 'answered ÷ totalCalls; 0 without calls.' }),
});

export const getCampaignDashboard = defineRequest({
  subject: 'dashboards.campaign.get',
  request: described(
    'CampaignDashboardQuery',
    'Which campaigns (all by default) in which span.',
    z
      .object({
        campaignIds: z.array(RecordId).min(1).max(1000).optional(),
        startDate: OptionalDateBound,
        endDate: OptionalDateBound,
        timeZone: TimeZoneName.optional(),
      })
      .refine(startsBeforeEnd, startAfterEnd),
    { campaignIds: [3], startDate: '2026-03-01', endDate: null },
    {},
  ),
  reply: described(
    'CampaignDashboard',
    'Figures of each campaign and of all together, for the newest thousand. `total` is the sum of what is listed.',
    z.object({
      total: CampaignFigures,
      campaigns: z
        .array(
          CampaignFigures.extend({
            CampaignKeyID: Uuid,
            CampaignID: z.int(),
            CampaignName: z.string(),
            status: z.enum(campaignStates),
          }),
        )
        .max(1000),
    }),
    {
      total: figures,
      campaigns: [
        {
          ...figures,
          CampaignKeyID: '607284a5-3051-4273-8e9f-1a3b5c7d9e1f',
          CampaignID: 3,
          CampaignName: 'March renewals',
          status: 'RUNNING',
        },
      ],
    },
  ),
});

/** For the operator's command only: figures of an organization that is deleted. */
export const removalInDashboards = removalIn('dashboards');
