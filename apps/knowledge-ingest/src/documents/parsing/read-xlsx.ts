import path from 'node:path/posix';
import { attributeOf, GuardedZip, piecesOf } from './office-file.ts';
import { type Block, limits, type ParsedFile, Refused, tooManyRows, storable, type WorkBudget } from './parsed-file.ts';
import { type RowRead, rowsUnderHeaders } from './table-rows.ts';

const workbookPart = 'xl/workbook.xml';

/** The rows of every visible sheet, each with the header of its table, with values as displayed. */
export function readXlsx(file: Buffer): ParsedFile {
  const zip = new GuardedZip(file);
  if (!zip.names.includes(workbookPart)) throw new Refused('The file is not an Excel workbook.');
  return { blocks: blocksOf(zip), pageCount: () => undefined };
}

function* blocksOf(zip: GuardedZip): Generator<Block> {
  const { sheets, ...values } = workbookIn(zip);
  const count = { rows: 0 };
  for (const { name, part } of sheets)
    yield* rowsUnderHeaders(counted(rowsOf(zip.read(part), { ...values, budget: zip.budget }), count), name);
}

function* counted(rows: Iterable<RowRead>, count: { rows: number }): Generator<RowRead> {
  for (const row of rows) {
    if ((count.rows += 1) > limits.rows) throw new Refused(tooManyRows);
    yield row;
  }
}

/** How a format shows a number: as a figure with surrounding text, or as a time counted in days. */
type Format = Figure | { readonly kind: 'day' | 'time' | 'moment' };

interface Figure {
  readonly kind: 'figure';
  /** By the sign of the number, if the format distinguishes it. */
  readonly positive: NumberFormat | undefined;
  readonly negative: NumberFormat | undefined;
}

interface NumberFormat {
  readonly before: string;
  readonly after: string;
  readonly decimals: number;
  /** The minimum number of digits, as in postal codes. */
  readonly digitsMin: number;
  /** 100 for per cent, a thousandth for a format in thousands. */
  readonly factor: number;
}

/** The data that cells refer to. */
interface Values {
  readonly texts: readonly string[];
  /** By style number. */
  readonly formats: readonly Format[];
  /** The start of the day count, in days before 1970. */
  readonly epochDays: number;
}

interface Sheet {
  readonly name: string;
  readonly part: string;
}

const epochDaysUsual = 25_569;
/** For workbooks created on an old Macintosh, which count days from 1904. */
const epochDaysLater = 24_107;

function workbookIn(zip: GuardedZip): Values & { readonly sheets: readonly Sheet[] } {
  const parts = relatedParts(zip);
  const sheets: Sheet[] = [];
  let epochDays = epochDaysUsual;
  for (const piece of piecesOf(zip.read(workbookPart), zip.budget)) {
    if (piece.kind !== 'begin') continue;
    const { name, attributes } = piece;
    if (name === 'workbookPr' && isOn(attributeOf(attributes, 'date1904'))) epochDays = epochDaysLater;
    const isShown = name === 'sheet' && (attributeOf(attributes, 'state') ?? 'visible') === 'visible';
    const part = isShown ? parts.get(attributeOf(attributes, 'id') ?? '') : undefined;
    if (part && zip.names.includes(part)) sheets.push({ name: attributeOf(attributes, 'name') ?? 'Sheet', part });
  }
  return { sheets, epochDays, texts: sharedTexts(zip, parts.get('sharedStrings')), formats: formatsIn(zip, parts.get('styles')) };
}

/** The other parts of the file: sheets by the id used in the workbook, the rest by their type. */
function relatedParts(zip: GuardedZip): ReadonlyMap<string, string> {
  const relations = 'xl/_rels/workbook.xml.rels';
  const parts = new Map<string, string>();
  if (!zip.names.includes(relations)) return parts;
  for (const piece of piecesOf(zip.read(relations), zip.budget)) {
    if (piece.kind !== 'begin' || piece.name !== 'Relationship') continue;
    const [id, type = '', target = ''] = (['Id', 'Type', 'Target'] as const).map((name) => attributeOf(piece.attributes, name));
    const part = path.resolve('/xl', target).slice(1);
    if (id !== undefined) parts.set(id, part);
    parts.set(path.basename(type), part);
  }
  return parts;
}

