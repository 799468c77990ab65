import { greatest, least, type PageLine, type PdfCell } from './pdf-lines.ts';
import { isUnit } from './table-rows.ts';

export interface Column {
  readonly left: number;
  readonly right: number;
}

export interface TableRow {
  readonly cells: readonly string[];
  /** The font of its first letter. */
  readonly font: string;
}

/** The lines of a table as rows, with wrapped cells joined again. */
export function joinedRows(lines: readonly PageLine[], columns: readonly Column[]): TableRow[] {
  return rowsOfCells(lines, columns) ?? rowsOfLines(lines, columns);
}

/**
 * Lines closer than this many letter heights are cells of the same row, aligned at their middles: in one column their letters
 * would overlap.
 */
const besideMax = 0.9;

function isBesideNext(lines: readonly PageLine[], place: number): boolean {
  const [line, next] = [lines[place], lines[place + 1]];
  return line !== undefined && next !== undefined && line.bottom - next.bottom < Math.min(line.height, next.height) * besideMax;
}

/** A cell with all its wrapped lines. */
interface WrappedCell {
  readonly column: number;
  readonly text: string;
  readonly font: string;
  readonly lines: number;
  readonly top: number;
  readonly bottom: number;
  /** The height of its letters. */
  readonly height: number;
}

const tableRowsMin = 3;

/**
 * Rows by the vertical extent of their cells: overlapping cells form a row. Undefined if no lines overlap, if the distances
 * within a column do not distinguish wrapped lines from rows, or if overlapping cells are not aligned as in rows.
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

/** Whether the cells of a row are from different columns and aligned at their middles, tops or bottoms. */
function isAligned(row: readonly WrappedCell[]): boolean {
  if (new Set(row.map(({ column }) => column)).size < row.length) return false;
  const apartMax = least(row.map(({ height }) => height)) * alignedMax;
  const isAt = (place: (cell: WrappedCell) => number): boolean => greatest(row.map(place)) - least(row.map(place)) < apartMax;
  return isAt(({ top, bottom }) => (top + bottom) / 2) || isAt(({ top }) => top) || isAt(({ bottom }) => bottom);
}

/**
 * Whether all cells have the same number of lines above one. Below a header those are more likely to be separate rows spaced like
 * lines.
 */
function isAllWrapped(row: readonly WrappedCell[]): boolean {
  return row.every(({ lines }) => lines > 1 && lines === row[0]?.lines);
}

/** Lines within a cell are equally spaced, in letter heights; lines of different rows are at least this much further apart. */
const furtherThanLines = 1.1;

/** The cells of each column, joining lines that are spaced as within one cell; none if all lines are. */
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

/** Rows by line spacing, for tables whose cells are aligned at their first or last lines. */
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
    // If rows are spaced like lines, their text shows which lines continue a row.
    if (last && ((isPart && isClose) || goesOn(cells, last.cells, within > 0)))
      rows[rows.length - 1] = { ...last, cells: joined(last.cells, cells) };
    else rows.push({ cells, font });
  }
  return rows;
}

/** Lines whose distance is below this share of the row spacing belong to one row. */
export const closerThanRows = 0.85;

const isFull = (cells: readonly string[]): boolean => cells.every((cell) => cell !== '');
const jumpMin = 1.25;

/** Lines closer than this distance belong to one row; 0 if the spacing does not distinguish rows from lines. */
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

/** Whether a line with an empty first column continues the row above, and is not a row of its own that shares the first cell. */
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
