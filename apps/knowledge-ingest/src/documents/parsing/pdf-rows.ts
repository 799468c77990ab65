import { greatest, least, type PageLine, type PdfCell } from './pdf-lines.ts';
import { isUnit } from './table-rows.ts';

export interface Column {
  readonly left: number;
  readonly right: number;
}

export interface TableRow {
  readonly cells: readonly string[];
  /** That of its first letter. */
  readonly font: string;
}

/** The lines of a table as rows: what wraps within a cell is put together again. */
export function joinedRows(lines: readonly PageLine[], columns: readonly Column[]): TableRow[] {
  return rowsOfCells(lines, columns) ?? rowsOfLines(lines, columns);
}

/** Lines whose letters would overlap if they were in one column are cells of one row, aligned at their middles. */
const besideMax = 0.9;

function isBesideNext(lines: readonly PageLine[], place: number): boolean {
  const [line, next] = [lines[place], lines[place + 1]];
  return line !== undefined && next !== undefined && line.bottom - next.bottom < Math.min(line.height, next.height) * besideMax;
}

/** A cell with all that wraps within it. */
interface WrappedCell {
  readonly column: number;
  readonly text: string;
  readonly font: string;
  readonly lines: number;
  readonly top: number;
  readonly bottom: number;
  /** That of its letters. */
  readonly height: number;
}

const tableRowsMin = 3;

/**
 * Rows by the heights of their cells: those that stand beside each other are one. Undefined where no lines stand so, where the
 * distances within a column do not tell lines from rows, and where what stands beside each other is not aligned as rows are.
 */
export function rowsOfCells(lines: readonly PageLine[], columns: readonly Column[]): TableRow[] | undefined {
  if (!lines.some((_, place) => isBesideNext(lines, place))) return undefined;
  const rows: WrappedCell[][] = [];
  for (const cell of wrappedCells(lines, columns).toSorted((one, other) => other.top - one.top)) {
    const last = rows.at(-1);
    if (last && cell.top > least(last.map(({ bottom }) => bottom))) last.push(cell);
    else rows.push([cell]);
  }
  if (rows.length < tableRowsMin || !rows.every(isAligned) || rows.slice(1).some(isAllWrapped)) return undefined;
  return rows.map((row) => {
    const ordered = row.toSorted((one, other) => one.column - other.column);
    return {
      cells: columns.map((_, column) => ordered.find((cell) => cell.column === column)?.text ?? ''),
      font: ordered[0]?.font ?? '',
    };
  });
}

const alignedMax = 0.25;

/** The cells of a row, one of each column, have their middles, their tops or their bottoms at one height. */
function isAligned(row: readonly WrappedCell[]): boolean {
  if (new Set(row.map(({ column }) => column)).size < row.length) return false;
  const apartMax = least(row.map(({ height }) => height)) * alignedMax;
  const isAt = (place: (cell: WrappedCell) => number): boolean => greatest(row.map(place)) - least(row.map(place)) < apartMax;
  return isAt(({ top, bottom }) => (top + bottom) / 2) || isAt(({ top }) => top) || isAt(({ bottom }) => bottom);
}

/** Whether each cell has the same several lines: below a header, those are more likely rows as near to each other as lines. */
function isAllWrapped(row: readonly WrappedCell[]): boolean {
  return row.every(({ lines }) => lines > 1 && lines === row[0]?.lines);
}

/** Lines of one cell are at one distance, in letter heights, and rows are further apart by at least that. */
const furtherThanLines = 1.1;

/** The cells of each column, from lines that are no further apart than those of one cell; none if all are. */
function wrappedCells(lines: readonly PageLine[], columns: readonly Column[]): WrappedCell[] {
  const ofColumns = columns.map((column) =>
    lines.flatMap((line) => {
      const [text = ''] = inColumns(line.cells, [column]);
      return text === '' ? [] : [{ text, line }];
    }),
  );
  const pitchOf = (line: PageLine, above: PageLine): number =>
    (above.bottom - line.bottom) / Math.max(1, line.height, above.height);
  const pitches = ofColumns.flatMap((own) => own.slice(1).map(({ line }, place) => pitchOf(line, own[place]?.line ?? line)));
  const within = least(pitches) * furtherThanLines;
  if (greatest(pitches) < within) return [];
  return ofColumns.flatMap((own, column) => {
    const cells: WrappedCell[] = [];
    for (const [place, { text, line }] of own.entries()) {
      const above = own[place - 1]?.line;
      const last = cells.at(-1);
      if (last && above && pitchOf(line, above) < within)
        cells[cells.length - 1] = { ...last, text: `${last.text} ${text}`, lines: last.lines + 1, bottom: line.bottom };
      else {
        const { bottom, height } = line;
        cells.push({ column, text, font: line.cells[0]?.font ?? '', lines: 1, top: bottom + height, bottom, height });
      }
    }
    return cells;
  });
}

