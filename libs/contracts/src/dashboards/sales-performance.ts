import { z } from 'zod';
import { defineRequest } from '../messages';
import { described, listOf, Nothing, paging, RecordId, startAfterEnd, startsBeforeEnd, Timestamp, Uuid } from '../vocabulary';
import { endsSoonEnough, endsTooLate, figureSpan } from './call-counts';

const Count = z.int().min(0);
const SalesFigures = z.object({
  calls: Count.meta({ description: 'Calls that representatives reported, on the day on which they began.' }),
  connectedCalls: Count.meta({ description: 'Those in which somebody spoke: CONNECTED, CALLBACK or CONVERTED.' }),
  talkSeconds: Count.meta({ description: 'Seconds of the connected calls.' }),
  conversions: Count.meta({ description: 'Those with the outcome CONVERTED.' }),
  connectRate: z.number().min(0).max(1).meta({ description: 'connectedCalls ÷ calls; 0 without calls.' }),
});
const figures = { calls: 120, connectedCalls: 71, talkSeconds: 5400, conversions: 9, connectRate: 0.59 };
const representative = { SalesUserKeyID: '1e3c5a78-9b0d-4f2e-8c4a-6b8d0f1e3c5a', SalesUserID: 5, name: 'Asha Patil' };
const Representative = z.object({ SalesUserKeyID: Uuid, SalesUserID: z.int(), name: z.string() });

const span = { ...figureSpan, SalesUserIDs: z.array(RecordId).min(1).max(1000).optional() };
const march = { startDate: '2026-03-01', endDate: '2026-03-31' };

const hourlyDaysMax = 150;
const dayMs = 86_400_000;
const hasFewHours = (query: { interval: string; startDate: string; endDate: string }) =>
  query.interval !== 'hour' || Date.parse(query.endDate) - Date.parse(query.startDate) < hourlyDaysMax * dayMs;

const SalesQuery = described(
  'SalesPerformanceQuery',
  'A span of time, and the representatives to include (all by default).',
  z.object(span).refine(startsBeforeEnd, startAfterEnd).refine(endsSoonEnough, endsTooLate),
  { ...march, SalesUserIDs: [5] },
);

export const getSalesSummary = defineRequest({
  subject: 'dashboards.sales.summary',
  onlyReads: true,
  request: SalesQuery,
  reply: described(
    'SalesSummary',
    'Figures of the team.',
    SalesFigures.extend({
      representativeCount: Count.meta({ description: 'Representatives who are on the team now, or have calls in the span.' }),
      assignedContacts: Count.meta({
        description:
          'Contacts that representatives had at the end of the span. A contact of two representatives counts for each; representatives who left keep theirs until these are unmapped or deleted.',
      }),
    }),
    { ...figures, representativeCount: 1, assignedContacts: 120 },
  ),
});

/**
 * For team-sales, before it accepts a report of an old call: individual calls of earlier days were dropped, and their figures no
 * longer change.
 */
export const readReportSpan = defineRequest({
  subject: 'dashboards.sales.report-span',
  onlyReads: true,
  request: Nothing,
  reply: described('ReportSpan', 'The time from which reported calls are counted.', z.object({ countedFrom: Timestamp }), {
    countedFrom: '2025-03-01T00:00:00.000Z',
  }),
});

const LeaderboardRow = described(
  'SalesLeaderboardRow',
  'A representative’s rank. Equal figures share a rank.',
  z.object({
    rank: z.int().min(1).meta({ description: 'The rank by the figure that is sorted by; equal figures share one.' }),
    ...Representative.shape,
    ...SalesFigures.shape,
  }),
  { rank: 1, ...representative, ...figures },
);

export const getSalesLeaderboard = defineRequest({
  subject: 'dashboards.sales.leaderboard',
  onlyReads: true,
  request: described(
    'SalesLeaderboardQuery',
    'A span of time, and what to rank by.',
    z
      .object({ ...span, ...paging(['conversions', 'calls', 'connectedCalls', 'talkSeconds', 'connectRate']) })
      .refine(startsBeforeEnd, startAfterEnd)
      .refine(endsSoonEnough, endsTooLate),
    { ...march, sortColumn: 'conversions', sortOrder: 'DESC', pageNo: 1, pageSize: 20 },
  ),
  reply: listOf('SalesLeaderboard', LeaderboardRow),
});

const targetKey = '7e1c3d5f-2a4b-4c6d-8e8f-0a1b2c3d4e5f';
const Achievement = z.object({
  ...Representative.shape,
  SalesTargetKeyID: Uuid,
  SalesTargetID: z.int(),
  metric: z.enum(['CALLS', 'CONNECTED_CALLS', 'TALK_SECONDS', 'CONVERSIONS']),
  target: z.int().meta({ description: 'The value of the metric to reach within the days of the target.' }),
  achieved: z.int().meta({ description: 'The value reached within those days.' }),
  achievement: z.number().min(0).meta({ description: 'achieved ÷ target.' }),
  startDate: z.iso.date(),
  endDate: z.iso.date(),
});

export const getTargetAchievement = defineRequest({
  subject: 'dashboards.sales.target-achievement',
  onlyReads: true,
  request: SalesQuery,
  reply: described(
    'TargetAchievement',
    'Every target that overlaps the span, and how much of it is reached (1 is all of it).',
    z.object({ targets: z.array(Achievement).max(10_000) }),
    {
      targets: [
        {
          ...representative,
          SalesTargetKeyID: targetKey,
          SalesTargetID: 3,
          metric: 'CALLS',
          target: 200,
          achieved: 120,
          achievement: 0.6,
          ...march,
        },
      ],
    },
  ),
});

export const getCallTrends = defineRequest({
  subject: 'dashboards.sales.call-trends',
  onlyReads: true,
  request: described(
    'CallTrendsQuery',
    'A span of time, and the length of its steps.',
    z
      .object({ ...span, interval: z.enum(['hour', 'day', 'week', 'month']).default('day') })
      .refine(startsBeforeEnd, startAfterEnd)
      .refine(endsSoonEnough, endsTooLate)
      .refine(hasFewHours, { path: ['interval'], error: 'must be longer than an hour for more than 150 days' }),
    { ...march, interval: 'week' },
  ),
  reply: described(
    'CallTrends',
    'Figures of each step, in order; empty steps are included. Weeks begin on Monday; `at` is the instant at which a step begins.',
    z.object({ series: z.array(SalesFigures.extend({ date: z.iso.date(), at: Timestamp })).max(3660) }),
    { series: [{ date: '2026-03-02', at: '2026-03-01T18:30:00.000Z', ...figures }] },
  ),
});
