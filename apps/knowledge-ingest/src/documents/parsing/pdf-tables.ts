import { median, type PageLine, type PdfCell } from './pdf-lines.ts';
import { closerThanRows, type Column, figure, joinedRows, rowsOfCells, type TableRow } from './pdf-rows.ts';
import { looksLikeHeader } from './table-rows.ts';

const tableRowsMin = 3;

/** A run of adjacent lines: text, or a table. */
export type PageRun =
  | { readonly kind: 'text'; readonly lines: readonly PageLine[] }
  | {
      readonly kind: 'table';
      /** Empty if the first row is like the others. */
      readonly header: readonly string[];
      readonly rows: readonly (readonly string[])[];
      /** The left edges of its columns. */
      readonly columns: readonly number[];
      /** The height of its letters. */
      readonly height: number;
    };

/** Finds the tables in a region: consecutive lines whose cells are in the same columns. */
export function runsOf(lines: readonly PageLine[]): PageRun[] {
  const runs: PageRun[] = [];
  let text: PageLine[] = [];
  const endText = (): void => {
    if (text.length > 0) runs.push({ kind: 'text', lines: text });
    text = [];
  };
  for (let at = 0; at < lines.length;) {
    const table = tableAt(lines, at);
    if (table && !isTitleOver(lines, at, table)) {
      const begun = beginningOf(table, text);
      text = text.slice(0, text.length - begun.length);
      endText();
      runs.push(tableOf({ ...table, lines: [...begun, ...table.lines] }));
      at += table.lines.length;
      continue;
    }
    text.push(...lines.slice(at, at + 1));
    at += 1;
  }
  endText();
  return runs;
}

/**
 * A line above a table with fewer cells is its title and not its header, unless its cells overlap vertically with those of the
 * next line.
 */
function isTitleOver(lines: readonly PageLine[], at: number, table: Table): boolean {
  const next = tableAt(lines, at + 1);
  const isShorter = next !== undefined && next.columns.length > (lines[at]?.cells.length ?? 0);
  return isShorter && table.columns.length <= next.columns.length && rowsOfCells(table.lines, table.columns) === undefined;
}

interface Table {
  readonly lines: readonly PageLine[];
  readonly columns: readonly Column[];
}

/** The line above a table, if it is the first line of a column name that wraps. */
function beginningOf({ lines, columns }: Table, text: readonly PageLine[]): PageLine[] {
  const [above, first] = [text.at(-1), lines[0]];
  if (!above || !first || !isNear(first, above) || widenedBy(columns, above.cells)?.length !== columns.length) return [];
  const pitches = lines.slice(1).map(({ bottom }, place) => (lines[place]?.bottom ?? 0) - bottom);
  const widest = pitches.reduce((one, other) => Math.max(one, other), 0);
  const isClose = above.bottom - first.bottom < widest * closerThanRows;
  return isClose && (above.cells[0]?.left ?? 0) > (columns[1]?.left ?? Number.POSITIVE_INFINITY) - slack ? [above] : [];
}

const slack = 6;

/** The longest table that starts with this line. */
function tableAt(lines: readonly PageLine[], from: number): Table | undefined {
  const first = lines[from];
  if (!first || first.cells.length < 2) return undefined;
  let columns: readonly Column[] = first.cells;
  let end = from + 1;
  let lastFull = from;
  let full = 1;
  for (let line = lines[end]; line && isNear(line, lines[end - 1]); line = lines[end]) {
    const widened = widenedBy(columns, line.cells);
    if (!widened || (line.cells.length === 1 && !(standsIn(columns, line) && mayStandAlone(lines, end, columns)))) break;
    columns = widened;
    if (line.cells.length > 1) {
      full += 1;
      lastFull = end;
    }
    end += 1;
  }
  // Lines after the last row with several cells belong to it only if they are closer to it than rows are to each other.
  const kept = lines.slice(from, endOfLastRow(lines, { from, lastFull, end }));
  const isSure = full >= tableRowsMin || (full === 2 && columns.length > 2 && isHeaderOver(kept));
  return isSure ? { lines: kept, columns } : undefined;
}

const rowsApartMax = 4;

/** A line with letters this much larger is a heading and not a row. */
const largerMax = 1.2;

function isNear(line: PageLine, above: PageLine | undefined): boolean {
  if (!above) return false;
  const [smaller, larger] = [Math.min(line.height, above.height), Math.max(line.height, above.height)];
  return above.bottom - line.bottom < larger * rowsApartMax && larger <= smaller * largerMax;
}

