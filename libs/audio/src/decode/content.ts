import { frameLengthOf } from './mp3';

/** What a file is by its first bytes; its name and its declared type are only claims. */
export type Content = 'wav' | 'mp3' | 'unknown' | { foreign: string };

const signatures: readonly { at: number; magic: string; name: string }[] = [
  { at: 0, magic: 'OggS', name: 'an Ogg file' },
  { at: 0, magic: 'fLaC', name: 'a FLAC file' },
  { at: 0, magic: 'RIFX', name: 'a big-endian WAV file' },
  { at: 0, magic: 'FORM', name: 'an AIFF file' },
  { at: 0, magic: '#!AMR', name: 'an AMR file' },
  { at: 4, magic: 'ftyp', name: 'an MP4 file' },
  { at: 0, magic: '\x1aE\xdf\xa3', name: 'a WebM file' },
  { at: 0, magic: '%PDF', name: 'a PDF document' },
  { at: 0, magic: 'PK\x03\x04', name: 'a ZIP archive' },
  { at: 0, magic: '\x1f\x8b', name: 'a gzip archive' },
  { at: 0, magic: '\x89PNG', name: 'a PNG image' },
  { at: 0, magic: '\xff\xd8\xff', name: 'a JPEG image' },
  { at: 0, magic: 'GIF8', name: 'a GIF image' },
  { at: 0, magic: '\x7fELF', name: 'a program' },
];

/** Bytes that `contentOf` wants to see. */
export const contentBytes = 4096;

/** Names what the bytes are. Plain samples have no mark, so they are `unknown`. */
export function contentOf(head: Uint8Array): Content {
  const text = Buffer.from(head.subarray(0, 16)).toString('latin1');
  if (/^(RIFF|RF64|BW64)/.test(text)) return text.slice(8, 12) === 'WAVE' ? 'wav' : { foreign: 'a RIFF file that is not WAV' };
  const known = signatures.find(({ at, magic }) => text.startsWith(magic, at));
  if (known) return { foreign: known.name };
  if (text.startsWith('ID3') || hasTwoFrames(head)) return 'mp3';
  return looksLikeText(head) ? { foreign: 'text' } : 'unknown';
}

function hasTwoFrames(head: Uint8Array): boolean {
  const length = frameLengthOf(head, 0);
  return length !== undefined && frameLengthOf(head, length) !== undefined;
}

function looksLikeText(head: Uint8Array): boolean {
  if (head.length < 8) return false;
  return head.every((byte) => (byte >= 32 && byte < 127) || byte === 9 || byte === 10 || byte === 13);
}

/** Reads an asynchronous stream of bytes in the portions that a parser asks for. */
export class ByteReader {
  private readonly source: AsyncIterator<Uint8Array>;
  private held: Buffer = Buffer.alloc(0);
  private ended = false;

  constructor(source: AsyncIterable<Uint8Array>) {
    this.source = source[Symbol.asyncIterator]();
  }

  /** Looks at up to so many bytes without taking them; fewer only at the end. */
  async peek(length: number): Promise<Uint8Array> {
    while (this.held.length < length && !this.ended) await this.fetch();
    return this.held.subarray(0, length);
  }

  /** Takes exactly so many bytes, or nothing when the stream ends before. */
  async take(length: number): Promise<Buffer | undefined> {
    await this.peek(length);
    if (this.held.length < length) return undefined;
    const taken = this.held.subarray(0, length);
    this.held = this.held.subarray(length);
    return taken;
  }

  /** Whatever is at hand, up to so many bytes; nothing at the end. */
  async some(lengthMax: number): Promise<Uint8Array | undefined> {
    while (this.held.length === 0 && !this.ended) await this.fetch();
    if (this.held.length === 0) return undefined;
    const taken = this.held.subarray(0, lengthMax);
    this.held = this.held.subarray(taken.length);
    return taken;
  }

  /** Lets the source go when nobody will read further. */
  async close(): Promise<void> {
    if (this.ended) return;
    this.ended = true;
    await this.source.return?.();
  }

  private async fetch(): Promise<void> {
    const next = await this.source.next();
    if (next.done) this.ended = true;
    else this.held = this.held.length > 0 ? Buffer.concat([this.held, next.value]) : viewOf(next.value);
  }
}

function viewOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
