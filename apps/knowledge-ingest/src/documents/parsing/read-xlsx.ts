import path from 'node:path/posix';
import { attributeOf, GuardedZip, piecesOf } from './office-file.ts';
import { type Block, limits, type ParsedFile, Refused, tooManyRows } from './parsed-file.ts';

const workbookPart = 'xl/workbook.xml';

/** The rows of every sheet of a workbook, each with its sheet's header: the first row that has more than one cell. */
export function readXlsx(file: Buffer): ParsedFile {
  const zip = new GuardedZip(file);
  if (!zip.names.includes(workbookPart)) throw new Refused('The file is not an Excel workbook.');
  return { blocks: blocksOf(zip), pageCount: () => undefined };
}

function* blocksOf(zip: GuardedZip): Generator<Block> {
  const { sheets, ...values } = workbookIn(zip);
  let rows = 0;
  for (const { name: sheet, part } of sheets) {
    let header: string[] | undefined;
    for (const { row, cells } of rowsOf(zip.read(part), values)) {
      if ((rows += 1) > limits.rows) throw new Refused(tooManyRows);
      if (cells.every((cell) => cell === '')) continue;
      if (!header && cells.filter((cell) => cell !== '').length > 1) header = cells;
      else yield { kind: 'row', header: header ?? [], cells, row, sheet };
    }
    if (header && rows === 1) yield { kind: 'row', header: [], cells: header, row: 1, sheet };
  }
}

/** What the number in a cell is by its format: a figure, or a moment counted in days. */
type Format = 'figure' | 'day' | 'time' | 'moment';

/** What cells refer to. */
interface Values {
  readonly texts: readonly string[];
  /** By the number of a style. */
  readonly formats: readonly Format[];
  /** From when days are counted, in days before 1970. */
  readonly epochDays: number;
}

interface Sheet {
  readonly name: string;
  readonly part: string;
}

const epochDaysUsual = 25_569;
/** Of workbooks that were begun on an old Macintosh, whose days are counted from 1904. */
const epochDaysLater = 24_107;

function workbookIn(zip: GuardedZip): Values & { readonly sheets: readonly Sheet[] } {
  const parts = relatedParts(zip);
  const sheets: Sheet[] = [];
  let epochDays = epochDaysUsual;
  for (const piece of piecesOf(zip.read(workbookPart))) {
    if (piece.kind !== 'begin') continue;
    const { name, attributes } = piece;
    if (name === 'workbookPr' && isOn(attributeOf(attributes, 'date1904'))) epochDays = epochDaysLater;
    const part = name === 'sheet' ? parts.get(attributeOf(attributes, 'id') ?? '') : undefined;
    if (part && zip.names.includes(part)) sheets.push({ name: attributeOf(attributes, 'name') ?? 'Sheet', part });
  }
  return { sheets, epochDays, texts: sharedTexts(zip, parts.get('sharedStrings')), formats: formatsIn(zip, parts.get('styles')) };
}

/** The other parts of the file: sheets by the id that the workbook calls them by, the rest by what they are. */
function relatedParts(zip: GuardedZip): ReadonlyMap<string, string> {
  const relations = 'xl/_rels/workbook.xml.rels';
  const parts = new Map<string, string>();
  if (!zip.names.includes(relations)) return parts;
  for (const piece of piecesOf(zip.read(relations))) {
    if (piece.kind !== 'begin' || piece.name !== 'Relationship') continue;
    const [id, type = '', target = ''] = (['Id', 'Type', 'Target'] as const).map((name) => attributeOf(piece.attributes, name));
    const part = path.resolve('/xl', target).slice(1);
    if (id !== undefined) parts.set(id, part);
    parts.set(path.basename(type), part);
  }
  return parts;
}

