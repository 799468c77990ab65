import { aLaw, muLaw, toSample } from '../encodings';

/** Samples as a file holds them: 16-bit mono, at the file's own rate. */
export interface SourceBlock {
  readonly samples: Int16Array;
  readonly sampleRate: number;
}

/** How one sample is written down. */
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

/** Turns written samples into 16-bit mono, block by block; a sample may be cut anywhere between two blocks. */
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

  /** The samples that this block completes, channels mixed to one. */
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

/** Why bytes that were called audio cannot be heard. */
export type AudioFailureReason = 'unrecognised' | 'unsupported' | 'damaged' | 'truncated' | 'too-long';

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