/** Rows by the distances of the lines, where cells begin or end together. */
function rowsOfLines(lines: readonly PageLine[], columns: readonly Column[]): TableRow[] {
  const placed = lines.map((line) => ({
    ...{ bottom: line.bottom, cells: inColumns(line.cells, columns), font: line.cells[0]?.font ?? '' },
  }));
  const within = pitchWithin(placed);
  const rows: TableRow[] = [];
  for (const [place, { cells, font, bottom }] of placed.entries()) {
    const above = placed[place - 1];
    const last = rows.at(-1);
    const isPart = !isFull(cells) || (above !== undefined && !isFull(above.cells));
    const isClose = above !== undefined && above.bottom - bottom < within;
    // Where rows stand no further apart than lines, the words say what goes on.
    if (last && ((isPart && isClose) || goesOn(cells, last.cells, within > 0)))
      rows[rows.length - 1] = { ...last, cells: joined(last.cells, cells) };
    else rows.push({ cells, font });
  }
  return rows;
}

/** Lines this much nearer to each other than rows are parts of one row. */
export const closerThanRows = 0.85;

const isFull = (cells: readonly string[]): boolean => cells.every((cell) => cell !== '');
const jumpMin = 1.25;

/** Lines that are nearer to each other than that are of one row, where the distances tell rows from lines; else 0. */
function pitchWithin(lines: readonly { readonly bottom: number; readonly cells: readonly string[] }[]): number {
  const pitches = lines.slice(1).map(({ bottom, cells }, place) => ({
    pitch: (lines[place]?.bottom ?? 0) - bottom,
    isOfRows: isFull(cells) && isFull(lines[place]?.cells ?? []),
  }));
  const ofRows = pitches.filter(({ isOfRows }) => isOfRows).map(({ pitch }) => pitch);
  const leastOfRows = ofRows.reduce((one, other) => Math.min(one, other), Number.POSITIVE_INFINITY);
  const sorted = pitches.map(({ pitch }) => pitch).sort((one, other) => one - other);
  const jumps = sorted.slice(1).map((pitch, place) => ({ at: pitch, by: pitch / Math.max(1, sorted[place] ?? 1) }));
  const widest = jumps.reduce((one, other) => (other.by > one.by ? other : one), { at: 0, by: jumpMin });
  const within = Math.min(widest.at, leastOfRows * closerThanRows);
  return sorted.some((pitch) => pitch < within) ? within : 0;
}

export const figure = /\p{N}/u;

/** Whether a line with nothing in the first column is more text of the row above, and no row of its own with a shared first cell. */
function goesOn(cells: readonly string[], above: readonly string[], isToldByPitch: boolean): boolean {
  const filled = cells.flatMap((cell, column) => (cell === '' ? [] : [{ cell, above: above[column] ?? '' }]));
  if (cells[0] !== '') return false;
  if (filled.every(({ cell }) => isUnit.test(cell))) return true;
  return (
    !isToldByPitch && filled.length <= cells.length / 2 && filled.every(({ cell, above }) => above !== '' && !figure.test(cell))
  );
}

function joined(above: readonly string[], cells: readonly string[]): string[] {
  return above.map((text, column) => [text, cells[column] ?? ''].filter(Boolean).join(' '));
}

function inColumns(cells: readonly PdfCell[], columns: readonly Column[]): string[] {
  return columns.map((column) =>
    cells
      .filter(({ left, right }) => left < column.right && right > column.left)
      .map(({ text }) => text)
      .join(' '),
  );
}
