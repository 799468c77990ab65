import { setTimeout as delay } from 'node:timers/promises';
import { differenceOf, type Equation, readEquation } from '@parley/apps/gateway/credits';
import { Client } from 'pg';
import { z } from 'zod';

/** What the database says after all that. Everything but the sums must be 0. */
export interface Verdict extends Equation {
  readonly difference: number;
  /** Acknowledged calls without a line of the ledger, or with more than one. */
  readonly acknowledgedWrongly: number;
  /** Lines that no acknowledged call accounts for. */
  readonly linesTooMany: number;
}

const settleWithinMs = 60_000;
const Counted = z.tuple([z.object({ n: z.coerce.number() })]);

/** Waits until the holds of the dead have expired, then proves the books against what the clients know. */
export async function proveBooks(adminUrl: string, acknowledged: readonly string[]): Promise<Verdict> {
  const client = new Client({ connectionString: databaseOf(adminUrl) });
  await client.connect();
  try {
    await client.query('SET search_path = gateway');
    const query = async (statement: string): Promise<unknown[]> => (await client.query(statement)).rows;
    let equation = await readEquation({ query });
    for (const giveUpAtMs = Date.now() + settleWithinMs; equation.held > 0 && Date.now() < giveUpAtMs; await delay(200)) {
      equation = await readEquation({ query });
    }
    const count = async (statement: string): Promise<number> => Counted.parse((await client.query(statement, [acknowledged])).rows)[0].n;
    return {
      ...equation,
      difference: differenceOf(equation),
      acknowledgedWrongly: await count(wronglyAcknowledged),
      linesTooMany: await count(unaccountedLines),
    };
  } finally {
    await client.end();
  }
}

const wronglyAcknowledged = `
  SELECT count(*) AS n FROM (
    SELECT call FROM unnest($1::text[]) AS call
    LEFT JOIN idempotent_requests r ON r.key = call
    LEFT JOIN credit_ledger l ON l.org_id = r.org_id AND l.reference = r.charge_id AND l.entry = 'CHARGE'
    GROUP BY call HAVING count(l.seq) <> 1) wrong`;

const unaccountedLines = `
  SELECT count(*) AS n FROM credit_ledger l WHERE entry = 'CHARGE' AND NOT EXISTS (
    SELECT FROM idempotent_requests r WHERE r.org_id = l.org_id AND r.charge_id = l.reference AND r.key = ANY($1::text[]))`;

/** The superuser's URL names the superuser's database; the services live in their own. */
function databaseOf(adminUrl: string): string {
  const url = new URL(adminUrl);
  url.pathname = '/parley';
  return url.href;
}
