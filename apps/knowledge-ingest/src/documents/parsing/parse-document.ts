import { execFile, fork, type ChildProcess } from 'node:child_process';
import { ReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { getCompileCacheDir } from 'node:module';
import path from 'node:path';
import { finished, Readable } from 'node:stream';
import { promisify } from 'node:util';
import { deserialize } from 'node:v8';
import { yieldStarted } from '@parley/providers/engine-pool';
import { z } from 'zod';
import type { Chunk } from './chunking';
import { type Block, type FileType, limits, Refused } from './parsed-file';
import type { ParseMessage, PieceKinds } from './parse-child';

export interface ParsedDocument {
  readonly chunks: Pieces<Chunk>;
  readonly pageCount: number | null;
}

const lookMs = 200;
const bytesPerMemoryPage = 4096;
const msPerClockTick = 10;
const quietly = ['--disable-warning=MODULE_TYPELESS_PACKAGE_JSON', '--disable-warning=ExperimentalWarning'];

/** Splits a document into chunks for the index. */
export async function parseDocument(
  type: FileType,
  content: Readable | Uint8Array,
  allowed: Partial<TimeAllowed> = {},
): Promise<ParsedDocument> {
  const { pieces, pageCount } = await inItsOwnProcess('chunks', type, content, { ...limits, ...allowed });
  return { chunks: pieces, pageCount };
}

/** The rows and other blocks of a file, unchanged. */
export async function blocksOf(type: FileType, content: Readable): Promise<readonly Block[]> {
  const { pieces } = await inItsOwnProcess('blocks', type, content, limits);
  return [...pieces];
}

/**
 * The pieces of a file in order, kept as bytes. As objects, the texts of a large file made V8 mark the whole heap again, which delayed
 * every request.
 */
class Pieces<Piece> implements Iterable<Piece> {
  private readonly packs: { readonly from: number; readonly to: number; readonly bytes: Uint8Array }[] = [];

  get length(): number {
    return this.packs.at(-1)?.to ?? 0;
  }

  add(packed: Uint8Array, count: number): void {
    // A copy, since the message shares a larger buffer that was read from the pipe.
    this.packs.push({ from: this.length, to: this.length + count, bytes: new Uint8Array(packed) });
  }

  slice(from: number, to: number): Piece[] {
    const wanted = this.packs.filter((pack) => pack.to > from && pack.from < to);
    return wanted.flatMap((pack) => this.unpacked(pack.bytes).slice(Math.max(0, from - pack.from), to - pack.from));
  }

  *[Symbol.iterator](): Generator<Piece> {
    for (const { bytes } of this.packs) yield* this.unpacked(bytes);
  }

  private unpacked(bytes: Uint8Array): readonly Piece[] {
    return z.custom<readonly Piece[]>(Array.isArray).parse(deserialize(bytes));
  }
}

/** Processor time, and elapsed time. */
type TimeAllowed = Record<'cpuMs' | 'milliseconds', number>;

interface Parsed<Piece> {
  readonly pieces: Pieces<Piece>;
  readonly pageCount: number | null;
}

/**
 * Parses an untrusted file in a child process of lower priority, which is stopped after 20 seconds of processor time, after two
 * minutes, or at its memory limit, whatever the file does to it. The child reads a local file directly; any other is streamed
 * through this process. Throws Refused with a message for the file's owner.
 */
async function inItsOwnProcess<Wanted extends keyof PieceKinds>(
  wanted: Wanted,
  type: FileType,
  content: Readable | Uint8Array,
  allowed: TimeAllowed,
): Promise<Parsed<PieceKinds[Wanted]>> {
  const compiled = getCompileCacheDir();
  const source = content instanceof Readable ? content : Readable.from([content]);
  const descriptor = descriptorOf(source);
  const child = fork(path.join(__dirname, `parse-child${path.extname(__filename)}`), [type, wanted], {
    execArgv: [`--max-old-space-size=${limits.heapMegabytes}`, ...quietly],
    serialization: 'advanced',
    stdio: [descriptor ?? 'pipe', 'ignore', 'ignore', 'ipc'],
    // The child gets none of our environment, so no keys and addresses; only the compile cache, which halves its start-up time.
    env: compiled === undefined ? {} : { NODE_COMPILE_CACHE: compiled },
  });
  yieldStarted(child, 'documents');
  const late = setTimeout(() => child.kill('SIGKILL'), allowed.milliseconds);
  const looking = setInterval(() => void endIfTooGreedy(child, allowed.cpuMs), lookMs);
  try {
    return await Promise.race([parsedBy<PieceKinds[Wanted]>(child), failureOf(source, child)]);
  } finally {
    source.destroy();
    clearTimeout(late);
    clearInterval(looking);
    child.kill('SIGKILL');
  }
}

const tooGreedy =
  'The file takes too much time or memory to read. Split it into several files, or save its text as a new PDF, DOCX or TXT.';

function parsedBy<Piece>(child: ChildProcess): Promise<Parsed<Piece>> {
  const pieces = new Pieces<Piece>();
  return new Promise((resolve, reject) => {
    child.on('message', (message: ParseMessage) => {
      if ('packed' in message) pieces.add(message.packed, message.count);
      else if ('done' in message) resolve({ pieces, pageCount: message.done.pageCount });
      else if ('unreadable' in message) reject(new Error(`the stored file could not be read: ${message.unreadable}`));
      else reject(new Refused(message.refused));
    });
    child.once('error', reject);
    // Not on `exit`, which may precede the child's last message.
    child.once('close', () => reject(new Refused(tooGreedy)));
  });
}

/** The descriptor of an open local file of which nothing has been read. */
function descriptorOf(source: Readable): number | undefined {
  if (!(source instanceof ReadStream) || source.destroyed || source.readableDidRead) return undefined;
  const descriptor: unknown = Reflect.get(source, 'fd');
  return typeof descriptor === 'number' ? descriptor : undefined;
}

/**
 * Feeds the child. A failure of the source is not the file's fault; why the child ends is reported by the child itself. A source
 * that closes early fails too, even without an error: `pipe` would leave the child's input open until its time is over.
 */
function failureOf(source: Readable, { stdin }: ChildProcess): Promise<never> {
  return new Promise((_, reject) => {
    finished(source, (error) => {
      if (error) reject(error);
    });
    stdin?.once('error', () => source.destroy());
    if (stdin) source.pipe(stdin);
  });
}

/** The engine's heap limit does not include buffers; the operating system knows the real memory and processor time. */
async function endIfTooGreedy(child: ChildProcess, cpuMsMax: number): Promise<void> {
  const used = await (process.platform === 'linux' ? useByProc(child) : useByPs(child)).catch(() => undefined);
  if (used && (used.residentBytes > limits.residentBytes || used.cpuMs > cpuMsMax)) child.kill('SIGKILL');
}

interface ProcessUse {
  readonly residentBytes: number;
  readonly cpuMs: number;
}

async function useByProc({ pid }: ChildProcess): Promise<ProcessUse> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  // The program's name may contain anything, so fields are counted after it: the state is field 3, and we need 14, 15 and 24.
  const fields = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  const [userTicks = 0, systemTicks = 0, pages = 0] = [fields[11], fields[12], fields[21]];
  return { residentBytes: pages * bytesPerMemoryPage, cpuMs: (userTicks + systemTicks) * msPerClockTick };
}

/** For macOS, which has no /proc. */
async function useByPs({ pid }: ChildProcess): Promise<ProcessUse> {
  const { stdout } = await promisify(execFile)('ps', ['-o', 'rss=,time=', '-p', String(pid)]);
  const [kilobytes = '', time = ''] = stdout.trim().split(/\s+/u);
  const seconds = time
    .split(/[-:]/u)
    .reduce((sum, part, index, { length }) => sum + Number(part) * (secondsOf[length - index - 1] ?? 0), 0);
  return { residentBytes: Number(kilobytes) * 1024, cpuMs: seconds * 1000 };
}

/** Units of `days-hours:minutes:seconds`, last first. */
const secondsOf = [1, 60, 3_600, 86_400];
