const telephoneNumber = /^\+\d+$/;
const startsFormula = /^[=+\-@\t\r]/;

/** One line of a CSV file. A cell that a spreadsheet would run as a formula begins with a quote mark, which makes it text. */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

/** What a cell said before an export made it safe. */
export function withoutSafeguard(cell: string): string {
  return cell.startsWith("'") && startsFormula.test(cell.slice(1)) ? cell.slice(1) : cell;
}

function csvCell(text: string): string {
  const safe = startsFormula.test(text) && !telephoneNumber.test(text) ? `'${text}` : text;
  return /[",;\t\r\n']/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
