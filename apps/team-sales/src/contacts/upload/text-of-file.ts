import { TextDecoder } from 'node:util';
import { Fault } from '@parley/contracts';

const headBytes = 512;
const looksBinary = /[\0-\x08\x0e-\x1f]/;
const signatures = ['%PDF', 'PK\x03\x04', '\x89PNG', '\xff\xd8\xff', 'GIF8', '\x1f\x8b', '\xd0\xcf\x11\xe0'].map((text) =>
  Buffer.from(text, 'latin1'),
);

/** The text of an uploaded file, piece by piece. Refuses what is no UTF-8 text, and more bytes than allowed. */
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
  return new Fault('UNSUPPORTED_MEDIA_TYPE', { message: 'The file is not a CSV, whatever its name says.' });
}

function refuseForeignFormats(start: Buffer): void {
  if (isUtf16(start)) throw badFile('it is UTF-16; save it as CSV UTF-8');
  // Before the text is decoded: what was never text should not be told to become UTF-8.
  plain(start.subarray(0, headBytes).toString('latin1'));
  if (signatures.some((signature) => start.subarray(0, signature.length).equals(signature))) throw notCsv();
}

/** By its mark, or because every other byte of its beginning is zero. */
function isUtf16(start: Buffer): boolean {
  const mark = start.subarray(0, 2).toString('hex');
  if (mark === 'fffe' || mark === 'feff') return true;
  const head = start.subarray(0, 64);
  const zeros = [0, 1].map((offset) => head.filter((byte, index) => index % 2 === offset && byte === 0).length);
  return head.length >= 8 && zeros.some((count) => count > head.length / 4) && zeros.some((count) => count === 0);
}

/** The file as a whole cannot be read: nothing of it is saved, and the client reads why. */
export function badFile(message: string): Fault {
  return new Fault('VALIDATION_FAILED', {
    message: `The file cannot be read: ${message}.`,
    details: [{ field: 'file', message }],
  });
}
