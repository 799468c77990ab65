import { z } from 'zod';
import { DateBound, RecordId, TimeZoneName } from '../vocabulary';

const daysMax = 3660;
const dayMs = 86_400_000;
const dateLength = 'YYYY-MM-DD'.length;

/** The agents whose figures are requested. One that does not exist or that the caller may not see is NOT_FOUND. */
export const AgentIds = z
  .array(RecordId)
  .min(1)
  .max(1000)
  .optional()
  .meta({ description: 'The agents to count; all that the caller may see by default.' });

/** Fields that every query of figures has: which days, and whose days they are. */
export const figureSpan = {
  startDate: DateBound,
  endDate: DateBound,
  timeZone: TimeZoneName.optional().meta({
    description: 'The time zone whose days are meant; the organization’s by default.',
  }),
};

interface Span {
  readonly startDate: string;
  readonly endDate: string;
}

/** Refines a query so that its answer has an end: ten years of days. */
export const endsSoonEnough = ({ startDate, endDate }: Span) =>
  Date.parse(endDate.slice(0, dateLength)) - Date.parse(startDate.slice(0, dateLength)) < daysMax * dayMs;
export const endsTooLate = { path: ['endDate'], error: `must be at most ${daysMax} days after startDate` };
