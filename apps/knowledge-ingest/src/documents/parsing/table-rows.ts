import type { Block } from './parsed-file.ts';

/** A row as found in a sheet or a CSV file. */
export interface RowRead {
  /** The sheet's row number: a missing number is an empty row. */
  readonly row: number;
  readonly cells: readonly string[];
  /** The formatting of its first cell, if known. */
  readonly style?: number;
  /** Whether one of its cells spans several columns. */
  readonly isSpanning?: boolean;
}

const rowsJudged = 6;

/**
 * The rows of a sheet, each with the header of its own table: a sheet may contain several, separated by empty rows or columns.
 */
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
  /** Whether a header may still follow: so far there were only titles. */
  private isLooking = true;
  /** The formatting of the header and of the rows below it. */
  private headerStyle: number | undefined;
  private rowStyle: number | undefined;
  private label = '';
  private lastRow: number | undefined;

  constructor(sheet: string | undefined) {
    this.sheet = sheet;
  }

  /** Takes one row, or the rows of a header, from the waiting ones. */
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
      this.header = below ? bothHeaders(first, below.cells, following.slice(1)) : first.cells;
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
    // Empty rows may also divide a single table, so the next row starts a new one only if it is clearly a header.
    const isSetAlike = first.style !== undefined && first.style === this.headerStyle && first.style !== this.rowStyle;
    const isSetAsRow = first.style !== undefined && first.style === this.rowStyle && first.style !== this.headerStyle;
    return isSetAlike || (!isSetAsRow && namesFigures(first.cells, rest));
  }

  /** A cell across all columns, or one formatted differently, describes the rows below it. */
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
      const section = this.label === '' ? {} : { section: this.label };
      if (!isEmpty(own)) yield { kind: 'row', header: names, cells: own, row, ...sheet, ...section };
    }
  }
}

const isEmpty = (cells: readonly string[]): boolean => cells.every((cell) => cell === '');

function adjacentTo(first: RowRead, waiting: readonly RowRead[]): RowRead[] {
  const end = waiting.findIndex(({ row }, place) => row !== first.row + place + 1);
  return waiting.slice(0, end < 0 ? waiting.length : end);
}

/** A second header line: units, or the subdivisions of a name over several columns. */
function secondHeader(first: RowRead, following: readonly RowRead[]): RowRead | undefined {
  const [second, ...others] = following;
  if (!second) return undefined;
  const rest = others.map(({ cells }) => cells);
  if (areUnits(second.cells, rest)) return second;
  const isDivided = (first.isSpanning === true || isGroupedOver(first.cells, second.cells)) && areNamesOver(second.cells, rest);
  return isDivided && rest.some((cells) => cells.some(isFigure)) ? second : undefined;
}

/** A row with nothing but units. Without brackets at least one must be above figures, since a unit may itself be a value. */
function areUnits(cells: readonly string[], rest: readonly (readonly string[])[]): boolean {
  const filled = cells.filter((cell) => cell !== '');
  if (filled.length === 0 || !filled.every((cell) => isUnit.test(cell))) return false;
  return filled.every((cell) => inBrackets.test(cell)) || columnsOfFigures(rest).some((column) => (cells[column] ?? '') !== '');
}

/**
 * Whether names span several columns without merged cells: each has empty cells beside it, and every column there is named below.
 */
function isGroupedOver(above: readonly string[], below: readonly string[]): boolean {
  const hasRoom = above.some((cell, column) => cell !== '' && above[column + 1] === '' && (below[column + 1] ?? '') !== '');
  const isNamedBelow = below.every((cell, column) => cell !== '' || (above[column] ?? '') !== '');
  if (!hasRoom || !isNamedBelow || above.some(isFigure)) return false;
  const [first = '', names] = [above[0], below.filter((cell) => cell !== '')];
  // If both rows begin with a word, the second is the first row of the table, unless names repeat.
  return first === '' || (below[0] ?? '') === '' || new Set(names).size < names.length;
}

/** The name of each column from both header rows. A name followed by empty cells also applies to their columns. */
function bothHeaders({ cells: above, isSpanning }: RowRead, below: readonly string[], rest: readonly RowRead[]): string[] {
  const isOfUnits = areUnits(
    below,
    rest.map(({ cells }) => cells),
  );
  const isGrouped = isSpanning !== true && isGroupedOver(above, below);
  let group = '';
  return Array.from({ length: Math.max(above.length, below.length) }, (_, column) => {
    const [own = '', more = ''] = [above[column], below[column]];
    if (own !== '') group = own;
    const name = own === '' && isGrouped ? group : own;
    const added = isOfUnits && more !== '' && !inBrackets.test(more) ? `(${more})` : more;
    return [...new Set([name, added])].filter(Boolean).join(' ');
  });
}

/** The column ranges of tables side by side in a sheet, separated by an empty column. */
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

const inBrackets = /^[([].{1,40}[)\]]$/u;

