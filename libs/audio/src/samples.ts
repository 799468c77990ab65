import { endianness } from 'node:os';

// Views instead of copies are what keep a frame cheap; every machine that Node 24 is built for, bar s390x, is little-endian.
if (endianness() !== 'LE') throw new Error('sound is kept in the byte order of a little-endian machine');

/** Reads little-endian 16-bit bytes as samples; a dangling odd byte is left out. */
export function samplesFromBytes(bytes: Uint8Array): Int16Array {
  const evenLength = bytes.length - (bytes.length % 2);
  if (bytes.byteOffset % 2 === 0) return new Int16Array(bytes.buffer, bytes.byteOffset, evenLength / 2);
  // Not slice(): that of a Node Buffer is a view on the same odd place, in a pool that begins elsewhere.
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

/** A sample of any size brought into 16 bits: rounded, and clipped rather than wrapped. */
export function toSample(value: number): number {
  if (value >= 32_767) return 32_767;
  if (value <= -32_768) return -32_768;
  return Math.round(value) || 0;
}
