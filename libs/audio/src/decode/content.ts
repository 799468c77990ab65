import { frameLengthOf } from './mp3-frame';

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
