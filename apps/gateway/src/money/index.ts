import { z } from 'zod';

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
  /** Lines whose running balance does not follow from the line before. */
  breaks: z.coerce.number(),
  staleHolds: z.coerce.number(),
});
export type Equation = z.output<typeof Equation>;

/** What one snapshot of the database says: granted = balance + held + ledger must hold, to the unit, at every instant. */
export async function readEquation(database: { query(statement: string): Promise<unknown[]> }): Promise<Equation> {
  const [row] = await database.query(`
    SELECT
      (SELECT coalesce(sum(units), 0) FROM credit_ledger WHERE units > 0) AS granted,
      (SELECT coalesce(-sum(units), 0) FROM credit_ledger WHERE units < 0) AS ledger,
      (SELECT coalesce(sum(available), 0) FROM credit_accounts) AS balance,
      (SELECT coalesce(sum(held), 0) FROM credit_accounts) AS held,
      (SELECT coalesce(sum(units), 0) FROM credit_holds) AS "openHolds",
      (SELECT count(*) FROM credit_holds WHERE expires_at < now() - interval '1 minute') AS "staleHolds",
      (SELECT count(*) FROM (
        SELECT balance_after - units - coalesce(lag(balance_after) OVER (PARTITION BY org_id, kind ORDER BY seq), 0) AS gap
        FROM credit_ledger) lines WHERE gap <> 0) AS breaks`);
  return Equation.parse(row);
}

/** How far the books are from true: 0, or something is lost. */
export function differenceOf({ granted, balance, held, ledger }: Equation): number {
  return granted - balance - held - ledger;
}
