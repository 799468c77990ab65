import type { Block } from './parsed-file.ts';

/** A row as it stands in a sheet or a CSV file. */
export interface RowRead {
  /** As the sheet counts it: a number left out is an empty row. */
  readonly row: number;
  readonly cells: readonly string[];
  /** How its first cell is set, where that is known. */
  readonly style?: number;
  /** Whether one cell of it spans several columns. */
  readonly isSpanning?: boolean;
}

const rowsJudged = 6;

/** The rows of a sheet, each with the header of its own table: a sheet may have several, with empty rows or columns between. */
export function* rowsUnderHeaders(rows: Iterable<RowRead>, sheet?: string): Generator<Block> {
  const reading = new SheetReading(sheet);
  const waiting: RowRead[] = [];
  for (const row of rows) {
    if (isEmpty(row.cells)) continue;
    waiting.push(row);
    if (waiting.length > rowsJudged) yield* reading.read(waiting);
  }
  while (waiting.length > 0) yield* reading.read(waiting);
}

class SheetReading {
  private readonly sheet: string | undefined;
  private header: readonly string[] | undefined;
  /** Whether a header may still come: only titles stood above so far. */
  private isLooking = true;
  /** How the header and the rows below it are set. */
  private headerStyle: number | undefined;
  private rowStyle: number | undefined;
  private label = '';
  private lastRow: number | undefined;

  constructor(sheet: string | undefined) {
    this.sheet = sheet;
  }

  /** Takes one row, or the rows of a header, from those that wait. */
  *read(waiting: RowRead[]): Generator<Block> {
    const first = waiting.shift();
    if (!first) return;
    const isAfterGap = this.lastRow === undefined || first.row > this.lastRow + 1;
    this.lastRow = first.row;
    const following = adjacentTo(first, waiting);
    this.isLooking ||= isAfterGap;
    if (this.isLooking && this.isHeader(first, following)) {
      const below = secondHeader(first, following);
      if (below) this.lastRow = waiting.shift()?.row;
      this.header = below ? bothHeaders(first.cells, below.cells) : first.cells;
      [this.headerStyle, this.rowStyle, this.label, this.isLooking] = [first.style, undefined, '', false];
      return;
    }
    this.isLooking &&= first.cells.filter((cell) => cell !== '').length === 1;
    if (isAfterGap) this.label = '';
    if (this.isLabel(first, following)) this.label = first.cells.find((cell) => cell !== '') ?? '';
    else yield* this.under(this.header, first);
  }

  private isHeader(first: RowRead, following: readonly RowRead[]): boolean {
    if (following.length === 0) return false;
    const rest = following.map(({ cells }) => cells);
    const isList = this.sheet === undefined && [first.cells, ...rest].every(({ length }) => length === 1);
    if (first.cells.filter((cell) => cell !== '').length < 2 && !isList) return false;
    if (!this.header) return looksLikeHeader(first.cells, rest);
    // Empty rows part a table as well as tables: the next header must be one beyond doubt.
    const isSetAlike = first.style !== undefined && first.style === this.headerStyle && first.style !== this.rowStyle;
    const isSetAsRow = first.style !== undefined && first.style === this.rowStyle && first.style !== this.headerStyle;
    return isSetAlike || (!isSetAsRow && namesFigures(first.cells, rest));
  }

  /** A cell over all columns, or one set in another way, says what the rows below it have in common. */
  private isLabel(row: RowRead, following: readonly RowRead[]): boolean {
    const [next] = following;
    if (!this.header || !next || row.cells.filter((cell) => cell !== '').length !== 1) return false;
    const isSetApart = this.rowStyle !== undefined && row.style !== undefined && row.style !== this.rowStyle;
    return row.isSpanning === true || (isSetApart && row.style !== next.style);
  }

  private *under(header: readonly string[] | undefined, { row, cells, style }: RowRead): Generator<Block> {
    const sheet = this.sheet === undefined ? {} : { sheet: this.sheet };
    if (!header) {
      yield { kind: 'row', header: [], cells, row, ...sheet };
      return;
    }
    this.rowStyle ??= style;
    for (const [from, to] of tablesBeside(header, cells)) {
      const [names, own] = [header.slice(from, to), cells.slice(from, to)];
      const isLabelled = this.label !== '';
      if (!isEmpty(own))
        yield {
          ...{ kind: 'row', row, ...sheet },
          ...{ header: isLabelled ? ['', ...names] : names, cells: isLabelled ? [this.label, ...own] : own },
        };
    }
  }
}

const isEmpty = (cells: readonly string[]): boolean => cells.every((cell) => cell === '');

