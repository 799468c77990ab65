import { endianness } from 'node:os';

// Samples are read as views instead of copies, which is what keeps a frame cheap. Of Node 24's platforms only s390x is big-endian.
if (endianness() !== 'LE') throw new Error('only little-endian machines are supported');

/** Reads little-endian 16-bit bytes as samples, without a copy if they are aligned; an odd last byte is ignored. */
export function samplesFromBytes(bytes: Uint8Array): Int16Array {
  const evenLength = bytes.length - (bytes.length % 2);
  if (bytes.byteOffset % 2 === 0) return new Int16Array(bytes.buffer, bytes.byteOffset, evenLength / 2);
  // Not slice(): a Buffer's slice is a view of the same unaligned memory.
  const aligned = new Uint8Array(evenLength);
  aligned.set(bytes.subarray(0, evenLength));
  return new Int16Array(aligned.buffer);
}

/** The little-endian bytes of samples, as a view on the same memory. */
export function bytesFromSamples(samples: Int16Array): Uint8Array {
  return new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength);
}

/** One array of all blocks, in order. */
export function joinSamples(blocks: readonly Int16Array[]): Int16Array {
  const joined = new Int16Array(blocks.reduce((total, block) => total + block.length, 0));
  let at = 0;
  for (const block of blocks) {
    joined.set(block, at);
    at += block.length;
  }
  return joined;
}

/** Loudness as root mean square, 0 for silence to 1 for a full-scale square wave. */
export function loudnessOf(samples: Int16Array): number {
  if (samples.length === 0) return 0;
  let sum = 0;
  for (const sample of samples) sum += sample * sample;
  return Math.sqrt(sum / samples.length) / 32_768;
}

/** Rounds and clips a value to 16 bits. */
export function toSample(value: number): number {
  if (value >= 32_767) return 32_767;
  if (value <= -32_768) return -32_768;
  return Math.round(value) || 0;
}

// ITU-T G.711 by tables of 64k entries for encoding and 256 for decoding: one look-up per sample.
const muLawBias = 0x84;
const muLawClip = 32_635;

function encodeMuLawSample(sample: number): number {
  const sign = sample < 0 ? 0x80 : 0;
  const magnitude = Math.min(Math.abs(sample), muLawClip) + muLawBias;
  const exponent = 24 - Math.clz32(magnitude);
  const mantissa = (magnitude >> (exponent + 3)) & 0x0f;
  return ~(sign | (exponent << 4) | mantissa) & 0xff;
}

function decodeMuLawByte(byte: number): number {
  const code = ~byte & 0xff;
  const magnitude = ((((code & 0x0f) << 3) + muLawBias) << ((code >> 4) & 0x07)) - muLawBias;
  return code & 0x80 ? -magnitude : magnitude;
}

function encodeALawSample(sample: number): number {
  // The standard uses 13 bits, with negative values in one's complement.
  const value = sample >> 3;
  const magnitude = value < 0 ? -value - 1 : value;
  const mask = value < 0 ? 0x55 : 0xd5;
  if (magnitude < 32) return (magnitude >> 1) ^ mask;
  const exponent = 27 - Math.clz32(magnitude);
  return ((exponent << 4) | ((magnitude >> exponent) & 0x0f)) ^ mask;
}

function decodeALawByte(byte: number): number {
  const code = byte ^ 0x55;
  const exponent = (code >> 4) & 0x07;
  const mantissa = (code & 0x0f) << 4;
  const magnitude = exponent === 0 ? mantissa + 8 : (mantissa + 0x108) << (exponent - 1);
  return code & 0x80 ? magnitude : -magnitude;
}

class Companding {
  private readonly codes = new Uint8Array(65_536);
  private readonly samples = new Int16Array(256);

  constructor(encodeSample: (sample: number) => number, decodeByte: (byte: number) => number) {
    for (let sample = -32_768; sample < 32_768; sample++) this.codes[sample & 0xffff] = encodeSample(sample);
    for (let byte = 0; byte < 256; byte++) this.samples[byte] = decodeByte(byte);
  }

  encode(samples: Int16Array): Uint8Array {
    const bytes = new Uint8Array(samples.length);
    for (let i = 0; i < samples.length; i++) bytes[i] = this.codes[(samples[i] ?? 0) & 0xffff] ?? 0;
    return bytes;
  }

  decode(bytes: Uint8Array): Int16Array {
    const samples = new Int16Array(bytes.length);
    for (let i = 0; i < bytes.length; i++) samples[i] = this.samples[bytes[i] ?? 0] ?? 0;
    return samples;
  }
}

/** Mu-law, used in North America and Japan. */
export const muLaw = new Companding(encodeMuLawSample, decodeMuLawByte);

/** A-law, used elsewhere. */
export const aLaw = new Companding(encodeALawSample, decodeALawByte);

/** The encodings of files and lines. */
export type OutputEncoding = 'pcm16' | 'mulaw' | 'alaw';

interface WavShape {
  readonly sampleRate: number;
  readonly encoding?: OutputEncoding;
  /** Absent if the length is not known yet: the header then has the number that means "until the end". */
  readonly dataBytes?: number;
}