const currencyUnit = '₹|rs\\.?|inr|usd|aed|eur|gbp|us\\$|\\$|€|£|rupees|paise|lakh|रु\\.?|रुपये|रुपए|पैसे';
const amountUnit = [
  '%|k?g|gms?|mg|grams?|kgs|quintals?|tonn?es?|m?l|lit(?:re|er)s?|km|cm|mm|m|metres?|meters?|ft|feet|in|inch(?:es)?',
  'sq\\.? ?(?:ft|m)|cu\\.? ?(?:ft|m)|[kmgt]b(?:ps|/s)?|[kmg]bit/s|k?wh?|k?va|v|m?ah|hp|bhp|cc|rpm|psi|bar|[km]?hz|dpi|°[cf]|°',
  'किलो|किग्रा|ग्राम|ग्रॅम|लीटर|लिटर|मीटर|मिनट|मिनिटे|घंटे|तास|दिन|दिवस|महीने|महिने|साल|वर्षे|नग',
].join('|');
const countedUnit = '(?:(?:piece|day|week|month|year|hour|minute|second)s?|dozen|mins?|secs?|h|hrs?|yrs?|nos?\\.?|pcs?\\.?)';
/** Words that on their own are more likely column names. */
const counted = 'piece|person|head|adult|child|guest|unit|item|visit|session|class|night|page|room|seat';
const perUnit = `(?:(?:/|per|an?|प्रति|दर) ?)(?:${countedUnit}|${counted}|${amountUnit}|महीना|महिना|घंटा|व्यक्ति|व्यक्ती)`;

/** A unit below the name of a column: `(₹ per month)`, `kg`, `Mbps`, `₹/month`. */
export const isUnit = new RegExp(
  `^(?:[([].{1,40}[)\\]]|(?:in )?(?:${currencyUnit}|${amountUnit}|${countedUnit})(?: ?${perUnit})?|${perUnit})$`,
  'iu',
);

/** A size as the name of a price column: `250 g (₹)`, `1 kg`. */
const sizeInMoney = new RegExp(`^\\d.*\\((?:in )?(?:${currencyUnit})(?: ?${perUnit})?\\)$`, 'iu');
const size = new RegExp(`^\\d[\\d.,]* ?(?:${amountUnit}|${countedUnit})$`, 'iu');

/** A year can be a column name. */
const year = /^(?:19|20)\d\d(?:[-–/]\d\d(?:\d\d)?)?$/u;

/** Whether a cell consists more of digits than of words: a price, a time, a telephone number. */
export function isFigure(cell: string): boolean {
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

/**
 * Whether a first row names the columns: not if it has figures where the others have them, nor if the rows are pairs of a name
 * and a value.
 */
export function looksLikeHeader(first: readonly string[], rest: readonly (readonly string[])[]): boolean {
  if (rest.length === 0) return false;
  if (first.length === 2 && arePairs([first, ...rest])) return false;
  return !columnsOfFigures(rest).some((column) => isValueOver(first, column, rest));
}

function isValueOver(first: readonly string[], column: number, rest: readonly (readonly string[])[]): boolean {
  const [cell = '', below] = [first[column], rest.map((cells) => cells[column] ?? '')];
  return isFigure(cell) && !namesAs(sizeInMoney, cell, below);
}

/** Whether a cell contains a figure of a form that no cell below it has, and so names them. */
function namesAs(form: RegExp, cell: string, below: readonly string[]): boolean {
  return form.test(cell) && !below.some((one) => form.test(one));
}

/** Whether no cell of a row is a value, judged by the rows below it. */
function areNamesOver(cells: readonly string[], rest: readonly (readonly string[])[]): boolean {
  return cells.every((cell, column) => {
    const below = rest.map((row) => row[column] ?? '');
    return !isFigure(cell) || namesAs(sizeInMoney, cell, below) || namesAs(size, cell, below);
  });
}

const address = /@|^(?:https?:|www\.)/iu;

/**
 * Whether rows are pairs: names with a colon, as in `Phone:`, or a second column with several kinds of values, since a table
 * column has one kind.
 */
function arePairs(rows: readonly (readonly string[])[]): boolean {
  if (rows.filter(([name = '']) => name.endsWith(':')).length > rows.length / 2) return true;
  const kinds = rows.map(([, value = '']) => (address.test(value) ? 'address' : isFigure(value) ? 'figure' : 'words'));
  const counts = [...Map.groupBy(kinds, (kind) => kind).values()].map(({ length }) => length);
  return counts.length > 2 || (counts.length > 1 && kinds.includes('address'));
}

/** Whether a row has only names, at least one of them above a column of figures. */
export function namesFigures(first: readonly string[], rest: readonly (readonly string[])[]): boolean {
  if (first.some((cell, column) => isValueOver(first, column, rest) || cell.length > nameLettersMax)) return false;
  return columnsOfFigures(rest).some((column) => (first[column] ?? '') !== '');
}
