import { createMp3Encoder } from 'wasm-media-encoders';
import { aLaw, AudioFailure, loudnessOf, muLaw, type SampleEncoding, wavFile, wavHeader } from '../encodings';
import { gather, inPortions, shareOf, tone } from '../tone.fixture';
import { frameLengthOf } from './content';
import { openAudio, type OpenAudioOptions } from './open-audio';

const rates = [8000, 11_025, 16_000, 22_050, 44_100, 48_000];
const tags: Record<SampleEncoding, [tag: number, bits: number]> = {
  pcm8: [1, 8],
  pcm16: [1, 16],
  pcm24: [1, 24],
  pcm32: [1, 32],
  float32: [3, 32],
  float64: [3, 64],
  mulaw: [7, 8],
  alaw: [6, 8],
};

function writeSample(sample: number, encoding: SampleEncoding): Buffer {
  const bytes = Buffer.alloc(tags[encoding][1] / 8);
  if (encoding === 'pcm8') bytes.writeUInt8(Math.floor(sample / 256) + 128);
  if (encoding === 'pcm16') bytes.writeInt16LE(sample);
  if (encoding === 'pcm24') bytes.writeIntLE(sample * 256, 0, 3);
  if (encoding === 'pcm32') bytes.writeInt32LE(sample * 65_536);
  if (encoding === 'float32') bytes.writeFloatLE(sample / 32_768);
  if (encoding === 'float64') bytes.writeDoubleLE(sample / 32_768);
  if (encoding === 'mulaw') bytes.set(muLaw.encode(Int16Array.of(sample)));
  if (encoding === 'alaw') bytes.set(aLaw.encode(Int16Array.of(sample)));
  return bytes;
}

/** A WAV file as other programs write it: any encoding, any channels, the extended header, an irrelevant chunk. */
function foreignWav(samples: Int16Array, rate: number, encoding: SampleEncoding, channels: number): Buffer {
  const [tag, bits] = tags[encoding];
  const body = Buffer.concat(
    [...samples].flatMap((sample) => Array.from({ length: channels }, () => writeSample(sample, encoding))),
  );
  const format = Buffer.alloc(40);
  format.writeUInt16LE(0xfffe, 0);
  format.writeUInt16LE(channels, 2);
  format.writeUInt32LE(rate, 4);
  format.writeUInt16LE((channels * bits) / 8, 12);
  format.writeUInt16LE(bits, 14);
  format.writeUInt16LE(tag, 24);
  return Buffer.concat([
    chunk(
      'RIFF',
      Buffer.concat([Buffer.from('WAVE'), chunk('LIST', Buffer.from('odd')), chunk('fmt ', format), chunk('data', body)]),
    ),
  ]);
}

function chunk(id: string, body: Buffer): Buffer {
  const size = Buffer.alloc(4);
  size.writeUInt32LE(body.length);
  return Buffer.concat([Buffer.from(id), size, body, Buffer.alloc(body.length % 2)]);
}

async function mp3(samples: Int16Array, sampleRate: 8000 | 11_025 | 16_000 | 22_050 | 44_100 | 48_000): Promise<Buffer> {
  const encoder = await createMp3Encoder();
  encoder.configure({ channels: 1, sampleRate, bitrate: 64 });
  const first = Buffer.from(encoder.encode([Float32Array.from(samples, (sample) => sample / 32_768)]));
  return Buffer.concat([first, encoder.finalize()]);
}

/** Where the frames of an MP3 begin, and where the last one ends. */
function edgesOf(bytes: Buffer): number[] {
  const edges = [0];
  for (let at = 0; ; edges.push(at)) {
    const length = frameLengthOf(bytes, at);
    if (length === undefined) return edges;
    at += length;
  }
}

async function hear(bytes: Uint8Array, options: Partial<OpenAudioOptions> = {}): Promise<Int16Array> {
  const { blocks } = await openAudio(inPortions(bytes), { toRate: 16_000, ...options });
  return gather(blocks);
}

async function refusal(bytes: Uint8Array, options: Partial<OpenAudioOptions> = {}): Promise<unknown> {
  try {
    await hear(bytes, options);
    return 'heard';
  } catch (failure) {
    return failure instanceof AudioFailure ? failure.reason : failure;
  }
}

function expectTheTone(heard: Int16Array, durationMs = 250, slackMs = 1): void {
  const middle = heard.subarray(heard.length * 0.4, heard.length * 0.6);
  expect(Math.abs(heard.length / 16 - durationMs)).toBeLessThanOrEqual(slackMs);
  expect(shareOf(440, middle, 16_000)).toBeGreaterThan(0.98);
  expect(loudnessOf(middle)).toBeCloseTo(0.354, 1);
}

/** An MP3 begins and ends with the silence of its codec: up to three frames of 1152 samples. */
const mp3SlackMs = (rate: number): number => (3 * 1152 * 1000) / rate;

const encodings: SampleEncoding[] = ['pcm8', 'pcm16', 'pcm24', 'pcm32', 'float32', 'float64', 'mulaw', 'alaw'];
const wavs = encodings.flatMap((encoding) => rates.flatMap((rate) => [1, 2].map((channels) => ({ encoding, rate, channels }))));

