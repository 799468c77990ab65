import { AudioFailure, bytesPerSample, SampleDecoder, type SampleEncoding, type SourceBlock, toSample } from '../encodings';
import { isResamplable, Resampler } from '../resampler';
import { ByteReader, contentBytes, contentOf, Mp3Walk } from './content';

const blockBytes = 8 * 1024;

export interface OpenAudioOptions {
  /** The rate of the result; the audio is resampled while it is decoded. */
  readonly toRate: number;
  /** How to read bytes in no recognized format. Absent: they are refused. */
  readonly raw?: { readonly sampleRate: number; readonly encoding?: SampleEncoding; readonly channels?: number };
  readonly secondsMax?: number;
}

interface OpenedAudio {
  readonly container: 'wav' | 'mp3' | 'raw';
  /** 16-bit mono at that rate, decoded while it is read. Defective data throws an AudioFailure. */
  readonly blocks: AsyncIterable<Int16Array>;
}

const secondsMaxByDefault = 3600;

/** Opens audio by its content, ignoring its name. Only a few blocks are in memory at a time. */
export async function openAudio(source: AsyncIterable<Uint8Array>, options: OpenAudioOptions): Promise<OpenedAudio> {
  const reader = new ByteReader(source);
  try {
    const { container, read } = await decoderFor(reader, options.raw);
    return { container, blocks: convert(read(), reader, options) };
  } catch (failure) {
    await reader.close();
    throw failure;
  }
}

type Container = OpenedAudio['container'];

async function decoderFor(
  reader: ByteReader,
  raw: OpenAudioOptions['raw'],
): Promise<{ container: Container; read: () => AsyncGenerator<SourceBlock> }> {
  const head = await reader.peek(contentBytes);
  if (head.length === 0) throw new AudioFailure('empty', 'The audio file is empty.');
  const content = contentOf(head);
  if (content === 'wav') return { container: 'wav', read: () => readWav(reader) };
  if (content === 'mp3') return { container: 'mp3', read: () => readMp3(reader) };
  if (content !== 'unknown') throw new AudioFailure('unsupported', `The file is ${content.foreign}; send WAV, MP3 or raw PCM.`);
  if (!raw) throw new AudioFailure('unrecognised', 'The file is neither WAV nor MP3; for raw PCM say its sample rate.');
  return { container: 'raw', read: () => readRaw(reader, raw) };
}

async function* readRaw(reader: ByteReader, raw: NonNullable<OpenAudioOptions['raw']>): AsyncGenerator<SourceBlock> {
  const decoder = new SampleDecoder(raw.encoding ?? 'pcm16', raw.channels ?? 1);
  for (;;) {
    const bytes = await reader.some(16 * 1024);
    if (!bytes) return;
    yield { samples: decoder.push(bytes), sampleRate: raw.sampleRate };
  }
}

async function* convert(
  blocks: AsyncGenerator<SourceBlock>,
  reader: ByteReader,
  { toRate, secondsMax = secondsMaxByDefault }: OpenAudioOptions,
): AsyncGenerator<Int16Array> {
  let resampler: Resampler | undefined;
  let seconds = 0;
  try {
    for await (const { samples, sampleRate } of blocks) {
      if (!isResamplable(sampleRate))
        throw new AudioFailure('unsupported', `Audio at ${sampleRate} samples a second is not taken.`);
      seconds += samples.length / sampleRate;
      if (seconds > secondsMax) throw new AudioFailure('too-long', `The audio is longer than ${secondsMax / 60} minutes.`);
      if (resampler?.fromRate !== sampleRate) {
        if (resampler) yield resampler.flush();
        resampler?.close();
        resampler = await Resampler.create(sampleRate, toRate);
      }
      yield resampler.push(samples);
    }
    if (resampler) yield resampler.flush();
  } finally {
    resampler?.close();
    await reader.close();
  }
}

/**
 * The samples of an MP3 file as 16-bit mono. The decoder ignores garbage and incomplete frames, so a file without samples and one
 * that ends within a frame are failures here.
 */
async function* readMp3(reader: ByteReader): AsyncGenerator<SourceBlock> {
  const { MPEGDecoder } = await import('mpg123-decoder');
  const decoder = new MPEGDecoder();
  await decoder.ready;
  const walk = new Mp3Walk();
  let heard = false;
  try {
    for (;;) {
      const bytes = await reader.some(blockBytes);
      if (!bytes) break;
      walk.push(bytes);
      const { channelData, samplesDecoded, sampleRate } = decoder.decode(bytes);
      if (samplesDecoded === 0) continue;
      heard = true;
      yield { samples: mixToMono(channelData), sampleRate };
    }
  } finally {
    decoder.free();
  }
  if (!heard) throw new AudioFailure('damaged', 'The MP3 file holds no sound that can be decoded.');
  if (walk.isWithinFrame) throw new AudioFailure('truncated', 'The MP3 file ends in the middle of a frame.');
}

function mixToMono(channels: readonly Float32Array[]): Int16Array {
  const [left = new Float32Array(0), right = left] = channels;
  const samples = new Int16Array(left.length);
  for (let i = 0; i < samples.length; i++) samples[i] = toSample(((left[i] ?? 0) + (right[i] ?? 0)) * 16_384);
  return samples;
}

/** The header of a WAV file. */
interface WavHeader {
  readonly encoding: SampleEncoding;
  readonly channels: number;
  readonly sampleRate: number;
  /** Absent if the writer was streaming and did not know it. */
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

const wavBlockBytes = 16 * 1024;

/** The samples of a WAV file as 16-bit mono at the file's own rate. Fewer than announced is a failure. */
async function* readWav(reader: ByteReader): AsyncGenerator<SourceBlock> {
  const { encoding, channels, sampleRate, dataBytes } = await readWavHeader(reader);
  const decoder = new SampleDecoder(encoding, channels);
  let left = dataBytes ?? Number.POSITIVE_INFINITY;
  while (left > 0) {
    const bytes = await reader.some(Math.min(wavBlockBytes, left));
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

/** Streaming writers put zero or the largest number; both mean "until the end". */
function dataBytesOf(size: number, longSize: number | undefined): number | undefined {
  if (size === 0xffff_ffff && longSize) return longSize;
  return size === 0 || size >= 0x7fff_0000 ? undefined : size;
}

async function need(reader: ByteReader, length: number): Promise<Buffer> {
  const bytes = await reader.take(length);
  if (!bytes) throw new AudioFailure('truncated', 'The WAV file ends within its header.');
  return bytes;
}
