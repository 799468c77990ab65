import Papa from 'papaparse';
import type { Block, ParsedFile } from './block.ts';
import { limits, tooManyRows } from './limits.ts';
import { Refused } from './refused.ts';
import { decodeText } from './read-text.ts';

/** So much of a file says by what its cells are parted. */
const charactersJudged = 20_000;

/** The rows of a CSV file, each with the header. Comma, semicolon, tab and bar are told apart by the content. */
export function readCsv(file: Buffer): ParsedFile {
  const text = decodeText(file).replace(/^\ufeff/, '');
  const rows: string[][] = [];
  for (const cells of rowsIn(text, delimiterOf(text))) {
    if (cells.every((cell) => cell.trim() === '')) continue;
    if (rows.push(cells) > limits.rows) throw new Refused(tooManyRows);
  }
  return { blocks: blocksOf(rows), pageCount: () => undefined };
}

function delimiterOf(text: string): string {
  const judged = text.slice(0, charactersJudged);
  return Papa.parse(judged, { preview: 20, skipEmptyLines: 'greedy', delimitersToGuess: [',', ';', '\t', '|'] }).meta.delimiter;
}

/** Papa Parse takes time by the square of a line of stray quotes. Here every character is looked at once or twice. */
function* rowsIn(text: string, delimiter: string): Generator<string[]> {
  const plain = new RegExp(`[^\\r\\n${delimiter}]*`, 'y');
  const afterQuote = new RegExp(` *(?=$|[\\r\\n${delimiter}])`, 'y');
  let cells: string[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const cell = text[at] === '"' ? quotedAt(text, at + 1, afterQuote) : matchAt(plain, text, at);
    cells.push(cell.text);
    at = cell.end;
    if (text[at] === delimiter && at < text.length - 1) continue;
    if (text[at] === '\r' && text[at + 1] === '\n') at += 1;
    yield cells;
    cells = [];
  }
}

interface Cell {
  readonly text: string;
  readonly end: number;
}

/** Up to the quote that a delimiter or the end of the line follows. Two quotes are one, and a stray one is a letter. */
function quotedAt(text: string, start: number, afterQuote: RegExp): Cell {
  const parts: string[] = [];
  for (let from = start; ;) {
    const quote = text.indexOf('"', from);
    if (quote < 0) return { text: parts.join('') + text.slice(from), end: text.length };
    afterQuote.lastIndex = quote + 1;
    const spaces = afterQuote.exec(text);
    if (spaces) return { text: parts.join('') + text.slice(from, quote), end: quote + 1 + spaces[0].length };
    parts.push(text.slice(from, quote + 1));
    from = text[quote + 1] === '"' ? quote + 2 : quote + 1;
  }
}

function matchAt(pattern: RegExp, text: string, at: number): Cell {
  pattern.lastIndex = at;
  const found = pattern.exec(text)?.[0] ?? '';
  return { text: found, end: at + found.length };
}

function* blocksOf(rows: readonly (readonly string[])[]): Generator<Block> {
  const [header = [], ...rest] = rows;
  if (rest.length === 0) yield { kind: 'row', header: [], cells: trimmed(header), row: 1 };
  for (const [index, cells] of rest.entries())
    yield { kind: 'row', header: trimmed(header), cells: trimmed(cells), row: index + 2 };
}

const trimmed = (cells: readonly string[]) => cells.slice(0, limits.columns).map((cell) => cell.trim());
