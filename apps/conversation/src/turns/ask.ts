import type { streamTurn } from '@parley/contracts';
import type { z } from 'zod';

/** What somebody says to an agent, in text or as a recording, whichever way it came. */
export type Ask = z.output<typeof streamTurn.request>;
