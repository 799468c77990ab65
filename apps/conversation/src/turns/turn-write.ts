import type { TenantStatement } from '@parley/database';
import { turnStatements } from './turn-statements';

/** What is to be done to one turn. */
export interface TurnWrite {
  readonly orgId: number;
  readonly deed: keyof typeof turnStatements;
  /** As the statement reads it. */
  readonly row: { readonly turn_uuid: string; readonly session_uuid: string; readonly [column: string]: unknown };
}

/** The statements that do it, as few as there can be. */
export function statementsOf(writes: readonly TurnWrite[]): TenantStatement[] {
  return [...Map.groupBy(writes, ({ orgId }) => orgId)].flatMap(([orgId, ofOrganization]) =>
    Object.entries(turnStatements).flatMap(([deed, text]) => {
      const rows = ofOrganization.filter((write) => write.deed === deed).map(({ row }) => row);
      return rows.length === 0 ? [] : [{ orgId, statement: { name: `turns-${deed}`, text, values: [orgId, jsonOf(rows)] } }];
    }),
  );
}

/** Words that were cut in the middle of a letter are no text to Postgres. */
function jsonOf(rows: readonly object[]): string {
  return JSON.stringify(rows, (_, value: unknown) => (typeof value === 'string' ? value.toWellFormed() : value));
}
