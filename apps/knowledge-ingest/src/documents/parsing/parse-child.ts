import { flushCompileCache } from 'node:module';
import { contentOf, type FileType, fileTypes, limits, type ParsedFile, Refused } from './parsed-file.ts';
import { Chunker, type Chunk } from './chunking.ts';

/** What the child says while it works; `done` or `refused` comes last. */
export type ParseMessage =
  { readonly chunks: readonly Chunk[] } | { readonly done: { readonly pageCount: number | null } } | { readonly refused: string };

const chunksPerMessage = 100;

/** Each reader is loaded when it is needed: a workbook's alone takes half a second to load. */
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
  // Kept before the file is looked at: what a file may do to this process must not be kept, and its end is a kill.
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
  for await (const part of process.stdin) {
    bytes += part.length;
    if (bytes > limits.bytes) throw new Refused('The file is larger than 10 MB.');
    parts.push(part);
  }
  return Buffer.concat(parts);
}

async function parse(type: FileType): Promise<void> {
  const parsed = await open(type, await received());
  let count = 0;
  let waiting: Chunk[] = [];
  for await (const chunk of chunksOf(parsed)) {
    if ((count += 1) > limits.chunks) throw new Refused('The document is too long.');
    waiting.push(chunk);
    if (waiting.length < chunksPerMessage) continue;
    await tell({ chunks: waiting });
    waiting = [];
  }
  if (count === 0) throw new Refused('The document holds no text.');
  await tell({ chunks: waiting });
  await tell({ done: { pageCount: parsed.pageCount() ?? null } });
}

/** Waits until the parent's pipe has taken the message, so that a fast reader does not fill our memory. */
function tell(message: ParseMessage): Promise<void> {
  return new Promise((resolve) => process.send?.(message, undefined, {}, () => resolve()));
}

const asked = fileTypes.find((type) => type === process.argv[2]);
if (asked)
  parse(asked)
    .catch((error: unknown) => tell({ refused: error instanceof Refused ? error.message : 'The file is damaged.' }))
    .finally(() => process.disconnect());
