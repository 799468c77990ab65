import { duration, integer, url } from '@parley/service-kit';
import { z } from 'zod';

/** The dashboards' variables, in addition to the common ones. */
export const DashboardsVariables = z.object({
  DATABASE_READ_URL: url('postgres', 'postgresql').optional().meta({
    description:
      'A streaming standby of DATABASE_URL, as the same role: dashboards and exports read from it while it is at most ten seconds behind.',
    example: 'postgres://parley_dashboards:password@standby:5432/parley',
    secret: true,
  }),
  DASHBOARDS_FACTS_MONTHS: integer({ min: 1, max: 120 })
    .default(13)
    .meta({
      description: 'How many months individual calls, turns and charges are kept for exports and rebuilding.',
      example: '13',
      bound: { by: 'DASHBOARDS_FIGURES_MONTHS' },
    }),
  DASHBOARDS_FIGURES_MONTHS: integer({ min: 1, max: 600 }).default(60).meta({
    description: 'How many months figures per quarter of an hour are kept.',
    example: '60',
  }),
  DASHBOARDS_TURNS_EVERY: duration({ min: '10ms', max: '5m' }).default(1_000).meta({
    description:
      'How often turns that have ended are fetched from conversation; ten times less often while no event announces any.',
    example: '1s',
  }),
});
export type DashboardsConfig = z.output<typeof DashboardsVariables>;
