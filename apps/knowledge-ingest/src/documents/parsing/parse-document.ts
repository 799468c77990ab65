import { execFile, fork, type ChildProcess } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { getCompileCacheDir } from 'node:module';
import path from 'node:path';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import type { Chunk } from './chunking';
import { type Block, type FileType, limits, Refused } from './parsed-file';
import type { ParseMessage, Pieces } from './parse-child';

export interface ParsedDocument {
  readonly chunks: readonly Chunk[];
  readonly pageCount: number | null;
}

const memoryLookMs = 200;
const bytesPerMemoryPage = 4096;
const quietly = ['--disable-warning=MODULE_TYPELESS_PACKAGE_JSON', '--disable-warning=ExperimentalWarning'];

/** A document in the chunks by which it is found. */
export async function parseDocument(
  type: FileType,
  content: Readable | Uint8Array,
  { timeoutMs = limits.milliseconds }: { timeoutMs?: number } = {},
): Promise<ParsedDocument> {
  const { pieces, pageCount } = await inItsOwnProcess('chunks', type, content, timeoutMs);
  return { chunks: pieces, pageCount };
}

/** A file row by row, as it stands. */
export async function blocksOf(type: FileType, content: Readable | Uint8Array): Promise<readonly Block[]> {
  const { pieces } = await inItsOwnProcess('blocks', type, content, limits.milliseconds);
  return pieces;
}

interface Parsed<Piece> {
  readonly pieces: readonly Piece[];
  readonly pageCount: number | null;
}

/**
 * Parses an untrusted file in a child process, which ends after 20 seconds or at its memory limit, whatever the file does to it.
 * The file is streamed through this process. Throws Refused with a sentence for the file's owner.
 */
async function inItsOwnProcess<Wanted extends keyof Pieces>(
  wanted: Wanted,
  type: FileType,
  content: Readable | Uint8Array,
  timeoutMs: number,
): Promise<Parsed<Pieces[Wanted]>> {
  const compiled = getCompileCacheDir();
  const child = fork(path.join(__dirname, `parse-child${path.extname(__filename)}`), [type, wanted], {
    execArgv: [`--max-old-space-size=${limits.heapMegabytes}`, ...quietly],
    serialization: 'advanced',
    stdio: ['pipe', 'ignore', 'ignore', 'ipc'],
    // No environment of ours, so no keys and addresses; only the compile cache, with which the child starts in half the time.
    env: compiled === undefined ? {} : { NODE_COMPILE_CACHE: compiled },
  });
  const late = setTimeout(() => child.kill('SIGKILL'), timeoutMs);
  const looking = setInterval(() => void endIfTooLarge(child), memoryLookMs);
  const source = content instanceof Readable ? content : Readable.from([content]);
  try {
    return await Promise.race([parsedBy<Pieces[Wanted]>(child), failureOf(source, child)]);
  } finally {
    source.destroy();
    clearTimeout(late);
    clearInterval(looking);
    child.kill('SIGKILL');
  }
}

function parsedBy<Piece>(child: ChildProcess): Promise<Parsed<Piece>> {
  const pieces: Piece[] = [];
  return new Promise((resolve, reject) => {
    child.on('message', (message: ParseMessage<Piece>) => {
      if ('pieces' in message) pieces.push(...message.pieces);
      else if ('done' in message) resolve({ pieces, pageCount: message.done.pageCount });
      else reject(new Refused(message.refused));
    });
    child.once('error', reject);
    // Not `exit`, which may come before the child's last message.
    child.once('close', () => reject(new Refused('The file takes too much time or memory to read.')));
  });
}

/** Feeds the child. A file that cannot be read to its end is no fault of the file; what ends the child, the child says. */
function failureOf(source: Readable, { stdin }: ChildProcess): Promise<never> {
  return new Promise((_, reject) => {
    source.once('error', reject);
    stdin?.once('error', () => source.destroy());
    if (stdin) source.pipe(stdin);
  });
}

/** The engine's heap limit does not count buffers; the system knows what the process really holds. */
async function endIfTooLarge(child: ChildProcess): Promise<void> {
  const residentBytes = process.platform === 'linux' ? residentByProc(child) : residentByPs(child);
  if ((await residentBytes.catch(() => 0)) > limits.residentBytes) child.kill('SIGKILL');
}

async function residentByProc({ pid }: ChildProcess): Promise<number> {
  const [, pages] = (await readFile(`/proc/${pid}/statm`, 'utf8')).split(' ');
  return Number(pages) * bytesPerMemoryPage;
}

/** For macOS, which has no /proc. */
async function residentByPs({ pid }: ChildProcess): Promise<number> {
  const { stdout } = await promisify(execFile)('ps', ['-o', 'rss=', '-p', String(pid)]);
  return Number(stdout) * 1024;
}
