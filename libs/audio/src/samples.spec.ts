import { bytesFromSamples, samplesFromBytes } from './encodings';

describe('samples out of bytes', () => {
  const samples = Int16Array.of(1, -2, 300, -32_768);

  it.each([0, 1, 2, 3])('are the same wherever they lie in a pooled buffer: %i bytes from an even place', (place) => {
    const pool = Buffer.alloc(64, 0x55);
    pool.set(bytesFromSamples(samples), 16 + place);
    expect(samplesFromBytes(pool.subarray(16 + place, 24 + place))).toEqual(samples);
  });

  it('ignore an odd last byte', () => {
    expect(samplesFromBytes(Uint8Array.of(1, 0, 7))).toEqual(Int16Array.of(1));
  });
});
