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

/** Sound is judged in frames of this length. */
const frameMs = 20;
/** How much of a pause stays on both sides of it, since words begin and end softly. */
const keptMs = 160;
/** Softer than any speech: a 1,000th of full scale. */
const faintest = 33;
/** How much louder than the background speech has to be for the two to be told apart. */
const contrastMin = 4;
/** From where between the background and the loudest something is spoken, on a scale of logarithms. */
const spokenFrom = 0.3;

/**
 * A recording whose pauses are no longer than a third of a second, and empty if it is all silence: the model ends at some longer ones,
 * though others speak after them, and invents notes for silence. Where the background is as loud as the speech, everything stays.
 */
export function withShortPauses(samples: Int16Array, sampleRate: number): Int16Array {
  const frame = (sampleRate * frameMs) / 1000;
  const kept = keptMs / frameMs;
  const loudness: number[] = [];
  for (let at = 0; at < samples.length; at += frame) loudness.push(rootOf(samples.subarray(at, at + frame)));
  const least = leastSpoken(loudness);
  const parts: { from: number; to: number }[] = [];
  for (const [at, each] of loudness.entries()) {
    if (each < least) continue;
    const last = parts.at(-1);
    if (last && at - kept <= last.to) last.to = at + 1 + kept;
    else parts.push({ from: Math.max(0, at - kept), to: at + 1 + kept });
  }
  return joinSamples(parts.map(({ from, to }) => samples.subarray(from * frame, to * frame)));
}

function leastSpoken(loudness: readonly number[]): number {
  const sorted = loudness.toSorted((one, other) => one - other);
  const [background = 1, loudest = 1] = [0.1, 0.95].map((share) =>
    Math.max(1, sorted[Math.floor(share * (sorted.length - 1))] ?? 1),
  );
  if (loudest > faintest && loudest < contrastMin * background) return 0;
  return Math.max(faintest, background ** (1 - spokenFrom) * loudest ** spokenFrom);
}

function rootOf(samples: Int16Array): number {
  let sum = 0;
  for (const sample of samples) sum += sample * sample;
  return Math.sqrt(sum / Math.max(1, samples.length));
}
