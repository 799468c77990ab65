import { Readable } from 'node:stream';
import ExcelJs from 'exceljs';
import { type Block, limits, type ParsedFile, Refused, tooManyRows } from './parsed-file.ts';
import { GuardedZip } from './zip-guard.ts';

/** The rows of every sheet of a workbook, each with its sheet's header: the first row that has more than one cell. */
export function readXlsx(file: Buffer): ParsedFile {
  const zip = new GuardedZip(file);
  if (!zip.names.includes('xl/workbook.xml')) throw new Refused('The file is not an Excel workbook.');
  zip.verify();
  return { blocks: sheetsOf(file, namesIn(zip.read('xl/workbook.xml').toString('utf8'))), pageCount: () => undefined };
}

interface NamedSheet {
  readonly name: string;
  readonly id: string;
  readonly rId: string;
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function namesIn(workbook: string): NamedSheet[] {
  return [...workbook.matchAll(/<sheet\s[^>]*>/gu)].map(([sheet]) => {
    const of = (attribute: string) => new RegExp(`\\s${attribute}="([^"]*)"`, 'u').exec(sheet)?.[1] ?? '';
    return { name: of('name').replace(/&(\w+);/gu, (_, entity) => entities[entity] ?? ''), id: of('sheetId'), rId: of('r:id') };
  });
}

async function* sheetsOf(file: Buffer, sheets: readonly NamedSheet[]): AsyncGenerator<Block> {
  const workbook = new ExcelJs.stream.xlsx.WorkbookReader(Readable.from([file]), {
    ...{ worksheets: 'emit', sharedStrings: 'cache', styles: 'ignore', hyperlinks: 'ignore', entries: 'ignore' },
  });
  // The reader looks for the names of sheets in what may stand behind them in the file.
  Object.assign(workbook, { model: { sheets } });
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
