import { createHash } from 'node:crypto';
import { TextDecoder } from 'node:util';
import { Fault, notATimeZone, TimeZoneName } from '@parley/contracts';
import type { FileStore } from '@parley/ports';
import { uploadNotFound } from '@parley/providers/configured-files';
import { withoutSafeguard } from '@parley/service-kit';
import { z } from 'zod';
import { type ContactFields, csvColumns, toE164 } from '../contact.entity';
import { badFile, csvColumnsMax, type CsvRow, csvRows } from './csv-rows';
import type { RowError } from './upload-rows';

type Cells = { [field in keyof ContactFields]: string };

type Positions = Partial<Record<keyof ContactFields, number>>;

/** A valid row, or what is wrong with it. Blank and missing cells say nothing about the contact. */
type ContactRow = { readonly line: number; readonly contact: ContactFields } | { readonly error: RowError };

const Email = z.email().max(254);

export const contactFileBytesMax = 10 * 1024 * 1024;
export const contactFileRowsMax = 100_000;

/** A stored CSV of contacts, which can be read repeatedly and is never completely in memory. */
export class ContactFile {
  constructor(
    private readonly files: Pick<FileStore, 'open'>,
    private readonly key: string,
    private readonly region: string,
  ) {}

  /** Reads the whole file once, remembering only the last row of each number. If the file is unreadable, it is refused here. */
  async inspect(): Promise<FileInspection> {
    const lastRows = new Map<string, number>();
    let rowCount = 0;
    let ignoredColumns: readonly string[] = [];
    for await (const row of this.rows((header) => (ignoredColumns = header.ignoredColumns))) {
      rowCount += 1;
      if (rowCount > contactFileRowsMax)
        throw new Fault('PAYLOAD_TOO_LARGE', { message: `A contact file may have ${contactFileRowsMax} rows.` });
      if ('contact' in row) lastRows.set(row.contact.number, rowCount);
    }
    return { rowCount, ignoredColumns, isLast: (number, rowNo) => lastRows.get(number) === rowNo };
  }

  /** Identifies this file's content. */
  async fingerprint(): Promise<Buffer> {
    const hash = createHash('sha256');
    const pieces: AsyncIterable<Uint8Array> | undefined = await this.files.open(this.key);
    for await (const piece of pieces ?? []) hash.update(piece);
    return hash.digest();
  }

  async *rows(begun?: (header: Pick<ContactRowReader, 'ignoredColumns'>) => void): AsyncGenerator<ContactRow> {
    const bytes = await this.files.open(this.key);
    if (!bytes) throw uploadNotFound();
    let reader: ContactRowReader | undefined;
    for await (const row of csvRows(textOfFile(bytes, contactFileBytesMax))) {
      if (reader) {
        yield reader.read(row);
        continue;
      }
      reader = ContactRowReader.forHeader(row, this.region);
      begun?.(reader);
    }
    if (!reader) throw badFile('it is empty');
  }
}

/** What is known about a file after the first pass. */
interface FileInspection {
  readonly rowCount: number;
  readonly ignoredColumns: readonly string[];
  /** Whether no later row has this number: the last row about a contact counts. */
  isLast(number: string, rowNo: number): boolean;
}

/** Reads the rows below a header that names the columns in any case and order. */
class ContactRowReader {
  private constructor(
    private readonly positions: Positions,
    private readonly titles: readonly string[],
    private readonly region: string,
  ) {}

  get ignoredColumns(): string[] {
    return ignoredColumnsOf(this.titles, Object.values(this.positions));
  }

  /** Refuses a header that lacks the required column or has a column twice. Unknown columns are ignored. */
  static forHeader({ cells }: CsvRow, region: string): ContactRowReader {
    const names = cells.map((cell) => cell.trim().toLowerCase());
    const positions: Positions = {};
    for (const { column, field } of csvColumns) {
      const position = names.indexOf(column.toLowerCase());
      if (position < 0) continue;
      if (names.includes(column.toLowerCase(), position + 1)) throw badFile(`its first row has the column ${column} twice`);
      positions[field] = position;
    }
    if (positions.number === undefined) throw badFile('the column ContactNumber is missing in its first row');
    return new ContactRowReader(positions, cells, region);
  }

