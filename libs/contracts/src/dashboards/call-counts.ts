import { z } from 'zod';
import { defineRequest } from '../messages';
import { DateBound, described, RecordId, startAfterEnd, startsBeforeEnd } from '../vocabulary';

/** The five counts of the specification and the mean length of answered calls. */
export const CallCounts = described(
  'CallCounts',
  'Calls placed, and what became of them.',
  z.object({
    totalCalls: z.int().min(0),
    completed: z.int().min(0),
    answered: z.int().min(0),
    missed: z.int().min(0),
    failed: z.int().min(0),
    averageDurationSeconds: z.number().min(0),
  }),
  { totalCalls: 50, completed: 40, answered: 42, missed: 6, failed: 2, averageDurationSeconds: 81.5 },
);
const counts = { totalCalls: 50, completed: 40, answered: 42, missed: 6, failed: 2, averageDurationSeconds: 81.5 };

export const getDashboardCount = defineRequest({
  subject: 'dashboards.call-count.get',
  request: described(
    'DashboardCountQuery',
    'A span of time, and the agents to count (all of them by default).',
    z
      .object({ startDate: DateBound, endDate: DateBound, agentIds: z.array(RecordId).max(1000).optional() })
      .refine(startsBeforeEnd, startAfterEnd),
    { startDate: '2026-03-01', endDate: '2026-03-31', agentIds: [12] },
  ),
  reply: described(
    'DashboardCount',
    'Counts in all and for each day of the organization’s time zone.',
    z.object({ ...CallCounts.shape, series: z.array(z.object({ date: z.iso.date(), ...CallCounts.shape })).max(3660) }),
    { ...counts, series: [{ date: '2026-03-02', ...counts }] },
  ),
});
