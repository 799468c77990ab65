import { Fault } from '@parley/contracts';
import { containing as anywhere } from '@parley/database';
import { firstInstant, firstInstantAfter } from '@parley/service-kit';
import type { ObjectLiteral, SelectQueryBuilder } from 'typeorm';

/** The accents that are typed apart from their letter. Vowel signs of Devanagari are not among them: they carry the sound. */
const accents = /[\u0300-\u036f]/g;

interface DateRange {
  readonly fromDate?: string | null | undefined;
  readonly toDate?: string | null | undefined;
}

/**
 * Keeps the rows whose column is within a range, bounds included. A bare date is the whole day in the organization's time zone.
 */
export function withinRange<Row extends ObjectLiteral>(
  query: SelectQueryBuilder<Row>,
  { fromDate, toDate }: DateRange,
  { column, timezone }: { column: string; timezone: string },
): void {
  const from = fromDate ? firstInstant(fromDate, timezone) : undefined;
  const after = toDate ? firstInstantAfter(toDate, timezone) : undefined;
  // The contract compares days with days; a day against an instant only compares here, where the time zone is known.
  if (from && after && from >= after)
    throw new Fault('VALIDATION_FAILED', { details: [{ field: 'fromDate', message: 'must not be after toDate' }] });
  if (from) query.andWhere(`${column} >= :from`, { from });
  if (after) query.andWhere(`${column} < :after`, { after });
}

/** Texts as a search compares them: without case and accents, blanks made even. */
export function searchable(...texts: string[]): string {
  return texts.join(' ').normalize('NFKD').replace(accents, '').normalize('NFC').toLowerCase().replace(/\s+/g, ' ').trim();
}

/** A LIKE pattern that finds typed text anywhere in a searchable text; its wildcards are escaped. */
export function containing(typed: string): string {
  return anywhere(searchable(typed));
}
