import { z } from 'zod';

/** The variables of the agent service, on top of those that every service has. */
export const AgentConfigVariables = z.object({});
