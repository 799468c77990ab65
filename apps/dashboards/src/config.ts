import { z } from 'zod';

/** The variables of the dashboards, on top of those that every service has. */
export const DashboardsVariables = z.object({});
