import type { CallCounts } from '@parley/contracts';
import type { z } from 'zod';
import { numberOf, type SumRow } from './sums';

/** A row of sums without any call. */
export const withoutCalls: SumRow = { step: 0 };

/** The counts of the API, from sums over calls. */
export function callCountsOf(rows: readonly SumRow[]): z.input<typeof CallCounts> {
  const sum = (name: string) => rows.reduce((total, row) => total + numberOf(row, name), 0);
  const talks = sum('talks');
  return {
    totalCalls: sum('total'),
    completed: sum('completed'),
    answered: sum('answered'),
    missed: sum('missed'),
    failed: sum('failed'),
    cancelled: sum('cancelled'),
    open: sum('open'),
    averageDurationSeconds: talks === 0 ? 0 : Math.round((sum('talk_seconds') / talks) * 100) / 100,
  };
}

/** A share of a whole, to four digits; 0 of nothing. */
export function shareOf(part: number, whole: number): number {
  return whole === 0 ? 0 : Math.round((part / whole) * 10_000) / 10_000;
}
