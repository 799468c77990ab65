import { Readable } from 'node:stream';
import { inflateRawSync } from 'node:zlib';
import ExcelJs from 'exceljs';
import { type Block, limits, type ParsedFile, Refused, tooManyRows } from './parsed-file.ts';

const tag = /<(\/?)w:(p|t|tab|br|tr|tc|tbl|pStyle)(?=[\s/>])([^<>]*?)(\/?)>|<[^<>]*>|([^<]+)/g;
const named: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

const decoded = (text: string) =>
  text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(amp|lt|gt|quot|apos));/gi, (whole, decimal, hexadecimal, name) => {
    if (name) return named[String(name).toLowerCase()] ?? whole;
    const point = decimal ? Number(decimal) : Number.parseInt(String(hexadecimal), 16);
    return point <= 0x10ffff ? String.fromCodePoint(point) : whole;
  });

/** The text of a Word file: headings by their style, table rows with the first row as header. */
export function readDocx(file: Buffer): ParsedFile {
  const zip = new GuardedZip(file);
  if (!zip.names.includes('word/document.xml')) throw new Refused('The file is not a Word document.');
  return { blocks: new DocumentReader().blocks(zip.read('word/document.xml').toString('utf8')), pageCount: () => undefined };
}

class DocumentReader {
  private text = '';
  private level = 0;
  private isInText = false;
  private tableDepth = 0;
  private header: string[] | undefined;
  private cells: string[] = [];
  private cell: string[] = [];
  private row = 0;

  *blocks(xml: string): Generator<Block> {
    for (const [, closing, name, attributes = '', selfClosing, text] of xml.matchAll(tag)) {
      if (text !== undefined) this.text += this.isInText ? decoded(text) : '';
      else if (name === 't') this.isInText = !closing && !selfClosing;
      else if (name === 'tab' || name === 'br') this.text += ' ';
      else if (name === 'pStyle') this.level = Number(/w:val="(?:Heading|heading )(\d)"/.exec(attributes)?.[1] ?? 0);
      else if (name === 'tbl') this.table(closing === '/');
      else if (name && closing) yield* this.end(name);
    }
  }

  private table(isEnd: boolean): void {
    this.tableDepth += isEnd ? -1 : 1;
    if (this.tableDepth === 1 && !isEnd) [this.header, this.row] = [undefined, 0];
  }

  private *end(name: string): Generator<Block> {
    if (name === 'p') yield* this.paragraph();
    if (name === 'tc' && this.tableDepth === 1) {
      this.cells.push(this.cell.join(' '));
      this.cell = [];
    }
    if (name !== 'tr' || this.tableDepth !== 1) return;
    this.row += 1;
    if (!this.header) this.header = this.cells;
    else yield { kind: 'row', header: this.header, cells: this.cells, row: this.row };
    this.cells = [];
  }

  private *paragraph(): Generator<Block> {
    const [text, level] = [this.text.trim(), this.level];
    [this.text, this.level] = ['', 0];
    if (text === '') return;
    if (this.tableDepth > 0) this.cell.push(text);
    else yield level > 0 ? { kind: 'heading', text, level } : { kind: 'paragraph', text };
  }
}

/** The rows of every sheet of a workbook, each with its sheet's header: the first row that has more than one cell. */
export function readXlsx(file: Buffer): ParsedFile {
  const zip = new GuardedZip(file);
  if (!zip.names.includes('xl/workbook.xml')) throw new Refused('The file is not an Excel workbook.');
  zip.verify();
  return { blocks: sheetsOf(file), pageCount: () => undefined };
}

async function* sheetsOf(file: Buffer): AsyncGenerator<Block> {
  const workbook = new ExcelJs.stream.xlsx.WorkbookReader(Readable.from([file]), {
    ...{ worksheets: 'emit', sharedStrings: 'cache', styles: 'ignore', hyperlinks: 'ignore', entries: 'ignore' },
  });
  let rows = 0;
  for await (const sheet of workbook) {
    const sheetName = 'name' in sheet && typeof sheet.name === 'string' ? sheet.name : 'Sheet';
    let header: string[] | undefined;
    for await (const row of sheet) {
      if ((rows += 1) > limits.rows) throw new Refused(tooManyRows);
      const cells = cellsOf(row);
      if (cells.every((cell) => cell === '')) continue;
      if (!header && cells.filter((cell) => cell !== '').length > 1) header = cells;
      else yield { kind: 'row', header: header ?? [], cells, row: row.number, sheet: sheetName };
    }
    if (header && rows === 1) yield { kind: 'row', header: [], cells: header, row: 1, sheet: sheetName };
  }
}

function cellsOf(row: ExcelJs.Row): string[] {
  const cells: string[] = [];
  for (let column = 1; column <= Math.min(row.cellCount, limits.columns); column += 1)
    cells.push(textOf(row.getCell(column).value).trim());
  return cells;
}

