type Cell = string | number | boolean | null;

/** Includes full-width East Asian characters, which some spreadsheets treat alike. */
const startsFormula = /^[=+\-@＝＋－＠\t\r\n]/;
const telephoneNumber = /^\+\d+$/;

/**
 * One line of a CSV file. Text that a spreadsheet would run as a formula gets a leading apostrophe, which makes it text; numbers
 * and telephone numbers are left unchanged.
 */
export function csvLine(cells: readonly Cell[]): string {
  return `${cells.map(cellOf).join(',')}\r\n`;
}

/** The original text of a cell that our CSV made safe. */
export function withoutSafeguard(cell: string): string {
  return cell.startsWith("'") && startsFormula.test(cell.slice(1)) ? cell.slice(1) : cell;
}

function cellOf(value: Cell): string {
  if (value === null) return '';
  if (typeof value !== 'string') return String(value);
  const safe = startsFormula.test(value) && !telephoneNumber.test(value) ? `'${value}` : value;
  return /[",;\t\r\n']/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
