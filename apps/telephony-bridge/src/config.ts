import { z } from 'zod';

/** The variables of the telephony bridge, on top of those that every service has. */
export const TelephonyBridgeVariables = z.object({});
