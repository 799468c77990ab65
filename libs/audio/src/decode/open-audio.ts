import { AudioFailure } from '../failure';
import { Resampler, isResamplable } from '../resampler';
import { ByteReader } from './byte-reader';
import { contentBytes, contentOf } from './content';
import { readMp3 } from './mp3';
import { SampleDecoder, type SampleEncoding } from './sample-decoder';
import type { SourceBlock } from './source-block';
import { readWav } from './wav';

export interface OpenAudioOptions {
  /** The rate that the reader wants; the audio is resampled once, on the way. */
  readonly toRate: number;
  /** How bytes without any mark are to be read. Absent: they are refused. */
  readonly raw?: { readonly sampleRate: number; readonly encoding?: SampleEncoding; readonly channels?: number };
  readonly secondsMax?: number;
}

export interface OpenedAudio {
  readonly container: 'wav' | 'mp3' | 'raw';
  /** 16-bit mono at the wanted rate, decoded as it is read. A defect found on the way is an AudioFailure. */
  readonly blocks: AsyncIterable<Int16Array>;
}

const secondsMaxByDefault = 3600;

/** Opens audio by what it contains, whatever it is called. Memory stays at a few blocks, however long the file is. */
export async function openAudio(source: AsyncIterable<Uint8Array>, options: OpenAudioOptions): Promise<OpenedAudio> {
  const reader = new ByteReader(source);
  try {
    const { container, read } = await decoderFor(reader, options.raw);
    return { container, blocks: convert(read(), reader, options) };
  } catch (failure) {
    await reader.close();
    throw failure;
  }
}

type Container = OpenedAudio['container'];

async function decoderFor(
  reader: ByteReader,
  raw: OpenAudioOptions['raw'],
): Promise<{ container: Container; read: () => AsyncGenerator<SourceBlock> }> {
  const head = await reader.peek(contentBytes);
  if (head.length === 0) throw new AudioFailure('unrecognised', 'The audio file is empty.');
  const content = contentOf(head);
  if (content === 'wav') return { container: 'wav', read: () => readWav(reader) };
  if (content === 'mp3') return { container: 'mp3', read: () => readMp3(reader) };
  if (content !== 'unknown') throw new AudioFailure('unsupported', `The file is ${content.foreign}; send WAV, MP3 or raw PCM.`);
  if (!raw) throw new AudioFailure('unrecognised', 'The file is neither WAV nor MP3; for raw PCM say its sample rate.');
  return { container: 'raw', read: () => readRaw(reader, raw) };
}

async function* readRaw(reader: ByteReader, raw: NonNullable<OpenAudioOptions['raw']>): AsyncGenerator<SourceBlock> {
  const decoder = new SampleDecoder(raw.encoding ?? 'pcm16', raw.channels ?? 1);
  for (;;) {
    const bytes = await reader.some(16 * 1024);
    if (!bytes) return;
    yield { samples: decoder.push(bytes), sampleRate: raw.sampleRate };
  }
}

async function* convert(
  blocks: AsyncGenerator<SourceBlock>,
  reader: ByteReader,
  { toRate, secondsMax = secondsMaxByDefault }: OpenAudioOptions,
): AsyncGenerator<Int16Array> {
  let resampler: Resampler | undefined;
  let seconds = 0;
  try {
    for await (const { samples, sampleRate } of blocks) {
      seconds += samples.length / sampleRate;
      if (seconds > secondsMax) throw new AudioFailure('too-long', `The audio is longer than ${secondsMax / 60} minutes.`);
      if (resampler?.fromRate !== sampleRate) {
        if (resampler) yield resampler.flush();
        resampler?.close();
        resampler = await resamplerFor(sampleRate, toRate);
      }
      yield resampler.push(samples);
    }
    if (resampler) yield resampler.flush();
  } finally {
    resampler?.close();
    await reader.close();
  }
}

async function resamplerFor(fromRate: number, toRate: number): Promise<Resampler> {
  if (!isResamplable(fromRate)) throw new AudioFailure('unsupported', `Audio at ${fromRate} samples a second is not taken.`);
  return Resampler.create(fromRate, toRate);
}
