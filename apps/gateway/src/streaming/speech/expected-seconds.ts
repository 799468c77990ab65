import type { transcribeRecording } from '@parley/contracts';
import type { z } from 'zod';

type Recording = Pick<z.output<typeof transcribeRecording.request>, 'audioFile' | 'durationSeconds'>;

// 16,000 samples of 16 bits, the usual recording of speech; and 48,000 in stereo, the fewest seconds that a size can be.
const usualBytesPerSecond = 32_000;
const bytesPerSecondMax = 192_000;

/** How long a recording will probably turn out to be: what the client says, unless the file is too large for that. */
export function expectedSeconds({ audioFile: { size }, durationSeconds }: Recording): number {
  return Math.max(1, Math.ceil(durationSeconds === undefined ? size / usualBytesPerSecond : Math.max(durationSeconds, size / bytesPerSecondMax)));
}
