import { type Block, limits, type ParsedFile, Refused, tooManyRows } from './parsed-file.ts';
import { type RowRead, rowsUnderHeaders } from './table-rows.ts';

/** Text in UTF-8 or, with a byte order mark, UTF-16. Anything else is read as Windows-1252, as old exports use. */
export function decodeText(file: Buffer): string {
  const mark = file.subarray(0, 2).toString('hex');
  if (mark === 'fffe' || mark === 'feff') return new TextDecoder(mark === 'fffe' ? 'utf-16le' : 'utf-16be').decode(file);
  if (file.includes(0)) throw new Refused('The file is not text.');
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(file);
  } catch {
    return new TextDecoder('windows-1252').decode(file);
  }
}

/** Plain text: blank lines separate paragraphs, and a short line directly above a paragraph is its heading. */
export function readPlain(file: Buffer): ParsedFile {
  return { blocks: plainBlocks(withLineFeeds(file)), pageCount: () => undefined };
}

/** Markdown: blank lines separate paragraphs, `#` lines are headings, `|` lines are table rows. */
export function readMarkdown(file: Buffer): ParsedFile {
  return { blocks: markdownBlocks(withLineFeeds(file)), pageCount: () => undefined };
}

const withLineFeeds = (file: Buffer) => decodeText(file).replace(/\r\n?/g, '\n');

function* plainBlocks(text: string): Generator<Block> {
  const paragraphs = text.split(/\n\s*\n/).map((paragraph) => paragraph.trim());
  for (const paragraph of paragraphs.filter(Boolean)) {
    const [first = '', ...rest] = paragraph.split('\n').map((line) => line.trim());
    if (!isHeading(first)) yield { kind: 'paragraph', text: paragraph };
    else {
      // A line on its own is a heading of the first level; one directly above a paragraph is of the second, and holds until the
      // next heading.
      yield { kind: 'heading', text: first, level: rest.length === 0 ? 1 : 2 };
      if (rest.length > 0) yield { kind: 'paragraph', text: rest.join('\n') };
    }
  }
}

const headingWordsMax = 6;
const headingLettersMax = 200;

/** A few words without a full stop at the end and without figures. */
function isHeading(line: string): boolean {
  if (line.length > headingLettersMax) return false;
  const words = line.split(/\s+/u);
  return words.length <= headingWordsMax && /^\p{L}/u.test(line) && !/[\d.!।॥,;:]/u.test(line);
}

function* markdownBlocks(text: string): Generator<Block> {
  for (const paragraph of text.split(/\n\s*\n|\n(?=#{1,6} )|(?<=^#{1,6} .*)\n/m)) {
    const heading = headingIn(paragraph.trim());
    if (heading) yield heading;
    else if (/^\s*\|.*\|\s*\n\s*\|[\s:|-]+\|/.test(paragraph)) yield* tableRows(paragraph);
    else if (paragraph.trim()) yield { kind: 'paragraph', text: plain(paragraph) };
  }
}

function headingIn(line: string): Block | undefined {
  const [, marks] = /^(#{1,6})\s/.exec(line) ?? [];
  if (!marks || line.includes('\n')) return undefined;
  let end = line.length;
  while (line[end - 1] === '#') end -= 1;
  const text = line.slice(marks.length, end).trim();
  return text === '' ? undefined : { kind: 'heading', text, level: marks.length };
}

function* tableRows(table: string): Generator<Block> {
  const cellsOf = (line: string) =>
    line
      .trim()
      .replace(/^\||\|$/g, '')
      .split('|')
      .map((cell) => plain(cell).trim());
  const [head = '', , ...lines] = table.trim().split('\n');
  for (const [index, line] of lines.entries()) yield { kind: 'row', header: cellsOf(head), cells: cellsOf(line), row: index + 1 };
}

/** Removes markup that should not be spoken. The search for a closing bracket ends at another opening one. */
const plain = (text: string) =>
  text
    .replace(/!?\[([^\][]*)\]\([^()]*\)/g, '$1')
    .replace(/(\*\*|__|`|~~)/g, '')
    .trim();

/** How much of a file is used to detect its delimiter. */
const charactersJudged = 20_000;

/** The first line that Excel writes to name the delimiter. */
const toldDelimiter = /^sep=(.)\r?\n/iu;

/** The rows of a CSV file, each with its header. The delimiter (comma, semicolon, tab or bar) is detected from the content. */
export function readCsv(file: Buffer): ParsedFile {
  const text = decodeText(file).replace(/^\ufeff/, '');
  const [line = '', told] = toldDelimiter.exec(text) ?? [];
  const isKnown = delimiters.some((one) => one === told);
  // Read all rows first, so that a file with too many is refused before it costs anything.
  const rows = [...csvRows(text.slice(isKnown ? line.length : 0), isKnown ? told : undefined)];
  return { blocks: rowsUnderHeaders(rows), pageCount: () => undefined };
}

function* csvRows(text: string, told: string | undefined): Generator<RowRead> {
  let row = 0;
  let filled = 0;
  for (const cells of rowsIn(text, told ?? delimiterOf(text))) {
    row += 1;
    if (cells.every((cell) => cell.trim() === '')) continue;
    if ((filled += 1) > limits.rows) throw new Refused(tooManyRows);
    yield { row, cells: cells.slice(0, limits.columns).map((cell) => cell.trim()) };
  }
}

const delimiters = [',', ';', '\t', '|'] as const;
const rowsJudged = 10;

/** The delimiter that splits the first rows into the most cells, most evenly; a comma if none does. */
function delimiterOf(text: string): string {
  const judged = text.slice(0, charactersJudged);
  let best = { delimiter: ',', unevenness: Number.POSITIVE_INFINITY, width: 1.99 };
  for (const delimiter of delimiters) {
    const widths = widthsOf(rowsIn(judged, delimiter));
    const width = widths.reduce((sum, each) => sum + each, 0) / widths.length;
    const unevenness = widths.reduce((sum, each, index) => sum + Math.abs(each - (widths[index - 1] ?? each)), 0);
    if (unevenness <= best.unevenness && width > best.width) best = { delimiter, unevenness, width };
  }
  return best.delimiter;
}

function widthsOf(rows: Iterable<readonly string[]>): number[] {
  const widths: number[] = [];
  let looked = 0;
  for (const cells of rows) {
    if ((looked += 1) > rowsJudged) break;
    if (cells.some((cell) => cell.trim() !== '')) widths.push(cells.length);
  }
  return widths;
}

/** CSV libraries take quadratic time for a line full of stray quotes. Here every character is read at most twice. */
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

interface TableCell {
  readonly text: string;
  readonly end: number;
}

/**
 * A cell up to the quote that is followed by a delimiter or the end of the line. A doubled quote stands for one, and a stray one
 * for itself.
 */
function quotedAt(text: string, start: number, afterQuote: RegExp): TableCell {
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

function matchAt(pattern: RegExp, text: string, at: number): TableCell {
  pattern.lastIndex = at;
  const found = pattern.exec(text)?.[0] ?? '';
  return { text: found, end: at + found.length };
}
