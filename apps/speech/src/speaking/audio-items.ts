import type { AudioItem } from '@parley/contracts';
import type { AudioWriter } from './audio-writer';

// As base64 this stays below what one item may hold.
const partBytesMax = 48 * 1024;

interface AudioStream {
  readonly writer: AudioWriter;
  readonly characters: number;
  /** Short speech is gathered first, so that its header can tell its size. */
  readonly isShort: boolean;
}

/** The steps of an audio stream: what it is, then its bytes in parts. */
export async function* audioItems(blocks: AsyncIterable<Int16Array>, { writer, characters, isShort }: AudioStream): AsyncGenerator<AudioItem> {
  const bytes = encoded(blocks, writer);
  const { contentType, sampleRate } = writer;
  if (isShort) {
    const body = await gathered(bytes);
    const header = writer.header(body.length);
    yield { type: 'format', contentType, sampleRate, characters, totalBytes: header.length + body.length };
    yield* parts(Buffer.concat([header, body]));
    return;
  }
  yield { type: 'format', contentType, sampleRate, characters, totalBytes: null };
  yield* parts(writer.header(undefined));
  for await (const block of bytes) yield* parts(block);
}

async function* encoded(blocks: AsyncIterable<Int16Array>, writer: AudioWriter): AsyncGenerator<Uint8Array> {
  for await (const block of blocks) yield writer.encode(block);
  yield writer.finish();
}

async function gathered(bytes: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const all: Uint8Array[] = [];
  for await (const block of bytes) all.push(block);
  return Buffer.concat(all);
}

function* parts(bytes: Uint8Array): Generator<AudioItem> {
  for (let at = 0; at < bytes.length; at += partBytesMax) {
    yield { type: 'audio', base64: Buffer.from(bytes.subarray(at, at + partBytesMax)).toString('base64') };
  }
}
