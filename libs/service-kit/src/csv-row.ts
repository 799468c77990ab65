type Cell = string | number | boolean | null;

/**
 * Including the full-width forms, which some spreadsheets treat alike, and what is behind white space or characters that cannot be seen,
 * which some of them skip.
 */
const startsFormula = /^(?:[\t\r\n]|[\p{White_Space}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]*[=+\-@＝＋－＠])/u;
const telephoneNumber = /^\+\d+$/;

/**
 * One row of a CSV file. A text that a spreadsheet would run as a formula is prefixed with an apostrophe; numbers and telephone
 * numbers are unchanged.
 */
export function csvRow(cells: readonly Cell[]): string {
  return `${cells.map(cellOf).join(',')}\r\n`;
}

/** Removes the apostrophe that `csvRow` put before a formula. */
export function withoutSafeguard(cell: string): string {
  return cell.startsWith("'") && startsFormula.test(cell.slice(1)) ? cell.slice(1) : cell;
}

function cellOf(value: Cell): string {
  if (value === null) return '';
  if (typeof value !== 'string') return String(value);
  const safe = startsFormula.test(value) && !telephoneNumber.test(value) ? `'${value}` : value;
  return /[",;\t\r\n']/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
