import { AudioFailure } from '../failure';
import { toSample } from '../samples';
import type { ByteReader } from './byte-reader';
import { Mp3Walk } from './mp3-walk';
import type { SourceBlock } from './source-block';

const blockBytes = 8 * 1024;

/**
 * The samples of an MP3 file as 16-bit mono. The decoder meets garbage with silence and passes over half a frame, so no samples
 * at all, and an end within a frame, are failures.
 */
export async function* readMp3(reader: ByteReader): AsyncGenerator<SourceBlock> {
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
