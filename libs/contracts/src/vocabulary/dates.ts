import { z } from 'zod';

/** One end of a date range: a day of the organization's time zone, or an instant. */
export const DateBound = z.union([z.iso.date(), z.iso.datetime({ offset: true })], {
  error: 'must be an ISO 8601 date or date-time',
});

/** Null, like absence, means no bound. */
export const OptionalDateBound = DateBound.nullish();

/** An instant in a reply. */
export const Timestamp = z.iso.datetime({ offset: true });

const bareDateLength = 'YYYY-MM-DD'.length;

/**
 * Whether a range can be right. A day against an instant is left to the service: only it knows the time zone that
 * gives the day its hours.
 */
function isOrdered(from: string | null | undefined, to: string | null | undefined): boolean {
  if (!from || !to) return true;
  const isDay = from.length === bareDateLength;
  if (isDay !== (to.length === bareDateLength)) return true;
  return isDay ? from <= to : Date.parse(from) <= Date.parse(to);
}

interface DateRange {
  startDate?: string | null;
  endDate?: string | null;
}

interface FromToRange {
  fromDate?: string | null;
  toDate?: string | null;
}

/** Refines a body with `startDate` and `endDate`. */
export const startsBeforeEnd = (body: DateRange) => isOrdered(body.startDate, body.endDate);
export const startAfterEnd = { path: ['startDate'], error: 'must not be after endDate' };

/** Refines a body with `fromDate` and `toDate`. */
export const fromBeforeTo = (body: FromToRange) => isOrdered(body.fromDate, body.toDate);
export const fromAfterTo = { path: ['fromDate'], error: 'must not be after toDate' };

export const createdOnExample = '2026-03-02T09:30:00.000Z';
export const updatedOnExample = '2026-03-05T14:00:00.000Z';
