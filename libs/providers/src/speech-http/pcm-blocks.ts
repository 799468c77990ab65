import { samplesFromBytes } from '@parley/audio';
import { ProviderFailure, type SpeechBlock } from '@parley/ports';

/** A body of little-endian 16-bit samples as it arrives; a sample cut between two chunks is put together again. */
export async function* pcmBlocks(response: Response, sampleRate: number, provider: string): AsyncGenerator<SpeechBlock> {
  if (!response.body) return;
  let rest = new Uint8Array(0);
  try {
    for await (const chunk of response.body) {
      const bytes = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk;
      const samples = samplesFromBytes(Uint8Array.from(bytes));
      rest = Uint8Array.from(bytes.subarray(samples.length * 2));
      if (samples.length > 0) yield { samples, sampleRate };
    }
  } catch (cause) {
    if (cause instanceof Error && cause.name === 'AbortError') throw cause;
    throw new ProviderFailure(provider, 'broke off while speaking', { retryable: true, cause });
  }
}
