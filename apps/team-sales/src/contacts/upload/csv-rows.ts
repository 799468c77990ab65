import { setImmediate as others } from 'node:timers/promises';
import { Fault } from '@parley/contracts';

/** One row of a CSV, with the line of the file on which it begins. */
export interface CsvRow {
  readonly line: number;
  readonly cells: readonly string[];
}

export const csvColumnsMax = 1_000;
const rowCharactersMax = 16_384;

/**
 * Reading takes time, so after this many characters other work gets its turn, such as heartbeats. For its number a row counts as
 * a thousand characters, and a cell as twenty.
 */
const lettersInARow = 100_000;
const lettersOfRow = 1_000;
const lettersOfCell = 20;
const lettersAtOnce = 65_536;

const delimiters = [',', ';', '\t'] as const;

/**
 * The rows of a CSV text, including the header. Empty lines and Excel's first line `sep=;` are skipped; a text that ends inside a
 * quoted cell is refused.
 */
export async function* csvRows(text: AsyncIterable<string>): AsyncGenerator<CsvRow> {
  const pieces = text[Symbol.asyncIterator]();
  let letters = 0;
  const rest = async (more: number) => {
    letters += more;
    if (letters < lettersInARow) return;
    letters = 0;
    await others();
  };
  try {
    const head = await readHead(pieces);
    const reader = new RowReader(divisionOf(head));
    const isDelimiterNamed = namedDelimiter.test(head);
    for await (const part of rejoined(head, pieces)) {
      for (const row of reader.read(part)) {
        if (row.line > 1 || !isDelimiterNamed) yield row;
        await rest(lettersOfRow + row.cells.length * lettersOfCell);
      }
      await rest(part.length);
    }
    yield* reader.end();
  } finally {
    // A file that is refused halfway would otherwise stay open.
    await pieces.return?.(undefined);
  }
}

/** The first line that Excel writes to name the delimiter. */
const namedDelimiter = /^sep=([,;\t])(?:\r|\n)/i;

/** Empty lines, the header and its line end. A final CR may be the first half of a CRLF that is cut, so it does not count. */
const wholeHeader = /^[\r\n]*[^\r\n]+(?:\n|\r(?!$))/;

/** Enough text to see the whole header row. */
async function readHead(pieces: AsyncIterator<string>): Promise<string> {
  let head = '';
  while (!wholeHeader.test(head) && head.length < rowCharactersMax) {
    const next = await pieces.next();
    if (next.done) break;
    head += next.value;
  }
  return head;
}

async function* rejoined(head: string, pieces: AsyncIterator<string>): AsyncGenerator<string> {
  yield* inParts(head);
  for (let next = await pieces.next(); !next.done; next = await pieces.next()) yield* inParts(next.value);
}

function* inParts(text: string): Generator<string> {
  for (let at = 0; at < text.length; at += lettersAtOnce) yield text.slice(at, at + lettersAtOnce);
}

/** How a text is divided into cells and rows, according to its first row. */
interface Division {
  readonly delimiter: string;
  readonly lineEnd: string;
}

/** The separators of the header, assuming no column name contains one. A \r before a \n is treated as white space. */
function divisionOf(head: string): Division {
  const [, header = '', lineEnd] = /^[\r\n]*([^\r\n]*)(\r\n|\r|\n)?/.exec(head) ?? [];
  const named = namedDelimiter.exec(head)?.[1];
  const count = (delimiter: string) => header.split(delimiter).length;
  const delimiter = delimiters.reduce((best, each) => (count(each) > count(best) ? each : best));
  return { delimiter: named ?? delimiter, lineEnd: lineEnd === '\r' ? lineEnd : '\n' };
}

/**
 * Parses a CSV text in parts, looking at every character once. The usual parsers create an error with its stack for every row of
 * a different width than the first, which takes longer than everything else, and have no limit for empty cells.
 */
class RowReader {
  /** The parser's position: before the text of a cell, in it, between quotes, or after the closing quote. */
  private place: 'before' | 'plain' | 'quoted' | 'behind' = 'before';
  private cells: string[] = [];
  private cell = '';
  private quoted = '';
  private last = '';
  private line = 1;
  private firstLine = 1;
  private characters = 0;
  private part = '';
  /** The start of the text that is not yet in `cell`. */
  private from = 0;

  constructor(private readonly division: Division) {}

  /** The rows that end in this part of the text. */
  *read(part: string): Generator<CsvRow> {
    this.part = part;
    this.from = 0;
    for (let at = 0; at < part.length; at += 1) {
      const character = part.charAt(at);
      const endsRow = this.take(character, at);
      if (character === '\r' || (character === '\n' && this.last !== '\r')) this.line += 1;
      this.last = character;
      if (endsRow) yield* this.row();
    }
    this.keep(part.length);
  }

  /** The last row, if no line end follows it. */
  *end(): Generator<CsvRow> {
    if (this.place === 'quoted') throw badFile('it ends inside a quoted cell, so part of it is missing');
    yield* this.row();
  }

  /** Returns whether this character ends a row. */
  private take(character: string, at: number): boolean {
    this.characters += 1;
    if (this.characters > rowCharactersMax) throw this.tooMuch(`is longer than ${rowCharactersMax} characters`);
    if (this.place === 'quoted') {
      if (character === '"') this.closeQuote(at);
      return false;
    }
    if (character === this.division.lineEnd) {
      this.keep(at);
      this.from = at + 1;
      return true;
    }
    if (character === this.division.delimiter) this.endCell(at);
    else if (character === '"') this.takeQuote(at);
    else if (character > ' ') this.takeText();
    return false;
  }

  private closeQuote(at: number): void {
    this.keep(at);
    this.from = at + 1;
    this.quoted = this.cell;
    this.cell = '';
    this.place = 'behind';
  }

  /** A quote opens a cell, stands for itself if doubled between quotes, and is an ordinary character anywhere else. */
  private takeQuote(at: number): void {
    if (this.place === 'before') {
      this.place = 'quoted';
      this.cell = '';
      this.from = at + 1;
    } else if (this.place === 'behind' && this.last === '"') {
      this.place = 'quoted';
      this.cell = this.quoted;
      this.from = at;
    } else this.takeText();
  }

  /** If text follows the closing quote, both quotes were ordinary characters. */
  private takeText(): void {
    if (this.place === 'behind') this.cell = `"${this.quoted}"${this.cell}`;
    this.place = 'plain';
  }

  private keep(upTo: number): void {
    this.cell += this.part.slice(this.from, upTo);
    this.from = upTo;
  }

  private endCell(at: number): void {
    this.keep(at);
    this.from = at + 1;
    this.pushCell();
  }

  private pushCell(): void {
    this.cells.push(this.place === 'behind' ? this.quoted : this.cell.trim());
    if (this.cells.length > csvColumnsMax) throw this.tooMuch(`has more than ${csvColumnsMax} cells`);
    this.cell = '';
    this.place = 'before';
  }

  private *row(): Generator<CsvRow> {
    const isEmpty = this.cells.length === 0 && this.place === 'before';
    if (!isEmpty) {
      this.pushCell();
      yield { line: this.firstLine, cells: this.cells };
      this.cells = [];
    }
    this.cell = '';
    this.characters = 0;
    this.firstLine = this.line;
  }

  private tooMuch(what: string): Fault {
    return badFile(`a row near line ${this.firstLine} ${what}`);
  }
}

/** The file as a whole is unreadable: nothing is saved, and the client is told why. */
export function badFile(reason: string): Fault {
  const message = `The file cannot be read: ${reason}.`;
  return new Fault('VALIDATION_FAILED', { details: [{ field: 'file', message }] });
}