const tags: Record<OutputEncoding, number> = { pcm16: 1, alaw: 6, mulaw: 7 };
const headerBytes = 44;
/** For both sizes of a stream, as ffmpeg writes it; the players that ignore a size take only this one for none. */
const unknownSize = 0xffff_ffff;

/** The 44 bytes before the samples of a mono WAV file. */
export function wavHeader({ sampleRate, encoding = 'pcm16', dataBytes }: WavShape): Uint8Array {
  const bytes = encoding === 'pcm16' ? 2 : 1;
  const header = Buffer.alloc(headerBytes);
  header.write('RIFF', 0, 'latin1');
  header.writeUInt32LE(dataBytes === undefined ? unknownSize : dataBytes + headerBytes - 8, 4);
  header.write('WAVEfmt ', 8, 'latin1');
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(tags[encoding], 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(sampleRate, 24);
  header.writeUInt32LE(sampleRate * bytes, 28);
  header.writeUInt16LE(bytes, 32);
  header.writeUInt16LE(bytes * 8, 34);
  header.write('data', 36, 'latin1');
  header.writeUInt32LE(dataBytes ?? unknownSize, 40);
  return header;
}

/** The bytes of samples in an encoding, without any header. */
export function encodeSamples(samples: Int16Array, encoding: OutputEncoding): Uint8Array {
  if (encoding === 'mulaw') return muLaw.encode(samples);
  if (encoding === 'alaw') return aLaw.encode(samples);
  return bytesFromSamples(samples);
}

/** A whole mono WAV file. */
export function wavFile(samples: Int16Array, sampleRate: number, encoding: OutputEncoding = 'pcm16'): Uint8Array {
  const body = encodeSamples(samples, encoding);
  return Buffer.concat([wavHeader({ sampleRate, encoding, dataBytes: body.length }), body]);
}

/** A block of a file, as 16-bit mono at the file's own rate. */
export interface SourceBlock {
  readonly samples: Int16Array;
  readonly sampleRate: number;
}

/** The encodings of samples that can be read. */
export type SampleEncoding = 'pcm8' | 'pcm16' | 'pcm24' | 'pcm32' | 'float32' | 'float64' | 'mulaw' | 'alaw';

type ReadSample = (view: DataView, at: number) => number;

const readers: Record<SampleEncoding, { bytes: number; read: ReadSample }> = {
  pcm8: { bytes: 1, read: (view, at) => (view.getUint8(at) - 128) * 256 },
  pcm16: { bytes: 2, read: (view, at) => view.getInt16(at, true) },
  pcm24: { bytes: 3, read: (view, at) => (view.getInt8(at + 2) * 65_536 + view.getUint16(at, true)) / 256 },
  pcm32: { bytes: 4, read: (view, at) => view.getInt32(at, true) / 65_536 },
  float32: { bytes: 4, read: (view, at) => view.getFloat32(at, true) * 32_768 },
  float64: { bytes: 8, read: (view, at) => view.getFloat64(at, true) * 32_768 },
  mulaw: { bytes: 1, read: (view, at) => muLaw.decode(Uint8Array.of(view.getUint8(at)))[0] ?? 0 },
  alaw: { bytes: 1, read: (view, at) => aLaw.decode(Uint8Array.of(view.getUint8(at)))[0] ?? 0 },
};

/** Bytes that one sample takes. */
export function bytesPerSample(encoding: SampleEncoding): number {
  return readers[encoding].bytes;
}

/** Decodes samples to 16-bit mono, block by block; a sample may be split between two blocks. */
export class SampleDecoder {
  private readonly frameBytes: number;
  private rest = new Uint8Array(0);

  constructor(
    private readonly encoding: SampleEncoding,
    private readonly channels: number,
  ) {
    if (channels < 1 || channels > 8) throw new AudioFailure('unsupported', `Audio with ${channels} channels is not taken.`);
    this.frameBytes = bytesPerSample(encoding) * channels;
  }

  /** The samples that this block completes, mixed to mono. */
  push(block: Uint8Array): Int16Array {
    const bytes = this.rest.length > 0 ? Buffer.concat([this.rest, block]) : block;
    const whole = bytes.length - (bytes.length % this.frameBytes);
    this.rest = Uint8Array.from(bytes.subarray(whole));
    return this.decode(bytes.subarray(0, whole));
  }

  private decode(bytes: Uint8Array): Int16Array {
    if (this.channels === 1 && this.encoding === 'mulaw') return muLaw.decode(bytes);
    if (this.channels === 1 && this.encoding === 'alaw') return aLaw.decode(bytes);
    const { bytes: width, read } = readers[this.encoding];
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const samples = new Int16Array(bytes.length / this.frameBytes);
    for (let i = 0, at = 0; i < samples.length; i++) {
      let sum = 0;
      for (let channel = 0; channel < this.channels; channel++, at += width) sum += read(view, at);
      samples[i] = toSample(sum / this.channels);
    }
    return samples;
  }
}

/** Why audio cannot be decoded. */
export type AudioFailureReason = 'empty' | 'unrecognised' | 'unsupported' | 'damaged' | 'truncated' | 'too-long';

/** Bytes that are not the audio they claim to be. The message is meant for the sender. */
export class AudioFailure extends Error {
  override readonly name = 'AudioFailure';

  constructor(
    readonly reason: AudioFailureReason,
    message: string,
  ) {
    super(message);
  }
}
