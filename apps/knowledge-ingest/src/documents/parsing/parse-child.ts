import { flushCompileCache } from 'node:module';
import { serialize } from 'node:v8';
import { type Block, contentOf, type FileType, fileTypes, limits, type ParsedFile, Refused } from './parsed-file.ts';
import { Chunker, type Chunk } from './chunking.ts';

/** The child's results: chunks for the index, or the blocks of the file in order. */
export interface PieceKinds {
  readonly chunks: Chunk;
  readonly blocks: Block;
}

/** The child's messages; anything but pieces is the last. A file that the store cannot read is not an error of the file. */
export type ParseMessage =
  /** This many pieces, which the parent keeps as bytes. */
  | { readonly packed: Uint8Array; readonly count: number }
  | { readonly done: { readonly pageCount: number | null } }
  | { readonly refused: string }
  | { readonly unreadable: string };

/** The number that is embedded at a time. */
const piecesPerMessage = 32;
const tooMany = {
  chunks: 'The document is too long.',
  blocks: `The file has more than ${limits.blocks} rows.`,
};

const tooLong = `The file has more than ${limits.characters} characters, those of a table's header counted with each row.`;

/** The text of one cell may be repeated throughout a workbook, and a header in every row of a table, so the total is limited. */
function lettersOf(piece: Chunk | Block): number {
  if ('text' in piece) return piece.text.length;
  return [piece.header, piece.cells].flat().reduce((sum, { length }) => sum + length, 0);
}

/** Readers are loaded on demand, because loading the one for PDFs takes long. */
const readers: Record<FileType, () => Promise<(file: Buffer) => ParsedFile | Promise<ParsedFile>>> = {
  pdf: async () => (await import('./read-pdf.ts')).readPdf,
  xlsx: async () => (await import('./read-xlsx.ts')).readXlsx,
  docx: async () => (await import('./read-docx.ts')).readDocx,
  csv: async () => (await import('./read-text.ts')).readCsv,
  txt: async () => (await import('./read-text.ts')).readPlain,
  md: async () => (await import('./read-text.ts')).readMarkdown,
};
const textual: readonly FileType[] = ['csv', 'txt', 'md'];

async function open(type: FileType, file: Buffer): Promise<ParsedFile> {
  if (file.length === 0) throw new Refused('The file is empty.');
  if (textual.includes(type) && contentOf(file.subarray(0, 1024)) !== 'text')
    throw new Refused('The content of the file is not what its name says.');
  const read = await readers[type]();
  // Written before the file is opened: nothing that a file does to this process may be cached, and the process ends by being
  // killed.
  flushCompileCache();
  return read(file);
}

async function* chunksOf(parsed: ParsedFile): AsyncGenerator<Chunk> {
  const chunker = new Chunker();
  for await (const block of parsed.blocks) yield* chunker.add(block);
  yield* chunker.end();
}

async function received(): Promise<Buffer> {
  const parts: Buffer[] = [];
  let bytes = 0;
  const input: AsyncIterable<Buffer> = process.stdin;
  for await (const part of input) {
    bytes += part.length;
    if (bytes > limits.bytes) throw new Refused('The file is larger than 10 MB.');
    parts.push(part);
  }
  return Buffer.concat(parts);
}

async function parse(type: FileType, wanted: keyof PieceKinds): Promise<void> {
  const parsed = await open(type, await received());
  let count = 0;
  let letters = 0;
  let waiting: (Chunk | Block)[] = [];
  for await (const piece of wanted === 'chunks' ? chunksOf(parsed) : parsed.blocks) {
    if ((count += 1) > limits[wanted]) throw new Refused(tooMany[wanted]);
    if ((letters += lettersOf(piece)) > limits.characters) throw new Refused(tooLong);
    waiting.push(piece);
    if (waiting.length < piecesPerMessage) continue;
    await tell(packed(waiting));
    waiting = [];
  }
  if (count === 0) throw new Refused('The document holds no text.');
  await tell(packed(waiting));
  await tell({ done: { pageCount: parsed.pageCount() ?? null } });
}

function packed(pieces: readonly (Chunk | Block)[]): ParseMessage {
  return { packed: serialize(pieces), count: pieces.length };
}

function endOf(error: unknown): ParseMessage {
  if (error instanceof Refused) return { refused: error.message };
  const isOfSystem = error instanceof Error && 'syscall' in error;
  return isOfSystem ? { unreadable: error.message } : { refused: 'The file is damaged.' };
}

/** Waits until the parent's pipe has accepted the message, so that a fast reader does not fill our memory. */
function tell(message: ParseMessage): Promise<void> {
  return new Promise((resolve) => process.send?.(message, undefined, {}, () => resolve()));
}

const fileType = fileTypes.find((type) => type === process.argv[2]);
if (fileType)
  parse(fileType, process.argv[3] === 'blocks' ? 'blocks' : 'chunks')
    .catch((error: unknown) => tell(endOf(error)))
    .finally(() => process.disconnect());