/** Shared strings by number, without phonetic guides. */
function sharedTexts(zip: GuardedZip, part: string | undefined): string[] {
  const texts: string[] = [];
  if (part === undefined || !zip.names.includes(part)) return texts;
  let text = '';
  let [isInText, isPronunciation] = [false, false];
  for (const piece of piecesOf(zip.read(part), zip.budget)) {
    if (piece.kind === 'text') text += isInText && !isPronunciation ? piece.text : '';
    else if (piece.name === 't') isInText = piece.kind === 'begin' && !piece.isEmpty;
    else if (piece.name === 'rPh') isPronunciation = piece.kind === 'begin' && !piece.isEmpty;
    else if (piece.name === 'si' && (piece.kind === 'end' || piece.isEmpty)) {
      texts.push(unescaped(text));
      text = '';
    }
  }
  return texts;
}

/** The format of each cell style. */
function formatsIn(zip: GuardedZip, part: string | undefined): Format[] {
  const formats: Format[] = [];
  if (part === undefined || !zip.names.includes(part)) return formats;
  const own = new Map<number, string>();
  let isOfCells = false;
  for (const piece of piecesOf(zip.read(part), zip.budget)) {
    if (piece.kind === 'text') continue;
    if (piece.name === 'cellXfs') isOfCells = piece.kind === 'begin';
    if (piece.kind !== 'begin') continue;
    const id = Number(attributeOf(piece.attributes, 'numFmtId') ?? 0);
    if (piece.name === 'numFmt') own.set(id, attributeOf(piece.attributes, 'formatCode') ?? '');
    else if (piece.name === 'xf' && isOfCells) formats.push(formatOf(own.get(id) ?? builtInFormats.get(id) ?? ''));
  }
  return formats;
}

/** Predefined formats by number, without those for money, which differ by country. */
const builtInFormats = new Map([
  ...([
    [1, '0'],
    [2, '0.00'],
    [3, '#,##0'],
    [4, '#,##0.00'],
    [9, '0%'],
    [10, '0.00%'],
  ] as const),
  ...[14, 15, 16, 17, 27, 28, 29, 30, 31, 34, 35, 36, 50, 51, 52, 53, 54, 55, 56, 57, 58].map((id) => [id, 'd'] as const),
  ...[18, 19, 20, 21, 32, 33].map((id) => [id, 'h'] as const),
  [22, 'd h'] as const,
]);

/** What Excel accepts; a longer one would be spelled out in every cell that has it. */
const formatLengthMax = 255;

/** Hours counted beyond a day are a duration, not a time of day. */
function formatOf(code: string): Format {
  const [first = '', second] = code.length > formatLengthMax ? [] : sectionsOf(code);
  const bare = first.replace(/"[^"]*"|\\.|_.|\[(?!h+\]|m+\]|s+\])[^\]]*\]/giu, '');
  const [hasDay, hasTime] = [/[dy]/iu.test(bare), /[hs]/iu.test(bare)];
  const isAmount = /\[[hms]+\]/iu.test(bare) || !(hasDay || hasTime) || /general|standard/iu.test(bare);
  if (isAmount)
    return {
      kind: 'figure',
      positive: numberFormatOf(first),
      negative: second === undefined ? undefined : numberFormatOf(second),
    };
  return { kind: hasDay ? (hasTime ? 'moment' : 'day') : 'time' };
}

/** A format may have separate sections for positive numbers, negative numbers and zero. */
function sectionsOf(code: string): string[] {
  return code.match(/(?:"[^"]*"|\\.|[^;"\\])+/gu) ?? [];
}

const tokenOfFormat = /"([^"]*)"|\\(.)|\[\$([^\]-]*)[^\]]*\]|\[[^\]]*\]|[_*].|([\s\S])/gu;

