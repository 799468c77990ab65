/** A sine at half of full scale. */
export function tone(hz: number, sampleRate: number, durationMs: number): Int16Array {
  const radians = (2 * Math.PI * hz) / sampleRate;
  return Int16Array.from({ length: Math.round((sampleRate * durationMs) / 1000) }, (_, i) => 16_384 * Math.sin(radians * i));
}

/** The share of a block's energy at one frequency, 0 to 1. */
export function shareOf(hz: number, samples: Int16Array, sampleRate: number): number {
  let re = 0;
  let im = 0;
  let energy = 0;
  samples.forEach((sample, i) => {
    const angle = (2 * Math.PI * hz * i) / sampleRate;
    re += sample * Math.cos(angle);
    im += sample * Math.sin(angle);
    energy += sample * sample;
  });
  return energy === 0 ? 0 : (2 * (re * re + im * im)) / (samples.length * energy);
}

/** Bytes as a network delivers them: in portions of an odd size. */
export async function* inPortions(bytes: Uint8Array, size = 1021): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** Joins the blocks of a stream. */
export async function gather(blocks: AsyncIterable<Int16Array>): Promise<Int16Array> {
  const all: number[] = [];
  for await (const block of blocks) all.push(...block);
  return Int16Array.from(all);
}
