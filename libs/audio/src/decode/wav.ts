import { AudioFailure } from '../failure';
import type { ByteReader } from './content';
import { bytesPerSample, SampleDecoder, type SampleEncoding } from './sample-decoder';
import type { SourceBlock } from './sample-decoder';

/** What a WAV file says about its samples. */
interface WavHeader {
  readonly encoding: SampleEncoding;
  readonly channels: number;
  readonly sampleRate: number;
  /** Absent where the writer was still writing and could not know. */
  readonly dataBytes: number | undefined;
}

type WavFormat = Omit<WavHeader, 'dataBytes'>;

const preludeBytesMax = 1024 * 1024;

const encodings: Record<string, SampleEncoding> = {
  '1/8': 'pcm8',
  '1/16': 'pcm16',
  '1/24': 'pcm24',
  '1/32': 'pcm32',
  '3/32': 'float32',
  '3/64': 'float64',
  '6/8': 'alaw',
  '7/8': 'mulaw',
};

const blockBytes = 16 * 1024;

/** The samples of a WAV file as 16-bit mono at the file's own rate. Fewer samples than promised is a failure. */
export async function* readWav(reader: ByteReader): AsyncGenerator<SourceBlock> {
  const { encoding, channels, sampleRate, dataBytes } = await readWavHeader(reader);
  const decoder = new SampleDecoder(encoding, channels);
  let left = dataBytes ?? Number.POSITIVE_INFINITY;
  while (left > 0) {
    const bytes = await reader.some(Math.min(blockBytes, left));
    if (!bytes) break;
    left -= bytes.length;
    yield { samples: decoder.push(bytes), sampleRate };
  }
  if (dataBytes !== undefined && left > 0) {
    throw new AudioFailure('truncated', `The WAV file promises ${dataBytes} bytes of samples and ends ${left} bytes before.`);
  }
}

/** Reads up to the first sample. Chunks may come in any order and any number, up to one megabyte. */
async function readWavHeader(reader: ByteReader): Promise<WavHeader> {
  await need(reader, 12);
  let format: WavFormat | undefined;
  let longDataBytes: number | undefined;
  for (let passed = 0; passed < preludeBytesMax;) {
    const head = await need(reader, 8);
    const id = head.toString('latin1', 0, 4);
    const size = head.readUInt32LE(4);
    if (id === 'data') {
      if (!format) throw new AudioFailure('damaged', 'The WAV file has samples before it says how they are written.');
      return { ...format, dataBytes: dataBytesOf(size, longDataBytes) };
    }
    passed += 8 + size;
    if (passed > preludeBytesMax) break;
    const body = await need(reader, size + (size % 2));
    if (id === 'fmt ') format = formatOf(body);
    if (id === 'ds64' && size >= 16) longDataBytes = Number(body.readBigUInt64LE(8));
  }
  throw new AudioFailure('damaged', 'The WAV file has no samples within its first megabyte.');
}

function formatOf(body: Buffer): WavFormat {
  if (body.length < 16) throw new AudioFailure('damaged', 'The WAV file describes its samples in too few bytes.');
  const isExtensible = body.readUInt16LE(0) === 0xfffe && body.length >= 26;
  const tag = isExtensible ? body.readUInt16LE(24) : body.readUInt16LE(0);
  const bits = body.readUInt16LE(14);
  const encoding = encodings[`${tag}/${bits}`];
  if (!encoding) throw new AudioFailure('unsupported', `WAV files with format ${tag} at ${bits} bits are not taken.`);
  const channels = body.readUInt16LE(2);
  const sampleRate = body.readUInt32LE(4);
  if (channels < 1 || body.readUInt16LE(12) !== channels * bytesPerSample(encoding)) {
    throw new AudioFailure('damaged', 'The WAV file contradicts itself about the size of a sample.');
  }
  return { encoding, channels, sampleRate };
}

/** Writers that stream put zero or the largest number there is; both mean "until the end". */
function dataBytesOf(size: number, longSize: number | undefined): number | undefined {
  if (size === 0xffff_ffff && longSize) return longSize;
  return size === 0 || size >= 0x7fff_0000 ? undefined : size;
}

async function need(reader: ByteReader, length: number): Promise<Buffer> {
  const bytes = await reader.take(length);
  if (!bytes) throw new AudioFailure('truncated', 'The WAV file ends within its header.');
  return bytes;
}
