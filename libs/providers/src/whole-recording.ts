import { joinSamples, Resampler } from '@parley/audio';
import { ProviderFailure, type TranscriptionRequest } from '@parley/ports';

type Recording = Pick<TranscriptionRequest, 'audio' | 'sampleRate'>;

interface RecordingFormat {
  readonly provider: string;
  readonly sampleRate: number;
  readonly secondsMax: number;
  /** Replaces the usual resampler. */
  readonly resampler?: Pick<Resampler, 'push' | 'flush' | 'close'>;
}

/** The whole recording at the engine's sample rate; throws if it is longer than the engine accepts. */
export async function wholeRecording({ audio, sampleRate: fromRate }: Recording, wanted: RecordingFormat): Promise<Int16Array> {
  const { provider, sampleRate, secondsMax } = wanted;
  const resampler = wanted.resampler ?? (await Resampler.create(fromRate, sampleRate));
  const blocks: Int16Array[] = [];
  let length = 0;
  try {
    for await (const block of audio()) {
      length += block.length;
      if (length > secondsMax * fromRate)
        throw new ProviderFailure(provider, `takes ${secondsMax} seconds at most`, { retryable: false });
      blocks.push(resampler.push(block).slice());
    }
    blocks.push(resampler.flush());
  } finally {
    resampler.close();
  }
  return joinSamples(blocks);
}