function textOf(value: ExcelJs.CellValue): string {
  if (value === null || value === undefined) return '';
  if (value instanceof Date) return value.toISOString().slice(0, 10);
  if (typeof value !== 'object') return String(value);
  if ('richText' in value) return value.richText.map(({ text }) => text).join('');
  if ('result' in value) return textOf(value.result);
  return 'text' in value ? textOf(value.text) : '';
}

interface ZipEntry {
  readonly name: string;
  readonly method: number;
  readonly compressedBytes: number;
  readonly bytes: number;
  readonly offset: number;
}

const endSignature = 0x06054b50;
const entrySignature = 0x02014b50;
const localSignature = 0x04034b50;
const descriptorBytesMax = 24;
const damaged = 'The file is damaged.';
const tooLarge = 'The file unpacks to more than 256 MB.';

/** Every entry of a zip file, inflated once with the bytes counted: what a directory declares may be a lie. */
class GuardedZip {
  readonly names: readonly string[];
  private readonly file: Buffer;
  private readonly entries: Map<string, ZipEntry>;

  constructor(file: Buffer) {
    this.file = file;
    const directory = readDirectory(file);
    this.entries = new Map(directory.map((entry) => [entry.name, entry]));
    this.names = [...this.entries.keys()];
    if (this.entries.size < directory.length) throw new Refused(damaged);
  }

  /** Inflates everything and keeps nothing, for readers that unpack by themselves. */
  verify(): void {
    let bytes = 0;
    for (const name of this.names) {
      bytes += this.read(name).length;
      if (bytes > limits.zipBytes) throw new Refused(tooLarge);
    }
  }

  read(name: string): Buffer {
    const entry = this.entries.get(name);
    if (!entry) throw new Refused(damaged);
    const start = dataStart(this.file, entry);
    const data = this.file.subarray(start, start + entry.compressedBytes);
    if (entry.method === 0) return data;
    try {
      return inflateRawSync(data, { maxOutputLength: limits.zipEntryBytes });
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined;
      throw new Refused(code === 'ERR_BUFFER_TOO_LARGE' ? tooLarge : damaged, { cause: error });
    }
  }
}

function readDirectory(file: Buffer): ZipEntry[] {
  const end = file.lastIndexOf(Buffer.from([0x50, 0x4b, 0x05, 0x06]));
  if (end < 0 || end + 22 > file.length || file.readUInt32LE(end) !== endSignature) throw new Refused(damaged);
  const count = file.readUInt16LE(end + 10);
  const start = file.readUInt32LE(end + 16);
  if (count > limits.zipEntries) throw new Refused('The file has too many parts.');
  const entries: ZipEntry[] = [];
  let at = start;
  for (let index = 0; index < count; index += 1) {
    if (at + 46 > file.length || file.readUInt32LE(at) !== entrySignature) throw new Refused(damaged);
    entries.push(readEntry(file, at));
    at += 46 + file.readUInt16LE(at + 28) + file.readUInt16LE(at + 30) + file.readUInt16LE(at + 32);
  }
  requireHonest(file, entries, start);
  return entries;
}

function readEntry(file: Buffer, at: number): ZipEntry {
  if ((file.readUInt16LE(at + 8) & 1) === 1) throw new Refused('The file is protected by a password.');
  const method = file.readUInt16LE(at + 10);
  if (method !== 0 && method !== 8) throw new Refused(damaged);
  return {
    name: file.toString('utf8', at + 46, at + 46 + file.readUInt16LE(at + 28)),
    method,
    compressedBytes: file.readUInt32LE(at + 20),
    bytes: file.readUInt32LE(at + 24),
    offset: file.readUInt32LE(at + 42),
  };
}

/** Entries follow one another without room for one that the directory does not name: some readers would unpack it. */
function requireHonest(file: Buffer, entries: readonly ZipEntry[], directoryStart: number): void {
  const declared = entries.reduce((sum, { bytes }) => sum + bytes, 0);
  if (declared > limits.zipBytes) throw new Refused(tooLarge);
  let free = 0;
  for (const entry of entries.toSorted((a, b) => a.offset - b.offset)) {
    if (entry.offset < free || entry.offset > free + descriptorBytesMax) throw new Refused(damaged);
    free = dataStart(file, entry) + entry.compressedBytes;
  }
  if (free > directoryStart || directoryStart > free + descriptorBytesMax) throw new Refused(damaged);
}

function dataStart(file: Buffer, { offset }: ZipEntry): number {
  if (offset + 30 > file.length || file.readUInt32LE(offset) !== localSignature) throw new Refused(damaged);
  return offset + 30 + file.readUInt16LE(offset + 26) + file.readUInt16LE(offset + 28);
}
