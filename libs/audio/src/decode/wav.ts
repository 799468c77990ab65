import { AudioFailure } from '../failure';
import type { ByteReader } from './byte-reader';
import { SampleDecoder } from './sample-decoder';
import type { SourceBlock } from './source-block';
import { readWavHeader } from './wav-header';

const blockBytes = 16 * 1024;

/** The samples of a WAV file as 16-bit mono at the file's own rate. Fewer samples than promised is a failure. */
export async function* readWav(reader: ByteReader): AsyncGenerator<SourceBlock> {
  const { encoding, channels, sampleRate, dataBytes } = await readWavHeader(reader);
  const decoder = new SampleDecoder(encoding, channels);
  let left = dataBytes ?? Number.POSITIVE_INFINITY;
  while (left > 0) {
    const bytes = await reader.some(Math.min(blockBytes, left));
    if (!bytes) break;
    left -= bytes.length;
    yield { samples: decoder.push(bytes), sampleRate };
  }
  if (dataBytes !== undefined && left > 0) {
    throw new AudioFailure('truncated', `The WAV file promises ${dataBytes} bytes of samples and ends ${left} bytes before.`);
  }
}
