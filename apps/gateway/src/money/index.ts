import { z } from 'zod';
import type { Book } from '../archive/archive';

export { gatewaySchema } from '../database/schema';
export { CreditBook } from './credit-book';

/** The sums by which the books are proven. All but `breaks` and `staleHolds` count units. */
const Equation = z.object({
  granted: z.coerce.number(),
  balance: z.coerce.number(),
  held: z.coerce.number(),
  ledger: z.coerce.number(),
  /** What the holds table says; it must agree with `held`. */
  openHolds: z.coerce.number(),
  /** Lines and monthly sums whose balance does not follow from what precedes them. */
  breaks: z.coerce.number(),
  staleHolds: z.coerce.number(),
});
export type Equation = z.output<typeof Equation>;

/** What one snapshot of the database says: granted = balance + held + ledger must hold, to the unit, at every instant. */
export async function readEquation(database: { query(statement: string): Promise<unknown[]> }): Promise<Equation> {
  const [row] = await database.query(`
    SELECT
      (SELECT coalesce(sum(units), 0) FROM credit_ledger WHERE units > 0)
        + (SELECT coalesce(sum(granted), 0) FROM credit_months) AS granted,
      (SELECT coalesce(-sum(units), 0) FROM credit_ledger WHERE units < 0)
        + (SELECT coalesce(sum(charged), 0) FROM credit_months) AS ledger,
      (SELECT coalesce(sum(available), 0) FROM credit_accounts) AS balance,
      (SELECT coalesce(sum(held), 0) FROM credit_accounts) AS held,
      (SELECT coalesce(sum(units), 0) FROM credit_holds) AS "openHolds",
      (SELECT count(*) FROM credit_holds WHERE expires_at < now() - interval '1 minute') AS "staleHolds",
      (SELECT count(*) FROM (
        SELECT balance_after - units - coalesce(lag(balance_after) OVER (PARTITION BY org_id, kind ORDER BY place), 0) AS gap
        FROM (
          SELECT org_id, kind, balance_after, units, seq AS place FROM credit_ledger
          -- before every line, for a number of a line is above zero
          UNION ALL SELECT org_id, kind, balance_after, granted - charged, month - DATE '9999-12-31' FROM credit_months
        ) entries) lines WHERE gap <> 0) AS breaks`);
  return Equation.parse(row);
}

/** How far the books are from true: 0, or something is lost. */
export function differenceOf({ granted, balance, held, ledger }: Equation): number {
  return granted - balance - held - ledger;
}

/** The ledger as it is archived: what a month came to stays, so that the equation holds without its lines. */
export function ledgerBook(months: number): Book {
  return { name: 'ledger', table: 'credit_ledger', id: 'seq', time: 'created_at', months, carry: sumUp };
}

const sumUp = `
  INSERT INTO credit_months AS kept (org_id, kind, month, granted, charged, unpaid, lines, balance_after)
  SELECT org_id, kind, $4::date, coalesce(sum(units) FILTER (WHERE units > 0), 0), coalesce(-sum(units) FILTER (WHERE units < 0), 0),
    sum(unpaid), count(*), (array_agg(balance_after ORDER BY seq DESC))[1]
  FROM credit_ledger WHERE org_id = $1 AND seq BETWEEN $2 AND $3 GROUP BY org_id, kind
  ON CONFLICT (org_id, kind, month) DO UPDATE SET granted = kept.granted + excluded.granted,
    charged = kept.charged + excluded.charged, unpaid = kept.unpaid + excluded.unpaid,
    lines = kept.lines + excluded.lines, balance_after = excluded.balance_after`;
