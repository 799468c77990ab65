import { AudioFailure } from '../failure';
import { Resampler, isResamplable } from '../resampler';
import { toSample } from '../samples';
import { contentBytes, contentOf, ByteReader } from './content';
import { Mp3Walk } from './mp3';
import { SampleDecoder, type SampleEncoding } from './sample-decoder';
import type { SourceBlock } from './sample-decoder';
import { readWav } from './wav';

const blockBytes = 8 * 1024;

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

/**
 * The samples of an MP3 file as 16-bit mono. The decoder meets garbage with silence and passes over half a frame, so no samples
 * at all, and an end within a frame, are failures.
 */
async function* readMp3(reader: ByteReader): AsyncGenerator<SourceBlock> {
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
