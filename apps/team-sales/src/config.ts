import { z } from 'zod';

/** The variables of the team service, on top of those that every service has. */
export const TeamSalesVariables = z.object({});
