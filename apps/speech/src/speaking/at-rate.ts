import { Resampler } from '@parley/audio';
import type { SpeechBlock } from '@parley/ports';

/** Speech at one rate, whatever rates its engines speak at; one may stand in for another in the middle. */
export async function* atRate(blocks: AsyncIterable<SpeechBlock>, sampleRate: number): AsyncGenerator<SpeechBlock> {
  let resampler: Resampler | undefined;
  try {
    for await (const block of blocks) {
      if (resampler?.fromRate !== block.sampleRate) {
        resampler?.close();
        resampler = await Resampler.create(block.sampleRate, sampleRate);
      }
      yield { ...block, sampleRate, samples: resampler.push(block.samples) };
    }
    if (resampler) yield { sampleRate, samples: resampler.flush() };
  } finally {
    resampler?.close();
  }
}