/** Undefined for formats that add nothing, and for fractions and powers. */
function numberFormatOf(section: string): NumberFormat | undefined {
  const shown = { before: '', after: '', digits: '' };
  let percent = false;
  for (const [, quoted, escaped, currency, sign] of section.matchAll(tokenOfFormat)) {
    const literal = quoted ?? escaped ?? currency;
    if (sign !== undefined && /[#0?.,]/u.test(sign)) shown.digits += sign;
    else if (sign !== undefined && /[a-z@/]/iu.test(sign)) return undefined;
    else {
      percent ||= sign === '%';
      shown[shown.digits === '' ? 'before' : 'after'] += literal ?? sign ?? '';
    }
  }
  if (shown.digits === '') return undefined;
  const [, whole = '', decimals = '', thousands = ''] = /^([^.]*?)(?:\.([0#?]*))?(,*)$/u.exec(shown.digits) ?? [];
  const isCode = /^0{2,}$/u.test(whole);
  return {
    ...{ before: shown.before.trimStart(), after: shown.after.trimEnd(), decimals: decimals.length },
    ...{ digitsMin: isCode ? whole.length : 1, factor: (percent ? 100 : 1) / 1000 ** thousands.length },
  };
}

/** The area of a merged cell. The text is in its first cell. */
interface Merged {
  readonly top: number;
  readonly bottom: number;
  readonly left: number;
  readonly right: number;
}

const mergedAtOnce = 200;

/** The merged cells of a sheet by their first row. The file lists them after its rows. */
function mergedIn(sheet: Buffer, budget: WorkBudget): ReadonlyMap<number, readonly Merged[]> {
  const start = sheet.lastIndexOf('mergeCells', sheet.lastIndexOf('mergeCells') - 1);
  const merged: Merged[] = [];
  if (start < 0) return new Map();
  for (const piece of piecesOf(sheet.subarray(sheet.lastIndexOf('<', start)), budget)) {
    if (piece.kind !== 'begin' || piece.name !== 'mergeCell') continue;
    const [from, to] = (attributeOf(piece.attributes, 'ref') ?? '').split(':');
    const [left, right, top, bottom] = [columnOf(from), columnOf(to), rowIn(from), rowIn(to)];
    if (left === undefined || right === undefined || top === undefined || bottom === undefined) continue;
    merged.push({ top, bottom, left, right: Math.min(right, limits.columns - 1) });
  }
  return Map.groupBy(merged, ({ top }) => top);
}

const rowIn = (place: string | undefined): number | undefined => wholeOf(/\d{1,9}$/u.exec(place ?? '')?.[0]);

/** Gives every cell in a merged area its text, which applies to all rows and columns that it spans. */
class MergedCells {
  private readonly byTop: ReadonlyMap<number, readonly Merged[]>;
  private open: { readonly area: Merged; readonly text: string }[] = [];
  private readonly budget: WorkBudget;

  constructor(sheet: Buffer, budget: WorkBudget) {
    this.byTop = mergedIn(sheet, budget);
    this.budget = budget;
  }

  /** Fills in a row; returns whether one of its own cells spans several columns. */
  fill(row: number, cells: string[]): boolean {
    this.open = this.open.filter(({ area }) => area.bottom >= row);
    for (const { area, text } of this.open) this.fillAcross(cells, area, text);
    const begun = this.byTop.get(row) ?? [];
    const isAlone = cells.filter((cell) => cell !== '').length === 1;
    for (const area of begun.slice(0, mergedAtOnce)) {
      const text = cells[area.left] ?? '';
      if (text === '') continue;
      // A cell across a whole row is a title, not a value of each column.
      if (!isAlone) this.fillAcross(cells, area, text);
      if (area.bottom > row && this.open.length < mergedAtOnce) this.open.push({ area, text });
    }
    return begun.some(({ left, right }) => right > left);
  }

  private fillAcross(cells: string[], { left, right }: Merged, text: string): void {
    this.budget.spend(Math.max(1, right - left));
    for (let column = left; column <= right; column += 1) if ((cells[column] ?? '') === '') put(cells, column, text);
  }
}

interface OpenCell {
  readonly column: number;
  readonly type: string;
  readonly style: number;
  text: string;
}

/** The rows of a sheet. Formulas are read by their cached value, as last displayed; the formula itself is ignored. */
function* rowsOf(sheet: Buffer, { budget, ...values }: Values & { readonly budget: WorkBudget }): Generator<RowRead> {
  const merged = new MergedCells(sheet, budget);
  const hidden = new Set<number>();
  let row = 0;
  let cells: string[] = [];
  let styleOfRow: number | undefined;
  let column = -1;
  let cell: OpenCell | undefined;
  let isInValue = false;
  for (const piece of piecesOf(sheet, budget)) {
    if (piece.kind === 'text') {
      if (isInValue && cell) cell.text += piece.text;
    } else if (piece.name === 'row') {
      if (piece.kind === 'end')
        yield { row, cells, isSpanning: merged.fill(row, cells), ...(styleOfRow !== undefined && { style: styleOfRow }) };
      else [row, cells, column, styleOfRow] = [wholeOf(attributeOf(piece.attributes, 'r')) ?? row + 1, [], -1, undefined];
    } else if (piece.name === 'c') {
      if (piece.kind === 'begin') {
        column = columnOf(attributeOf(piece.attributes, 'r')) ?? column + 1;
        const [type = 'n', style = '0'] = [attributeOf(piece.attributes, 't'), attributeOf(piece.attributes, 's')];
        cell = piece.isEmpty ? undefined : { column, type, style: Number(style), text: '' };
      } else if (cell && cell.column < limits.columns && !hidden.has(cell.column)) {
        put(cells, cell.column, shownText(cell, values).trim());
        styleOfRow ??= cell.style;
      }
    } else if (piece.name === 'v' || piece.name === 't') isInValue = piece.kind === 'begin' && !piece.isEmpty;
    else if (piece.name === 'col' && piece.kind === 'begin') hideColumns(hidden, piece.attributes);
  }
}

function hideColumns(hidden: Set<number>, attributes: string): void {
  if (!isOn(attributeOf(attributes, 'hidden'))) return;
  const [first = 1, last = first] = [wholeOf(attributeOf(attributes, 'min')), wholeOf(attributeOf(attributes, 'max'))];
  for (let column = first; column <= Math.min(last, limits.columns); column += 1) hidden.add(column - 1);
}

/** Cells missing from the sheet are empty. */
function put(cells: string[], column: number, text: string): void {
  while (cells.length < column) cells.push('');
  cells[column] = text;
}

function wholeOf(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,9}$/u.test(text) ? Number(text) : undefined;
}

/** The column of `B7` is 1. */
function columnOf(place: string | undefined): number | undefined {
  const [, letters] = /^([A-Z]{1,4})\d/u.exec(place ?? '') ?? [];
  if (letters === undefined) return undefined;
  let column = 0;
  for (const letter of letters) column = column * 26 + letter.charCodeAt(0) - 64;
  return column - 1;
}

/** A cell's displayed text. An error value of a formula becomes empty. */
function shownText({ type, style, text }: OpenCell, { texts, formats, epochDays }: Values): string {
  switch (type) {
    case 's':
      return texts[Number(text)] ?? '';
    case 'b':
      return text === '' ? '' : String(isOn(text));
    case 'd':
      return text.slice(0, 'YYYY-MM-DD'.length);
    case 'e':
      return '';
    case 'str':
    case 'inlineStr':
      return unescaped(text);
    default:
      return text === '' || Number.isNaN(Number(text))
        ? text
        : numberInWords(Number(text), formats[style] ?? plainFigure, epochDays);
  }
}

const plainFigure: Format = { kind: 'figure', positive: undefined, negative: undefined };
const dayMs = 86_400_000;
const minuteMs = 60_000;
const daysMax = 2_958_465;

function numberInWords(value: number, format: Format, epochDays: number): string {
  if (format.kind === 'figure') return figureInWords(value, format);
  if (value < 0 || value > daysMax) return String(value);
  const ms = Math.round(((value - epochDays) * dayMs) / minuteMs) * minuteMs;
  const [day = '', time = ''] = new Date(ms).toISOString().slice(0, 'YYYY-MM-DDTHH:MM'.length).split('T');
  if (format.kind === 'time') return value < 1 ? time : String(value);
  return format.kind === 'day' || Number.isInteger(value) ? day : `${day} ${time}`;
}

/** Further digits of a number are rounding errors of the computation. */
const digitsShown = 15;
const shownMax = 1e15;

/**
 * A number with its currency, unit and per cent sign, rounded as displayed. Digits are not grouped, because people search for
 * them ungrouped.
 */
function figureInWords(value: number, { positive, negative }: Figure): string {
  const plain = String(Number(value.toPrecision(digitsShown)));
  const isSigned = value < 0 && negative !== undefined;
  const shown = isSigned ? negative : positive;
  if (!shown || Math.abs(value) >= shownMax) return plain;
  const { before, after, decimals, digitsMin, factor } = shown;
  const rounded = String(Number((Math.abs(value) * factor).toFixed(Math.min(decimals, digitsShown))));
  const sign = value < 0 && !isSigned && Number(rounded) !== 0 ? '-' : '';
  return `${sign}${before}${rounded.padStart(digitsMin, '0')}${after}`;
}

function isOn(flag: string | undefined): boolean {
  return flag === '1' || flag === 'true';
}

/** Decodes characters that XML cannot contain, which are written by number. */
function unescaped(text: string): string {
  return storable(text.replace(/_x([0-9A-F]{4})_/gu, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16))));
}
