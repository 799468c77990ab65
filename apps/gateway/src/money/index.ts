// For benchmarks, chaos runs and tests, which check that the books balance. Services import the files directly.
import { z } from 'zod';

export { gatewaySchema } from '../database/schema';
export { CreditBook } from './credit-book';

/** The sums that must balance. All but `breaks` and `staleHolds` are in credit units. */
const Equation = z.object({
  granted: z.coerce.number(),
  balance: z.coerce.number(),
  held: z.coerce.number(),
  ledger: z.coerce.number(),
  /** The sum of the holds table, which must equal `held`. */
  openHolds: z.coerce.number(),
  /** Lines and monthly sums whose balance does not follow from the previous ones. */
  breaks: z.coerce.number(),
  staleHolds: z.coerce.number(),
});
export type Equation = z.output<typeof Equation>;

/** Reads one snapshot of the database: granted = balance + held + ledger must hold exactly, at every instant. */
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

/** By how much the books are off: 0, unless credits were lost or created. */
export function differenceOf({ granted, balance, held, ledger }: Equation): number {
  return granted - balance - held - ledger;
}
