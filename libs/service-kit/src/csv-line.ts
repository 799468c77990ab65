type Cell = string | number | boolean | null;

/** Also in the full width of East Asian scripts, which some spreadsheets take for the same. */
const startsFormula = /^[=+\-@＝＋－＠\t\r\n]/;
const telephoneNumber = /^\+\d+$/;

/**
 * One line of a CSV file. A text that a spreadsheet would run as a formula gets an apostrophe before it, which makes it text; numbers,
 * and telephone numbers, stay what they are.
 */
export function csvLine(cells: readonly Cell[]): string {
  return `${cells.map(cellOf).join(',')}\r\n`;
}

/** What a cell said before a file of ours made it safe. */
export function withoutSafeguard(cell: string): string {
  return cell.startsWith("'") && startsFormula.test(cell.slice(1)) ? cell.slice(1) : cell;
}

function cellOf(value: Cell): string {
  if (value === null) return '';
  if (typeof value !== 'string') return String(value);
  const safe = startsFormula.test(value) && !telephoneNumber.test(value) ? `'${value}` : value;
  return /[",;\t\r\n']/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
