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

/** Letters that Postgres stores none of: NUL, and halves of those that were cut in the middle. After a backslash they are words. */
const notStorable = /\\\\|\\u(?:0000|d[89a-f][\da-f]{2})/g;

function jsonOf(rows: readonly object[]): string {
  return JSON.stringify(rows).replace(notStorable, (found) => (found === '\\\\' ? found : '\ufffd'));
}
