import { Readable } from 'node:stream';
import { CsvError, type Parser, parse } from 'csv-parse';
import { z } from 'zod';
import { badFile } from './refuse-file';

/** One row of a CSV, by the line of the file on which it begins. */
export interface CsvRow {
  readonly line: number;
  readonly cells: readonly string[];
}

const recordCharactersMax = 16_384;
const delimiters = [',', ';', '\t'] as const;
const Parsed = z.object({ record: z.array(z.string()), info: z.object({ lines: z.int() }) });

/** The rows of a CSV text, header included. Empty lines do not count; a text that breaks off inside a quoted cell is refused. */
export async function* csvRows(text: AsyncIterable<string>): AsyncGenerator<CsvRow> {
  const pieces = text[Symbol.asyncIterator]();
  const head = await readHead(pieces);
  const parser = parse({
    delimiter: delimiterOf(head), info: true, relax_column_count: true, relax_quotes: true, skip_empty_lines: true, trim: true,
    max_record_size: recordCharactersMax,
  });
  const source = Readable.from(rejoined(head, pieces));
  source.on('error', (error) => parser.destroy(error));
  yield* parsedRows(source.pipe(parser));
}

async function* parsedRows(parser: Parser): AsyncGenerator<CsvRow> {
  try {
    for await (const parsed of parser) {
      const { record, info } = Parsed.parse(parsed);
      // The parser counts up to the end of a row; a quoted cell may hold some of these lines.
      const lineBreaks = record.reduce((count, cell) => count + (cell.match(/\r\n|\r|\n/g)?.length ?? 0), 0);
      yield { line: info.lines - lineBreaks, cells: record };
    }
  } catch (error) {
    throw error instanceof CsvError ? badFile(reasonOf(error)) : error;
  }
}

function reasonOf({ code, lines }: CsvError & { lines?: unknown }): string {
  if (code === 'CSV_QUOTE_NOT_CLOSED') return 'it ends inside a quoted cell, so part of it is missing';
  if (code === 'CSV_MAX_RECORD_SIZE') return `a row near line ${String(lines)} is longer than ${recordCharactersMax} characters`;
  return `line ${String(lines)} is no CSV`;
}

/** Enough text to see the whole header row. */
async function readHead(pieces: AsyncIterator<string>): Promise<string> {
  let head = '';
  while (!/\n|\r(?!$)/.test(head) && head.length < recordCharactersMax) {
    const { value, done } = await pieces.next();
    if (done) break;
    head += value;
  }
  return head;
}

async function* rejoined(head: string, pieces: AsyncIterator<string>): AsyncGenerator<string> {
  yield head;
  for (let next = await pieces.next(); !next.done; next = await pieces.next()) yield next.value;
}

/** What separates the names in the header, where no name holds a separator. */
function delimiterOf(head: string): string {
  const header = head.replace(/^[\r\n]+/, '').split(/[\r\n]/)[0] ?? '';
  const count = (delimiter: string) => header.split(delimiter).length;
  return delimiters.reduce((best, each) => (count(each) > count(best) ? each : best));
}
