/** The format of a file by its first bytes, since its name and declared type may be wrong. */
type Content = 'wav' | 'mp3' | 'unknown' | { foreign: string };

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

/** Bytes that `contentOf` needs. */
export const contentBytes = 4096;

/** Recognizes a format. Raw samples have no signature, so they are `unknown`. */
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

  /** Peeks at up to this many bytes; fewer only at the end. */
  async peek(length: number): Promise<Uint8Array> {
    while (this.held.length < length && !this.ended) await this.fetch();
    return this.held.subarray(0, length);
  }

  /** Takes exactly this many bytes; undefined if the stream ends before. */
  async take(length: number): Promise<Buffer | undefined> {
    await this.peek(length);
    if (this.held.length < length) return undefined;
    const taken = this.held.subarray(0, length);
    this.held = this.held.subarray(length);
    return taken;
  }

  /** The bytes available, up to a limit; undefined at the end. */
  async some(lengthMax: number): Promise<Uint8Array | undefined> {
    while (this.held.length === 0 && !this.ended) await this.fetch();
    if (this.held.length === 0) return undefined;
    const taken = this.held.subarray(0, lengthMax);
    this.held = this.held.subarray(taken.length);
    return taken;
  }

  /** Closes the source when no more will be read. */
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

// Bit rates of MPEG Layer III in kbit/s, by index; version 1, then versions 2 and 2.5.
const bitRates1 = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];

const bitRates2 = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];

const sampleRates1 = [44_100, 48_000, 32_000];

/** The length of an ID3 tag's header, which is longer than a frame's. */
const headBytes = 10;

/** Follows an MP3 stream from frame to frame, to tell whether it ends at the end of a frame. */
export class Mp3Walk {
  /** Bytes at the end of a block that are too few for a header. */
  private rest: Uint8Array = new Uint8Array(0);
  private bytesLeft = 0;
  private isFrame = false;
  /** Whether the next byte follows a frame or tag directly. Elsewhere, two bytes may look like a frame by chance. */
  private isInStep = true;

  push(block: Uint8Array): void {
    const bytes = Buffer.concat([this.rest, block]);
    let at = 0;
    while (at < bytes.length) {
      if (this.bytesLeft === 0 && bytes.length - at < headBytes) break;
      if (this.bytesLeft === 0) this.begin(bytes.subarray(at, at + headBytes));
      const passed = Math.min(this.bytesLeft, bytes.length - at);
      this.bytesLeft -= passed;
      at += passed;
    }
    this.rest = bytes.subarray(at);
  }

  /** Whether a frame is incomplete. */
  get isWithinFrame(): boolean {
    return this.bytesLeft > 0 ? this.isFrame : this.isInStep && beginsFrame(this.rest);
  }

  private begin(head: Uint8Array): void {
    const frameBytes = frameLengthOf(head, 0);
    const bytes = frameBytes ?? tagLengthOf(head);
    this.isFrame = frameBytes !== undefined && this.isInStep;
    this.isInStep = bytes !== undefined;
    this.bytesLeft = bytes ?? 1;
  }
}

/** Whether these last few bytes look like the beginning of a frame. */
function beginsFrame(rest: Uint8Array): boolean {
  if (rest.length >= 3) return frameLengthOf(rest, 0) !== undefined;
  const [sync, kind = 0xe2] = rest;
  return sync === 0xff && (kind & 0xe6) === 0xe2;
}

/** The length of an ID3 tag including its header. The size has seven bits per byte. */
function tagLengthOf(head: Uint8Array): number | undefined {
  if (head[0] !== 0x49 || head[1] !== 0x44 || head[2] !== 0x33) return undefined;
  return head.subarray(6, headBytes).reduce((size, byte) => size * 128 + (byte & 0x7f), 0) + headBytes;
}

/** The length of the MP3 frame that starts here; undefined if no Layer III frame does. */
export function frameLengthOf(bytes: Uint8Array, at: number): number | undefined {
  const [sync = 0, kind = 0, rates = 0] = bytes.subarray(at, at + 3);
  if (sync !== 0xff || (kind & 0xe6) !== 0xe2) return undefined;
  const version = (kind >> 3) & 0x03;
  const isVersion1 = version === 3;
  const bitRate = (isVersion1 ? bitRates1 : bitRates2)[rates >> 4];
  const sampleRate = sampleRates1[(rates >> 2) & 0x03];
  if (version === 1 || !bitRate || !sampleRate) return undefined;
  const divisor = isVersion1 ? 1 : version === 2 ? 2 : 4;
  const padding = (rates >> 1) & 0x01;
  return Math.floor(((isVersion1 ? 144 : 72) * bitRate * 1000) / (sampleRate / divisor)) + padding;
}
