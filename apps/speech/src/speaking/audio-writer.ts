import { encodeSamples, type OutputEncoding, wavHeader } from '@parley/audio';
import { Fault } from '@parley/contracts';

/** Writes samples in one format, block by block. */
export interface AudioWriter {
  readonly contentType: string;
  readonly sampleRate: number;
  /** What stands before the audio; the size is undefined while it is not known. */
  header(dataBytes: number | undefined): Uint8Array;
  /** The bytes of these samples. They are the caller's own. */
  encode(samples: Int16Array): Uint8Array;
  finish(): Uint8Array;
}

const nothing = new Uint8Array(0);

/** The writer of a format. MP3 needs an optional encoder and is refused without it. */
export async function writerOf(format: 'wav' | 'pcm' | 'mulaw' | 'mp3', sampleRate: number): Promise<AudioWriter> {
  if (format === 'wav') return plainWriter('audio/wav', sampleRate, 'pcm16', (dataBytes) => wavHeader({ sampleRate, dataBytes }));
  if (format === 'pcm') return plainWriter(`audio/pcm;rate=${sampleRate}`, sampleRate, 'pcm16');
  if (format === 'mulaw') return plainWriter(`audio/basic;rate=${sampleRate}`, sampleRate, 'mulaw');
  return mp3Writer(sampleRate);
}

function plainWriter(
  contentType: string,
  sampleRate: number,
  encoding: OutputEncoding,
  header: AudioWriter['header'] = () => nothing,
): AudioWriter {
  return { contentType, sampleRate, header, encode: (samples) => encodeSamples(samples, encoding), finish: () => nothing };
}

const mp3Rates = [8000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000] as const;

async function mp3Writer(wanted: number): Promise<AudioWriter> {
  const sampleRate = mp3Rates.find((rate) => rate === wanted);
  const encoder = await mp3Encoder();
  if (!encoder || !sampleRate) {
    const message = encoder ? `MP3 cannot be written at ${wanted} samples a second, only at ${mp3Rates.join(', ')}.` : 'This installation has no MP3 encoder; ask for wav.';
    throw new Fault('VALIDATION_FAILED', { message, details: [{ field: 'format', message }] });
  }
  encoder.configure({ channels: 1, sampleRate, bitrate: 64 });
  return {
    contentType: 'audio/mpeg',
    sampleRate,
    header: () => nothing,
    // The encoder hands out a view on memory that it writes again.
    encode: (samples) => Uint8Array.from(encoder.encode([Float32Array.from(samples, (sample) => sample / 32_768)])),
    finish: () => Uint8Array.from(encoder.finalize()),
  };
}

async function mp3Encoder() {
  try {
    const { createMp3Encoder } = await import('wasm-media-encoders');
    return await createMp3Encoder();
  } catch {
    return undefined;
  }
}
