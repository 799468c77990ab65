import { z } from 'zod';

/** What the serving end sends when it takes a line: where it listens, and its word for the caller. */
export const LineAccepted = z.object({ address: z.string(), accepted: z.unknown() });