  read({ line, cells }: CsvRow): ContactRow {
    const wrong = (field: string | null, message: string) => ({ error: { line, field, message } });
    const width = this.titles.length;
    if (cells.length > width) return wrong(null, `has ${cells.length} cells where the header has ${width}`);
    const contact = this.cellsOf(cells);
    const long = csvColumns.find(({ field, max }) => contact[field].length > max);
    if (long) return wrong(long.column, `is longer than ${long.max} characters`);
    if (contact.number === '') return wrong('ContactNumber', 'is required');
    const number = toE164(contact.number, this.region);
    if (!number) return wrong('ContactNumber', 'is not a telephone number');
    if (contact.email !== '' && !Email.safeParse(contact.email).success) return wrong('Email', 'is not an e-mail address');
    const zone = contact.zone === '' ? '' : TimeZoneName.safeParse(contact.zone).data;
    if (zone === undefined) return wrong('TimeZone', notATimeZone);
    return { line, contact: { ...contact, number, zone } };
  }

  private cellsOf(cells: readonly string[]): Cells {
    const cell = (field: keyof ContactFields) => withoutSafeguard(cells[this.positions[field] ?? -1] ?? '').trim();
    return {
      name: cell('name'),
      number: cell('number'),
      email: cell('email'),
      city: cell('city'),
      state: cell('state'),
      country: cell('country'),
      zone: cell('zone'),
    };
  }
}

const titleCharactersMax = 200;

/** The columns that are not read, by title, or by position if they have none. */
export function ignoredColumnsOf(titles: readonly string[], positionsRead: readonly number[]): string[] {
  return titles
    .map((written, position) => ({ position, title: written.trim().slice(0, titleCharactersMax) || `column ${position + 1}` }))
    .filter(({ position }) => !positionsRead.includes(position))
    .map(({ title }) => title)
    .slice(0, csvColumnsMax);
}

const headBytes = 512;
const looksBinary = /[\0-\x08\x0e-\x1f]/;
const signatures = ['%PDF', 'PK\x03\x04', '\x89PNG', '\xff\xd8\xff', 'GIF8', '\x1f\x8b', '\xd0\xcf\x11\xe0'].map((text) =>
  Buffer.from(text, 'latin1'),
);

/** The text of an uploaded file, piece by piece. Refuses anything but UTF-8 text, and files over the size limit. */
export async function* textOfFile(bytes: AsyncIterable<Uint8Array>, bytesMax: number): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let total = 0;
  for await (const chunk of bytes) {
    if (total === 0) refuseForeignFormats(Buffer.from(chunk));
    total += chunk.byteLength;
    if (total > bytesMax) throw new Fault('PAYLOAD_TOO_LARGE', { message: `A contact file may have ${bytesMax} bytes.` });
    yield plain(decode(decoder, chunk));
  }
  yield plain(decode(decoder));
}

function decode(decoder: TextDecoder, chunk?: Uint8Array): string {
  try {
    return chunk ? decoder.decode(chunk, { stream: true }) : decoder.decode();
  } catch {
    throw badFile('it is not UTF-8 text; save it as CSV UTF-8');
  }
}

function plain(text: string): string {
  if (looksBinary.test(text)) throw notCsv();
  return text;
}

function notCsv(): Fault {
  return new Fault('UNSUPPORTED_MEDIA_TYPE', { message: 'The file is not a CSV, despite its name.' });
}

function refuseForeignFormats(start: Buffer): void {
  if (isUtf16(start)) throw badFile('it is UTF-16; save it as CSV UTF-8');
  // Before decoding: for a binary file, the advice to convert it to UTF-8 would be wrong.
  plain(start.subarray(0, headBytes).toString('latin1'));
  if (signatures.some((signature) => start.subarray(0, signature.length).equals(signature))) throw notCsv();
}

/** Recognized by its byte order mark, or because every second byte at the beginning is zero. */
function isUtf16(start: Buffer): boolean {
  const mark = start.subarray(0, 2).toString('hex');
  if (mark === 'fffe' || mark === 'feff') return true;
  const head = start.subarray(0, 64);
  const zeros = [0, 1].map((offset) => head.filter((byte, index) => index % 2 === offset && byte === 0).length);
  return head.length >= 8 && zeros.some((count) => count > head.length / 4) && zeros.some((count) => count === 0);
}
