import { aLaw, muLaw } from './g711';
import { bytesFromSamples } from './samples';

/** How samples are written into a file or onto a line. */
export type OutputEncoding = 'pcm16' | 'mulaw' | 'alaw';

interface WavShape {
  readonly sampleRate: number;
  readonly encoding?: OutputEncoding;
  /** Absent while the end is not known: the header then promises as much as a header can. */
  readonly dataBytes?: number;
}

const tags: Record<OutputEncoding, number> = { pcm16: 1, alaw: 6, mulaw: 7 };
const headerBytes = 44;
const endlessBytes = 0x7fff_ffff;

/** The 44 bytes before the samples of a mono WAV file. */
export function wavHeader({ sampleRate, encoding = 'pcm16', dataBytes }: WavShape): Uint8Array {
  const bytes = encoding === 'pcm16' ? 2 : 1;
  const size = dataBytes ?? endlessBytes;
  const header = Buffer.alloc(headerBytes);
  header.write('RIFF', 0, 'latin1');
  header.writeUInt32LE(dataBytes === undefined ? endlessBytes : size + headerBytes - 8, 4);
  header.write('WAVEfmt ', 8, 'latin1');
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(tags[encoding], 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(sampleRate, 24);
  header.writeUInt32LE(sampleRate * bytes, 28);
  header.writeUInt16LE(bytes, 32);
  header.writeUInt16LE(bytes * 8, 34);
  header.write('data', 36, 'latin1');
  header.writeUInt32LE(dataBytes === undefined ? endlessBytes - headerBytes + 8 : size, 40);
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