/** Shared strings by number. Phonetic guides are left out. */
function sharedTexts(zip: GuardedZip, part: string | undefined): string[] {
  const texts: string[] = [];
  if (part === undefined || !zip.names.includes(part)) return texts;
  let text = '';
  let [isInText, isPronunciation] = [false, false];
  for (const piece of piecesOf(zip.read(part))) {
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

/** The format of each style of cells. */
function formatsIn(zip: GuardedZip, part: string | undefined): Format[] {
  const formats: Format[] = [];
  if (part === undefined || !zip.names.includes(part)) return formats;
  const own = new Map<number, string>();
  let isOfCells = false;
  for (const piece of piecesOf(zip.read(part))) {
    if (piece.kind === 'text') continue;
    if (piece.name === 'cellXfs') isOfCells = piece.kind === 'begin';
    if (piece.kind !== 'begin') continue;
    const id = Number(attributeOf(piece.attributes, 'numFmtId') ?? 0);
    if (piece.name === 'numFmt') own.set(id, attributeOf(piece.attributes, 'formatCode') ?? '');
    else if (piece.name === 'xf' && isOfCells) formats.push(formatOf(own.get(id) ?? builtInFormats.get(id) ?? ''));
  }
  return formats;
}

/** Those of moments, by the numbers that every program knows them by. */
const builtInFormats = new Map([
  ...[14, 15, 16, 17, 27, 28, 29, 30, 31, 34, 35, 36, 50, 51, 52, 53, 54, 55, 56, 57, 58].map((id) => [id, 'd'] as const),
  ...[18, 19, 20, 21, 32, 33].map((id) => [id, 'h'] as const),
  [22, 'd h'] as const,
]);

/** Quoted words, colours and escaped signs tell nothing. Hours that are counted beyond a day are an amount, and no time of day. */
function formatOf(code: string): Format {
  const [bare = ''] = code.replace(/"[^"]*"|\\.|_.|\[(?!h+\]|m+\]|s+\])[^\]]*\]/giu, '').split(';');
  if (/\[[hms]+\]/iu.test(bare)) return 'figure';
  const [hasDay, hasTime] = [/[dy]/iu.test(bare), /[hs]/iu.test(bare)];
  if (hasDay) return hasTime ? 'moment' : 'day';
  return hasTime ? 'time' : 'figure';
}

interface SheetRow {
  /** As the sheet counts it. */
  readonly row: number;
  readonly cells: string[];
}

interface OpenCell {
  readonly column: number;
  readonly type: string;
  readonly style: number;
  text: string;
}

/** The rows of a sheet. Formulas are read by their cached value, as last seen by a person; the formula itself is ignored. */
function* rowsOf(sheet: Buffer, values: Values): Generator<SheetRow> {
  let row = 0;
  let cells: string[] = [];
  let column = -1;
  let cell: OpenCell | undefined;
  let isInValue = false;
  for (const piece of piecesOf(sheet)) {
    if (piece.kind === 'text') {
      if (isInValue && cell) cell.text += piece.text;
    } else if (piece.name === 'row') {
      if (piece.kind === 'end') yield { row, cells };
      else [row, cells, column] = [wholeOf(attributeOf(piece.attributes, 'r')) ?? row + 1, [], -1];
    } else if (piece.name === 'c') {
      if (piece.kind === 'begin') {
        column = columnOf(attributeOf(piece.attributes, 'r')) ?? column + 1;
        const [type = 'n', style = '0'] = [attributeOf(piece.attributes, 't'), attributeOf(piece.attributes, 's')];
        cell = piece.isEmpty ? undefined : { column, type, style: Number(style), text: '' };
      } else if (cell && cell.column < limits.columns) put(cells, cell.column, shownText(cell, values).trim());
    } else if (piece.name === 'v' || piece.name === 't') isInValue = piece.kind === 'begin' && !piece.isEmpty;
  }
}

/** Cells that a sheet leaves out are empty. */
function put(cells: string[], column: number, text: string): void {
  while (cells.length < column) cells.push('');
  cells[column] = text;
}

function wholeOf(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,9}$/u.test(text) ? Number(text) : undefined;
}

/** `B7` is in the second column, which is 1. */
function columnOf(place: string | undefined): number | undefined {
  const [, letters] = /^([A-Z]{1,4})\d/u.exec(place ?? '') ?? [];
  if (letters === undefined) return undefined;
  let column = 0;
  for (const letter of letters) column = column * 26 + letter.charCodeAt(0) - 64;
  return column - 1;
}

/** A cell's text. A formula's error is no knowledge and becomes empty. */
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
        : numberInWords(Number(text), formats[style] ?? 'figure', epochDays);
  }
}

const dayMs = 86_400_000;
const minuteMs = 60_000;
const daysMax = 2_958_465;

function numberInWords(value: number, format: Format, epochDays: number): string {
  if (format === 'figure' || value < 0 || value > daysMax) return String(value);
  const ms = Math.round(((value - epochDays) * dayMs) / minuteMs) * minuteMs;
  const [day = '', time = ''] = new Date(ms).toISOString().slice(0, 'YYYY-MM-DDTHH:MM'.length).split('T');
  if (format === 'time') return value < 1 ? time : String(value);
  return format === 'day' || Number.isInteger(value) ? day : `${day} ${time}`;
}

function isOn(flag: string | undefined): boolean {
  return flag === '1' || flag === 'true';
}

/** Signs that XML cannot hold are written by their number. */
function unescaped(text: string): string {
  return text.replace(/_x([0-9A-F]{4})_/gu, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}
