import { Fault } from '@parley/contracts';
import type { ObjectLiteral, SelectQueryBuilder } from 'typeorm';
import { endOfDay, startOfDay } from './start-of-day';

interface DateRange {
  readonly fromDate?: string | null | undefined;
  readonly toDate?: string | null | undefined;
}

const isDay = (bound: string) => bound.length === 'YYYY-MM-DD'.length;

/** Keeps the rows whose column lies in a range, bounds included. A bare date is the whole day in the organization's time zone. */
export function withinRange<Row extends ObjectLiteral>(
  query: SelectQueryBuilder<Row>,
  { fromDate, toDate }: DateRange,
  { column, timezone }: { column: string; timezone: string },
): void {
  const from = fromDate ? instant(fromDate, () => startOfDay(fromDate, timezone)) : undefined;
  const to = toDate ? instant(toDate, () => endOfDay(toDate, timezone)) : undefined;
  // The contract compares days with days; a day against an instant only compares here, where the time zone is known.
  if (from && to && from > to)
    throw new Fault('VALIDATION_FAILED', { details: [{ field: 'fromDate', message: 'must not be after toDate' }] });
  if (from) query.andWhere(`${column} >= :from`, { from });
  if (to) query.andWhere(`${column} ${toDate && isDay(toDate) ? '<' : '<='} :to`, { to });
}

function instant(bound: string, ofDay: () => Date): Date {
  return isDay(bound) ? ofDay() : new Date(bound);
}