function adjacentTo(first: RowRead, waiting: readonly RowRead[]): RowRead[] {
  const end = waiting.findIndex(({ row }, place) => row !== first.row + place + 1);
  return waiting.slice(0, end < 0 ? waiting.length : end);
}

/** A second line of the header: units, or what a name over several columns is divided into. */
function secondHeader(first: RowRead, following: readonly RowRead[]): RowRead | undefined {
  const [second, ...rest] = following;
  if (!second) return undefined;
  const filled = second.cells.filter((cell) => cell !== '');
  if (filled.length > 0 && filled.every((cell) => isUnit.test(cell))) return second;
  const isDivided = first.isSpanning === true && !second.cells.some(isFigure);
  return isDivided && rest.some(({ cells }) => cells.some(isFigure)) ? second : undefined;
}

function bothHeaders(above: readonly string[], below: readonly string[]): string[] {
  const names = Array.from({ length: Math.max(above.length, below.length) }, (_, column) => [
    above[column] ?? '',
    below[column] ?? '',
  ]);
  return names.map(([name = '', more = '']) => {
    const added = isUnit.test(more) && !/^[([]/u.test(more) ? `(${more})` : more;
    return [...new Set([name, added])].filter(Boolean).join(' ');
  });
}

/** From where to where the tables reach that stand side by side in a sheet, with an empty column between. */
function tablesBeside(header: readonly string[], cells: readonly string[]): [from: number, to: number][] {
  const width = Math.max(header.length, cells.length);
  const isGap = (column: number): boolean => (header[column] ?? '') === '' && (cells[column] ?? '') === '';
  const tables: [number, number][] = [];
  for (let from = 0; from < width;) {
    let to = from;
    while (to < width && !isGap(to)) to += 1;
    if (to > from) tables.push([from, to]);
    from = to + 1;
  }
  const isEachATable = tables.every(([from, to]) => header.slice(from, to).filter((name) => name !== '').length > 1);
  return isEachATable ? tables : [[0, width]];
}

/** What stands under the name of a column: `(₹ per month)`, `kg`. */
export const isUnit =
  /^(?:[([].{1,40}[)\]]|₹|rs\.?|inr|usd|\$|€|£|%|k?g|m?l|lit(?:re|er)s?|km|cm|mm|m|sq\.? ?(?:ft|m)|(?:in )?(?:rupees|kg|days|minutes|hours|months|years|lakh)|min|hrs?|nos?\.?|pcs\.?|रु\.?|रुपये|किलो)$/iu;

/** A year may be the name of a column. */
const year = /^(?:19|20)\d\d(?:[-–/]\d\d(?:\d\d)?)?$/u;

/** Whether a cell is more of figures than of words: a price, a time, a telephone number. */
function isFigure(cell: string): boolean {
  const digits = cell.match(/\p{N}/gu)?.length ?? 0;
  const letters = cell.match(/\p{L}/gu)?.length ?? 0;
  return digits > 0 && digits >= letters && !year.test(cell);
}

const mostly = 0.6;
const nameLettersMax = 80;

function columnsOfFigures(rows: readonly (readonly string[])[]): number[] {
  const width = rows.reduce((widest, { length }) => Math.max(widest, length), 0);
  return Array.from({ length: width }, (_, column) => column).filter((column) => {
    const filled = rows.map((cells) => cells[column] ?? '').filter((cell) => cell !== '');
    return filled.length > 0 && filled.filter(isFigure).length >= filled.length * mostly;
  });
}

/** A first row names the columns, unless it has figures where the others have them, or is one of pairs of a name and a value. */
export function looksLikeHeader(first: readonly string[], rest: readonly (readonly string[])[]): boolean {
  if (rest.length === 0) return false;
  if (first.length === 2 && arePairs([first, ...rest])) return false;
  return !columnsOfFigures(rest).some((column) => isFigure(first[column] ?? ''));
}

const address = /@|^(?:https?:|www\.)/iu;

/** `Phone:` in the first column, or a second one with values of several kinds: a column holds values of one. */
function arePairs(rows: readonly (readonly string[])[]): boolean {
  if (rows.filter(([name = '']) => name.endsWith(':')).length > rows.length / 2) return true;
  const kinds = rows.map(([, value = '']) => (address.test(value) ? 'address' : isFigure(value) ? 'figure' : 'words'));
  const counts = [...Map.groupBy(kinds, (kind) => kind).values()].map(({ length }) => length);
  return counts.length > 2 || (counts.length > 1 && kinds.includes('address'));
}

/** Whether a row has only names, and one at least over a column of figures. */
export function namesFigures(first: readonly string[], rest: readonly (readonly string[])[]): boolean {
  if (first.some((cell) => isFigure(cell) || cell.length > nameLettersMax)) return false;
  return columnsOfFigures(rest).some((column) => (first[column] ?? '') !== '');
}
