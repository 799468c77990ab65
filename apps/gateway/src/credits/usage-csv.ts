import type { UsageRow } from './usage-rows';

const columns = [
  'CreditEntryID', 'CreatedOn', 'kind', 'entry', 'units', 'unpaidUnits', 'balanceAfter', 'AgentKeyID', 'AgentID', 'IntegrationKeyID',
  'requestId', 'note',
] as const satisfies readonly (keyof UsageRow)[];

/** The first line of an export. */
export const usageHeader = `${columns.join(',')}\r\n`;

/** One line of the ledger as a line of CSV. */
export function usageLine(row: UsageRow): string {
  return `${columns.map((column) => cellOf(row[column])).join(',')}\r\n`;
}

/** A text that a spreadsheet would run as a formula gets an apostrophe before it; numbers are ours and stay numbers. */
function cellOf(value: string | number | null): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) || text !== value ? `"${text.replaceAll('"', '""')}"` : text;
}
