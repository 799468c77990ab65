import { Fault } from '@parley/contracts';
import { containing as anywhere } from '@parley/database';
import { firstInstant, firstInstantAfter } from '@parley/service-kit';
import type { ObjectLiteral, SelectQueryBuilder } from 'typeorm';

/** Accents that are written separately from their letter. The vowel signs of Devanagari are not included: they carry meaning. */
const accents = /[\u0300-\u036f]/g;

interface DateRange {
  readonly fromDate?: string | null | undefined;
  readonly toDate?: string | null | undefined;
}

/**
 * Keeps the rows whose column is within a range, bounds included. A bare date means the whole day in the organization's time
 * zone.
 */
export function withinRange<Row extends ObjectLiteral>(
  query: SelectQueryBuilder<Row>,
  { fromDate, toDate }: DateRange,
  { column, timezone }: { column: string; timezone: string },
): void {
  const from = fromDate ? firstInstant(fromDate, timezone) : undefined;
  const after = toDate ? firstInstantAfter(toDate, timezone) : undefined;
  // The contract can only compare days with days; a day and an instant are compared here, where the time zone is known.
  if (from && after && from >= after)
    throw new Fault('VALIDATION_FAILED', { details: [{ field: 'fromDate', message: 'must not be after toDate' }] });
  if (from) query.andWhere(`${column} >= :from`, { from });
  if (after) query.andWhere(`${column} < :after`, { after });
}

/** Texts as searches compare them: without case and accents, and with single spaces. */
export function searchable(...texts: string[]): string {
  return texts.join(' ').normalize('NFKD').replace(accents, '').normalize('NFC').toLowerCase().replace(/\s+/g, ' ').trim();
}

/** A LIKE pattern that finds typed text anywhere in a searchable text, with wildcards escaped. */
export function containing(typed: string): string {
  return anywhere(searchable(typed));
}