describe('openAudio', () => {
  it.each(wavs)('decodes a WAV of $encoding at $rate with $channels channels', async ({ encoding, rate, channels }) => {
    expectTheTone(await hear(foreignWav(tone(440, rate, 250), rate, encoding, channels)));
  });

  it.each([8000, 11_025, 16_000, 22_050, 44_100, 48_000] as const)('decodes an MP3 at %i', async (rate) => {
    expectTheTone(await hear(await mp3(tone(440, rate, 1000), rate)), 1000, mp3SlackMs(rate));
  });

  it.each(rates)('decodes raw PCM at %i if its rate is given', async (rate) => {
    const bytes = wavFile(tone(440, rate, 250), rate).subarray(44);
    expectTheTone(await hear(bytes, { raw: { sampleRate: rate } }));
  });

  it('accepts a header written before the length was known', async () => {
    const sound = tone(440, 16_000, 250);
    const bytes = Buffer.concat([wavHeader({ sampleRate: 16_000 }), wavFile(sound, 16_000).subarray(44)]);
    expect(await hear(bytes)).toEqual(sound);
  });

  it('goes by the content when an MP3 is sent as raw PCM', async () => {
    const heard = await hear(await mp3(tone(440, 16_000, 1000), 16_000), { raw: { sampleRate: 8000 } });
    expectTheTone(heard, 1000, mp3SlackMs(16_000));
  });

  it('refuses a WAV that is shorter than its header says', async () => {
    const bytes = wavFile(tone(440, 16_000, 250), 16_000);
    expect(await refusal(bytes.subarray(0, bytes.length - 100))).toBe('truncated');
    expect(await refusal(bytes.subarray(0, 30))).toBe('truncated');
  });

  it.each([8000, 16_000, 44_100] as const)('refuses an MP3 at %i that ends within a frame, wherever that is', async (rate) => {
    const bytes = await mp3(tone(440, rate, 1000), rate);
    const [from = 0, to = 0] = edgesOf(bytes).slice(-2);
    for (const length of [from + 1, from + 2, from + 3, from + 9, from + 10, to - 100, to - 1]) {
      expect([length - from, await refusal(bytes.subarray(0, length))]).toEqual([length - from, 'truncated']);
    }
  });

  it('decodes an MP3 that ends between any two frames', async () => {
    const bytes = await mp3(tone(440, 44_100, 500), 44_100);
    const edges = edgesOf(bytes).slice(3);
    expect(edges.length).toBeGreaterThan(10);
    for (const edge of edges) expect([edge, await refusal(bytes.subarray(0, edge))]).toEqual([edge, 'heard']);
  });

  it('tells an MP3’s tags from its frames', async () => {
    const bytes = await mp3(tone(440, 44_100, 1000), 44_100);
    // A picture in a tag may contain anything, even the start of a frame.
    const picture = bytes.subarray(0, 128);
    const before = Buffer.concat([Buffer.from('ID3\x04\0\0\0\0\x01\0', 'latin1'), picture]);
    const after = Buffer.concat([Buffer.from('TAG'), Buffer.alloc(125, 'x')]);
    expect(await refusal(Buffer.concat([before, bytes, after]))).toBe('heard');
    expect(await refusal(Buffer.concat([before, bytes, Buffer.from('APETAGEX'), picture]))).toBe('heard');
    expect(await refusal(Buffer.concat([before, bytes.subarray(0, bytes.length - 1)]))).toBe('truncated');
  });

  it('refuses garbage that starts like an MP3', async () => {
    expect(await refusal(Buffer.concat([Buffer.from('ID3'), Buffer.alloc(5000, 0x55)]))).toBe('damaged');
  });

  it('refuses unmarked bytes unless their rate is given', async () => {
    expect(await refusal(Buffer.alloc(5000, 0x81))).toBe('unrecognised');
    expect(await refusal(Buffer.alloc(0))).toBe('empty');
  });

  it.each([
    ['an Ogg file', Buffer.from('OggS\0\0\0\0\0\0\0\0')],
    ['a PDF document', Buffer.from('%PDF-1.7 and so on')],
    ['text', Buffer.from('<html><body>404 Not found</body></html>')],
  ])('recognizes %s sent as audio', async (name, bytes) => {
    await expect(hear(bytes, { raw: { sampleRate: 8000 } })).rejects.toThrow(name);
    expect(await refusal(bytes, { raw: { sampleRate: 8000 } })).toBe('unsupported');
  });

  it('refuses a WAV that contradicts itself', async () => {
    const wrongBlock = Buffer.from(wavFile(tone(440, 16_000, 50), 16_000));
    wrongBlock.writeUInt16LE(7, 32);
    expect(await refusal(wrongBlock)).toBe('damaged');
    const wrongTag = Buffer.from(wavFile(tone(440, 16_000, 50), 16_000));
    wrongTag.writeUInt16LE(85, 20);
    expect(await refusal(wrongTag)).toBe('unsupported');
    const wrongRate = Buffer.from(wavFile(tone(440, 16_000, 50), 16_000));
    for (const rate of [0, 1, 4_294_967_295]) {
      wrongRate.writeUInt32LE(rate, 24);
      expect([rate, await refusal(wrongRate)]).toEqual([rate, 'unsupported']);
    }
  });

  it('stops at the maximum length', async () => {
    expect(await refusal(wavFile(new Int16Array(16_000 * 3), 16_000), { secondsMax: 2 })).toBe('too-long');
  });

  it('releases the source when the reader stops early', async () => {
    let released = false;
    async function* source(): AsyncGenerator<Uint8Array> {
      try {
        yield* inPortions(wavFile(new Int16Array(100_000), 16_000));
      } finally {
        released = true;
      }
    }
    const { blocks } = await openAudio(source(), { toRate: 16_000 });
    for await (const _block of blocks) break;
    expect(released).toBe(true);
  });
});
