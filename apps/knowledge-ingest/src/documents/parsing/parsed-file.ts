/** A piece of a document in reading order, before it is cut into chunks. */
export type Block =
  | { readonly kind: 'heading'; readonly text: string; readonly level: number; readonly page?: number }
  | { readonly kind: 'paragraph'; readonly text: string; readonly page?: number }
  | {
      readonly kind: 'row';
      readonly header: readonly string[];
      readonly cells: readonly string[];
      readonly row: number;
      readonly sheet?: string;
      /** The line above this and other rows that describes them. */
      readonly section?: string;
    };

export type RowBlock = Extract<Block, { kind: 'row' }>;

export interface ParsedFile {
  readonly blocks: AsyncIterable<Block> | Iterable<Block>;
  /** Known once all blocks have been read; undefined for formats without pages. */
  pageCount(): number | undefined;
}

const megabyte = 1024 * 1024;

/** What one document may cost. If it exceeds a limit, it is refused with a message that names the limit. */
export const limits = {
  bytes: 10 * megabyte,
  pages: 2_000,
  rows: 250_000,
  columns: 200,
  characters: 12_000_000,
  /** Of all pieces together, which overlap, and repeat their headings: more than the largest plain text has. */
  piecedCharacters: 15_000_000,
  chunks: 40_000,
  /** For a file that is imported row by row. */
  blocks: 10_000,
  zipEntries: 2_000,
  zipEntryBytes: 128 * megabyte,
  zipBytes: 256 * megabyte,
  heapMegabytes: 768,
  residentBytes: 1_200 * megabyte,
  /** Processor time, because a reader yields to everything else on the machine. */
  cpuMs: 20_000,
  milliseconds: 120_000,
} as const;

/**
 * How much text PDFs and office files may make of each of their bytes; some thousands more are free, since a small file may be
 * compressed better. Real files stay below a third of this.
 */
const workOf = {
  pdfBytes: { free: 4 * megabyte, perByte: 30 },
  xmlPieces: { free: 300_000, perByte: 5 },
} as const;

/** Counts what a file makes its reader do, and refuses the file when that is out of proportion to its size. */
export class WorkBudget {
  private left: number;

  constructor(kind: keyof typeof workOf, fileBytes: number) {
    const { free, perByte } = workOf[kind];
    this.left = free + perByte * fileBytes;
  }

  spend(units: number): void {
    this.left -= units;
    this.check();
  }

  check(): void {
    if (this.left < 0) throw new Refused(outOfProportion);
  }
}

/** Of a small file that would keep a reader busy for minutes. */
const outOfProportion =
  'The file unpacks to far more than its size suggests. Save its text as a new file, without drawings and empty paragraphs or cells.';

export const tooManyRows = `The table has more than ${limits.rows} rows.`;

/** A file that cannot be read, with a message for its owner. */
export class Refused extends Error {
  override readonly name = 'Refused';
}

export const fileTypes = ['pdf', 'xlsx', 'csv', 'docx', 'txt', 'md'] as const;
export type FileType = (typeof fileTypes)[number];

/** Replaces what Postgres cannot store: files may contain any character by its number. */
export function storable(text: string): string {
  return text.replaceAll('\0', '\ufffd').toWellFormed();
}

/** The kind of content by its first bytes. */
export function contentOf(head: Uint8Array): 'pdf' | 'zip' | 'text' | 'other' {
  const ascii = String.fromCharCode(...head.subarray(0, 1024));
  if (ascii.includes('%PDF-')) return 'pdf';
  if (ascii.startsWith('PK\u0003\u0004')) return 'zip';
  const isUtf16 = (head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff);
  return head.includes(0) && !isUtf16 ? 'other' : 'text';
}

const contentOfType: Record<FileType, ReturnType<typeof contentOf>> = {
  pdf: 'pdf',
  xlsx: 'zip',
  docx: 'zip',
  csv: 'text',
  txt: 'text',
  md: 'text',
};

/** The type by file name; undefined if unsupported. */
export function typeByName(fileName: string): FileType | undefined {
  const extension = /\.([a-z0-9]+)$/i.exec(fileName)?.[1]?.toLowerCase();
  return fileTypes.find((type) => type === extension);
}

/** How much of a file is needed to see whether it can be what its name says. */
export const headBytes = 1024;

/** The beginning of a file; no more is read. */
export async function headOf(stream: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  let head = Buffer.alloc(0);
  for await (const part of stream) {
    head = Buffer.concat([head, part.subarray(0, headBytes)]);
    if (head.length >= headBytes) break;
  }
  return head.subarray(0, headBytes);
}

/** Whether the content can be what the file name says. */
export function fits(type: FileType, head: Uint8Array): boolean {
  return contentOf(head) === contentOfType[type];
}
