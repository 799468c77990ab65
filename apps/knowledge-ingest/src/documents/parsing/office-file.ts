import { inflateRawSync } from 'node:zlib';
import { limits, Refused, storable, WorkBudget } from './parsed-file.ts';

interface ZipEntry {
  readonly name: string;
  readonly method: number;
  readonly compressedBytes: number;
  readonly bytes: number;
  readonly offset: number;
}

const endSignature = 0x06054b50;
const entrySignature = 0x02014b50;
const localSignature = 0x04034b50;
const descriptorBytesMax = 24;
const damaged = 'The file is damaged.';
const tooLarge = 'The file unpacks to more than 256 MB.';

/** A zip file that is unpacked part by part, counting the bytes actually produced: the sizes in its directory may be false. */
export class GuardedZip {
  readonly names: readonly string[];
  private readonly file: Buffer;
  private readonly entries: Map<string, ZipEntry>;
  private unpackedBytes = 0;
  /** For reading all parts together. */
  readonly budget: WorkBudget;

  constructor(file: Buffer) {
    this.file = file;
    this.budget = new WorkBudget('xmlPieces', file.length);
    const directory = readDirectory(file);
    this.entries = new Map(directory.map((entry) => [entry.name, entry]));
    this.names = [...this.entries.keys()];
    if (this.entries.size < directory.length) throw new Refused(damaged);
  }

  read(name: string): Buffer {
    const entry = this.entries.get(name);
    if (!entry) throw new Refused(damaged);
    const part = this.unpacked(entry);
    if ((this.unpackedBytes += part.length) > limits.zipBytes) throw new Refused(tooLarge);
    return part;
  }

  private unpacked(entry: ZipEntry): Buffer {
    const start = dataStart(this.file, entry);
    const data = this.file.subarray(start, start + entry.compressedBytes);
    if (entry.method === 0) return data;
    try {
      return inflateRawSync(data, { maxOutputLength: limits.zipEntryBytes });
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined;
      throw new Refused(code === 'ERR_BUFFER_TOO_LARGE' ? tooLarge : damaged, { cause: error });
    }
  }
}

interface Tag {
  readonly prefix: string;
  readonly name: string;
}

/** A tag of an XML file, or the text between two tags. */
type XmlPiece =
  | ({ readonly kind: 'begin'; readonly attributes: string; readonly isEmpty: boolean } & Tag)
  | ({ readonly kind: 'end' } & Tag)
  | { readonly kind: 'text'; readonly text: string };

const piece = /<([^<>]*)>|([^<]+)/g;
const tagName = /^\/?(?:([^\s:/]{1,64}):)?([^\s/]{1,64})/;
const chunkBytes = 65_536;
const greaterThan = 0x3e;

/**
 * The tokens of an XML file in order, with only a little of it decoded at a time. No external references, and only XML's built-in
 * entities; an unterminated tag is ignored, so that the time stays linear in the size.
 */
export function* piecesOf(xml: Buffer, budget: WorkBudget): Generator<XmlPiece> {
  for (let at = 0; at < xml.length;) {
    const end = xml.indexOf(greaterThan, at + chunkBytes);
    const until = end < 0 ? xml.length : end + 1;
    for (const [, tag, text] of xml.toString('utf8', at, until).matchAll(piece)) {
      budget.spend(1);
      if (text !== undefined) yield { kind: 'text', text: decoded(text) };
      else if (tag !== undefined) yield* tagOf(tag);
    }
    at = until;
  }
}

function* tagOf(tag: string): Generator<XmlPiece> {
  const [whole = '', prefix = '', name] = tagName.exec(tag) ?? [];
  if (name === undefined) return;
  if (tag.startsWith('/')) yield { kind: 'end', prefix, name };
  else yield { kind: 'begin', prefix, name, attributes: tag.slice(whole.length), isEmpty: tag.endsWith('/') };
}

