import { z } from 'zod';
import { defineEvent } from '../messages';
import { described } from '../vocabulary';

const bucketsMax = 2_000;

/** How much of each limit one gateway has given out since it last said so. Heard by the other gateways, kept by nobody. */
export const quotaTaken = defineEvent({
  subject: 'gateway.quota.taken',
  payload: described(
    'QuotaTaken',
    'The lists run in parallel: a limit by its name, how often it was taken, and what one of it costs in milliseconds.',
    z.object({
      gateway: z.string().max(64),
      buckets: z.array(z.string().max(200)).max(bucketsMax),
      counts: z.array(z.int().min(1)).max(bucketsMax),
      intervalsMs: z.array(z.number().positive()).max(bucketsMax),
    }),
    { gateway: '5b0c7f0e', buckets: ['key 6a1f0b7c read'], counts: [12], intervalsMs: [100] },
  ),
});
