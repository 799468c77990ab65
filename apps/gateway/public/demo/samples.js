/** Cuts a stream of samples into 16-bit frames of one length. */
export class FrameCutter {
  constructor(frameSamples) {
    this.frame = new Int16Array(frameSamples);
    this.filled = 0;
  }

  push(samples) {
    const frames = [];
    for (const sample of samples) {
      this.frame[this.filled] = toSixteenBits(sample);
      this.filled += 1;
      if (this.filled < this.frame.length) continue;
      frames.push(this.frame);
      this.frame = new Int16Array(this.frame.length);
      this.filled = 0;
    }
    return frames;
  }
}

/** 16-bit little-endian bytes as samples from -1 to 1; an odd byte at the end is dropped. */
export function fromSixteenBits(bytes) {
  const view = new DataView(bytes);
  return Float32Array.from({ length: bytes.byteLength >> 1 }, (_, index) => view.getInt16(index * 2, true) / 32_768);
}

/** The perceived loudness of a 16-bit frame, from 0 for silence to 1, for the meter. */
export function levelOf(frame) {
  let sum = 0;
  for (const sample of frame) sum += sample * sample;
  const loudness = Math.sqrt(sum / Math.max(1, frame.length)) / 32_768;
  return Math.min(1, Math.max(0, 1 + Math.log10(loudness + 1e-6) / 2.2));
}

// Clipped, not wrapped: a wrapped sample is heard as a click.
function toSixteenBits(sample) {
  return Math.round(Math.max(-1, Math.min(32_767 / 32_768, sample)) * 32_768);
}