/** The attributes in use, so that each pattern is compiled once. */
const attributes = [
  ...(['date1904', 'formatCode', 'hidden', 'Id', 'id', 'max', 'min', 'name', 'numFmtId', 'r', 'ref', 's', 'state', 't'] as const),
  ...(['Target', 'Type', 'val'] as const),
] as const;
const attributePatterns = new Map(
  attributes.map((name) => [name, new RegExp(`(?:^|[\\s:])${name}\\s?=\\s?(?:"([^"]*)"|'([^']*)')`)]),
);

/** The value of an attribute in a tag, whatever its prefix. */
export function attributeOf(tag: string, name: (typeof attributes)[number]): string | undefined {
  const [, double, single] = attributePatterns.get(name)?.exec(tag) ?? [];
  const value = double ?? single;
  return value === undefined ? undefined : decoded(value);
}

const named: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function decoded(text: string): string {
  if (!text.includes('&')) return storable(text);
  const read = text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(amp|lt|gt|quot|apos));/gi, (whole, decimal, hexadecimal, name) => {
    if (name) return named[String(name).toLowerCase()] ?? whole;
    const point = decimal ? Number(decimal) : Number.parseInt(String(hexadecimal), 16);
    return point <= 0x10ffff ? String.fromCodePoint(point) : whole;
  });
  return storable(read);
}

function readDirectory(file: Buffer): ZipEntry[] {
  const end = file.lastIndexOf(Buffer.from([0x50, 0x4b, 0x05, 0x06]));
  if (end < 0 || end + 22 > file.length || file.readUInt32LE(end) !== endSignature) throw new Refused(damaged);
  const count = file.readUInt16LE(end + 10);
  const start = file.readUInt32LE(end + 16);
  if (count > limits.zipEntries) throw new Refused('The file has too many parts.');
  const entries: ZipEntry[] = [];
  let at = start;
  for (let index = 0; index < count; index += 1) {
    if (at + 46 > file.length || file.readUInt32LE(at) !== entrySignature) throw new Refused(damaged);
    entries.push(readEntry(file, at));
    at += 46 + file.readUInt16LE(at + 28) + file.readUInt16LE(at + 30) + file.readUInt16LE(at + 32);
  }
  requireHonest(file, entries, start);
  return entries;
}

function readEntry(file: Buffer, at: number): ZipEntry {
  if ((file.readUInt16LE(at + 8) & 1) === 1) throw new Refused('The file is protected by a password.');
  const method = file.readUInt16LE(at + 10);
  if (method !== 0 && method !== 8) throw new Refused(damaged);
  return {
    name: file.toString('utf8', at + 46, at + 46 + file.readUInt16LE(at + 28)),
    method,
    compressedBytes: file.readUInt32LE(at + 20),
    bytes: file.readUInt32LE(at + 24),
    offset: file.readUInt32LE(at + 42),
  };
}

/** Entries must be contiguous, with no gap for one missing from the directory, which some readers would unpack. */
function requireHonest(file: Buffer, entries: readonly ZipEntry[], directoryStart: number): void {
  const declared = entries.reduce((sum, { bytes }) => sum + bytes, 0);
  if (declared > limits.zipBytes) throw new Refused(tooLarge);
  let free = 0;
  for (const entry of entries.toSorted((a, b) => a.offset - b.offset)) {
    if (entry.offset < free || entry.offset > free + descriptorBytesMax) throw new Refused(damaged);
    free = dataStart(file, entry) + entry.compressedBytes;
  }
  if (free > directoryStart || directoryStart > free + descriptorBytesMax) throw new Refused(damaged);
}

function dataStart(file: Buffer, { offset }: ZipEntry): number {
  if (offset + 30 > file.length || file.readUInt32LE(offset) !== localSignature) throw new Refused(damaged);
  return offset + 30 + file.readUInt16LE(offset + 26) + file.readUInt16LE(offset + 28);
}