/** The columns widened to include these cells; undefined if a cell overlaps several columns, or columns would overlap. */
function widenedBy(columns: readonly Column[], cells: readonly PdfCell[]): readonly Column[] | undefined {
  let widened = columns;
  for (const { left, right } of cells) {
    const under = widened.filter((column) => left < column.right && right > column.left);
    const near =
      under.length > 0 ? under : widened.filter((column) => left < column.right + slack && right > column.left - slack);
    const [column] = near;
    if (near.length > 1) return undefined;
    const wider = column ? { left: Math.min(left, column.left), right: Math.max(right, column.right) } : { left, right };
    widened = [...widened.filter((other) => other !== column), wider].toSorted((one, other) => one.left - other.left);
  }
  const isApart = widened.every((column, place) => column.left >= (widened[place - 1]?.right ?? Number.NEGATIVE_INFINITY));
  return isApart ? widened : undefined;
}

/** Whether the single cell of a line is aligned like the others in its column. */
function standsIn(columns: readonly Column[], { cells }: PageLine): boolean {
  return cells.every(({ left, right }) => {
    const under = columns.filter((column) => left < column.right + slack && right > column.left - slack);
    const isSet = under.some(
      (column) =>
        Math.abs(left - column.left) < slack ||
        Math.abs(right - column.right) < slack ||
        (left > column.left - slack && right < column.right + slack),
    );
    return under.length === 0 || isSet;
  });
}

const linesOfCellMax = 12;

/** Whether a line with one cell may continue a row, or be one: any following lines with several cells must fit the columns. */
function mayStandAlone(lines: readonly PageLine[], place: number, columns: readonly Column[]): boolean {
  const following = lines.slice(place + 1, place + linesOfCellMax).findIndex(({ cells }) => cells.length > 1);
  const next = following < 0 ? undefined : lines[place + 1 + following];
  return next === undefined || widenedBy(columns, next.cells) !== undefined;
}

function endOfLastRow(lines: readonly PageLine[], { from, lastFull, end }: Record<'from' | 'lastFull' | 'end', number>): number {
  const pitch = (place: number): number => (lines[place - 1]?.bottom ?? 0) - (lines[place]?.bottom ?? 0);
  let widest = 0;
  for (let place = from + 1; place <= lastFull; place += 1) widest = Math.max(widest, pitch(place));
  let place = lastFull + 1;
  while (place < end && pitch(place) < widest * closerThanRows) place += 1;
  return place;
}

function isHeaderOver(lines: readonly PageLine[]): boolean {
  const [first, second] = lines;
  if (!first || !second || first.cells.length !== second.cells.length) return false;
  return !first.cells.some(({ text }) => figure.test(text)) && second.cells.some(({ text }) => figure.test(text));
}

function tableOf({ lines, columns }: Table): PageRun {
  const rows = joinedRows(lines, columns);
  const [first, ...rest] = rows;
  const isHeader =
    first &&
    rest.length > 0 &&
    looksLikeHeader(
      first.cells,
      rest.map(({ cells }) => cells),
    );
  const labelled = withLabels(isHeader ? rest : rows);
  const hasLabels = labelled.some(({ label }) => label !== '');
  const withLabel = (label: string, cells: readonly string[]) => (hasLabels ? [label, ...cells] : cells);
  return {
    kind: 'table',
    header: isHeader ? withLabel('', first.cells) : [],
    rows: labelled.map(({ label, cells }) => withLabel(label, cells)),
    columns: columns.map(({ left }) => left),
    height: median(lines.map(({ height }) => height)),
  };
}

const labelledColumnsMin = 3;

/** A row with a single cell in another font is a label for each row below it, such as `Weekend` above the weekend prices. */
function withLabels(rows: readonly TableRow[]): { label: string; cells: readonly string[] }[] {
  const fonts = [...Map.groupBy(rows, ({ font }) => font)].toSorted(([, one], [, other]) => other.length - one.length);
  const usual = fonts[0]?.[0];
  let label = '';
  return rows.flatMap(({ cells, font }, place) => {
    const filled = cells.filter((cell) => cell !== '');
    const isLabel = cells.length >= labelledColumnsMin && filled.length === 1 && font !== usual && place < rows.length - 1;
    if (!isLabel) return [{ label, cells }];
    label = filled.join('');
    return [];
  });
}
