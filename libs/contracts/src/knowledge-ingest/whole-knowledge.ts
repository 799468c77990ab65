import { z } from 'zod';
import { defineRequest } from '../messages';
import { described, RecordId } from '../vocabulary';
import { Holidays, WorkingHours } from './working-hours';

const tokensMax = 200_000;

/** When a business is open, on its own clocks. */
export const BusinessSchedule = z.object({ timezone: z.string(), working_hours: WorkingHours, holidays: Holidays });
export type BusinessSchedule = z.output<typeof BusinessSchedule>;

/**
 * For prompts: everything that a knowledge base holds as one text in a fixed order, so that the same knowledge is the same text in
 * every turn. A base that does not fit gets an outline instead, and its turns search.
 */
export const readWholeKnowledge = defineRequest({
  subject: 'knowledge-ingest.knowledge.whole',
  timeoutMs: 5000,
  request: described(
    'WholeKnowledgeRequest',
    'A knowledge base, and how many tokens its text may have.',
    z.object({ KBID: RecordId, tokensMax: z.int().min(0).max(tokensMax) }),
    { KBID: 4, tokensMax: 6000 },
  ),
  reply: described(
    'WholeKnowledge',
    'The text of a knowledge base. One that is not whole says who the business is and what else there is to search for.',
    z.object({
      revision: z.int().min(0),
      isWhole: z.boolean(),
      text: z.string(),
      tokens: z.int().min(0),
      schedule: BusinessSchedule.nullable(),
    }),
    {
      revision: 12,
      isWhole: true,
      text: '# Business\nName: Demo Bazaar',
      tokens: 8,
      schedule: { timezone: 'Asia/Kolkata', working_hours: [], holidays: [] },
    },
  ),
});
