import { z } from 'zod';
import { defineRequest } from '../messages';
import { DateBound, described, listOf, paging, RecordId, startAfterEnd, startsBeforeEnd, Uuid } from '../vocabulary';

const SalesFigures = z.object({
  calls: z.int().min(0),
  connectedCalls: z.int().min(0),
  talkSeconds: z.int().min(0),
  conversions: z.int().min(0),
  connectRate: z.number().min(0).max(1),
});
const figures = { calls: 120, connectedCalls: 71, talkSeconds: 5400, conversions: 9, connectRate: 0.59 };
const representative = { SalesUserKeyID: '1e3c5a78-9b0d-4f2e-8c4a-6b8d0f1e3c5a', SalesUserID: 5, name: 'Asha Patil' };
const Representative = z.object({ SalesUserKeyID: Uuid, SalesUserID: z.int(), name: z.string() });

const span = { startDate: DateBound, endDate: DateBound, SalesUserIDs: z.array(RecordId).max(1000).optional() };
const march = { startDate: '2026-03-01', endDate: '2026-03-31' };

const SalesQuery = described(
  'SalesPerformanceQuery',
  'A span of time, and the representatives to look at (all of them by default).',
  z.object(span).refine(startsBeforeEnd, startAfterEnd),
  { ...march, SalesUserIDs: [5] },
);

export const getSalesSummary = defineRequest({
  subject: 'dashboards.sales.summary',
  request: SalesQuery,
  reply: described(
    'SalesSummary',
    'Figures of the team.',
    SalesFigures.extend({ representativeCount: z.int().min(0), assignedContacts: z.int().min(0) }),
    { ...figures, representativeCount: 1, assignedContacts: 120 },
  ),
});

const LeaderboardRow = described(
  'SalesLeaderboardRow',
  'A representative’s place. Equal figures share a place.',
  z.object({ rank: z.int().min(1), ...Representative.shape, ...SalesFigures.shape }),
  { rank: 1, ...representative, ...figures },
);

export const getSalesLeaderboard = defineRequest({
  subject: 'dashboards.sales.leaderboard',
  request: described(
    'SalesLeaderboardQuery',
    'A span of time, and what to rank by.',
    z
      .object({ ...span, ...paging(['conversions', 'calls', 'connectedCalls', 'talkSeconds', 'connectRate']) })
      .refine(startsBeforeEnd, startAfterEnd),
    { ...march, sortColumn: 'conversions', sortOrder: 'DESC', pageNo: 1, pageSize: 20 },
  ),
  reply: listOf('SalesLeaderboard', LeaderboardRow),
});

const Achievement = z.object({
  ...Representative.shape,
  SalesTargetID: z.int(),
  metric: z.enum(['CALLS', 'CONNECTED_CALLS', 'TALK_SECONDS', 'CONVERSIONS']),
  target: z.int(),
  achieved: z.int(),
  achievement: z.number().min(0),
  startDate: z.iso.date(),
  endDate: z.iso.date(),
});

export const getTargetAchievement = defineRequest({
  subject: 'dashboards.sales.target-achievement',
  request: SalesQuery,
  reply: described(
    'TargetAchievement',
    'Every target that touches the span, and how far it is reached (1 is all of it).',
    z.object({ targets: z.array(Achievement).max(10_000) }),
    {
      targets: [{ ...representative, SalesTargetID: 3, metric: 'CALLS', target: 200, achieved: 120, achievement: 0.6, ...march }],
    },
  ),
});

export const getCallTrends = defineRequest({
  subject: 'dashboards.sales.call-trends',
  request: described(
    'CallTrendsQuery',
    'A span of time, and the width of its steps.',
    z.object({ ...span, interval: z.enum(['day', 'week', 'month']).default('day') }).refine(startsBeforeEnd, startAfterEnd),
    { ...march, interval: 'week' },
  ),
  reply: described(
    'CallTrends',
    'Figures of each step, in order; empty steps are there too.',
    z.object({ series: z.array(SalesFigures.extend({ date: z.iso.date() })).max(3660) }),
    { series: [{ date: '2026-03-02', ...figures }] },
  ),
});
