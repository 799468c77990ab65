import Papa from 'papaparse';
import type { Block, ParsedFile } from './block.ts';
import { limits, tooManyRows } from './limits.ts';
import { Refused } from './refused.ts';
import { decodeText } from './read-text.ts';

/** The rows of a CSV file, each with the header. Comma, semicolon, tab and bar are told apart by the content. */
export function readCsv(file: Buffer): ParsedFile {
  const { data } = Papa.parse<string[]>(decodeText(file), { skipEmptyLines: 'greedy', delimitersToGuess: [',', ';', '\t', '|'] });
  if (data.length > limits.rows) throw new Refused(tooManyRows);
  return { blocks: rowsOf(data), pageCount: () => undefined };
}

function* rowsOf(rows: readonly (readonly string[])[]): Generator<Block> {
  const [header = [], ...rest] = rows;
  if (rest.length === 0) yield { kind: 'row', header: [], cells: trimmed(header), row: 1 };
  for (const [index, cells] of rest.entries())
    yield { kind: 'row', header: trimmed(header), cells: trimmed(cells), row: index + 2 };
}

const trimmed = (cells: readonly string[]) => cells.slice(0, limits.columns).map((cell) => cell.trim());
