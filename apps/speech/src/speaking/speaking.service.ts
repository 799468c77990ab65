import { Controller, Injectable } from '@nestjs/common';
import { encodeSamples, type OutputEncoding, Resampler, wavHeader } from '@parley/audio';
import { type AudioItem, charactersOf, Fault, previewVoice, synthesizeSpeech } from '@parley/contracts';
import { sentencesOf } from '@parley/language';
import { type Call, Handles, organizationOf } from '@parley/messaging';
import { begin, type SpeechBlock, type SpeechRequest, type SpokenLanguage } from '@parley/ports';
import { voiceOf } from '@parley/providers/speech-catalogue';
import type { z } from 'zod';
import { OrganizationEngines } from '../engines/organization-engines';
import { asSpeechFault, type Speaker } from '../engines/speech-engines';

/** Writes samples in one format, block by block. */
interface AudioWriter {
  readonly contentType: string;
  readonly sampleRate: number;
  /** The audio's header; the size is undefined while it is unknown. */
  header(dataBytes: number | undefined): Uint8Array;
  /** The bytes of these samples, which the caller may keep. */
  encode(samples: Int16Array): Uint8Array;
  finish(): Uint8Array;
}

const nothing = new Uint8Array(0);

/** Average speaking rate: estimates how much of a text was spoken when an engine fails midway. */
const charactersPerSecond = 15;

const mp3Rates = [8000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000] as const;

// Below the limit of one item even as base64.
const partBytesMax = 48 * 1024;

interface AudioStream {
  readonly writer: AudioWriter;
  readonly characters: number;
  readonly unsaid: number;
  /** Collected first, so that its header can contain its size: short speech, and what was asked for as a whole. */
  readonly isWhole: boolean;
}

const previews: Record<SpokenLanguage, string> = {
  english: 'Hello, this is how I sound. How can I help you today?',
  hindi: 'नमस्ते, मेरी आवाज़ ऐसी है। मैं आपकी क्या मदद कर सकती हूँ?',
  marathi: 'नमस्कार, माझा आवाज असा आहे. मी तुम्हाला कशी मदत करू?',
};

type SpeechWish = z.output<typeof synthesizeSpeech.request>;
type PreviewChoice = z.output<typeof previewVoice.request>;

/** Turns text into streams of audio. */
@Injectable()
export class Speaking {
  constructor(private readonly engines: OrganizationEngines) {}

  async *synthesize(orgId: number, wish: SpeechWish, signal: AbortSignal): AsyncGenerator<AudioItem> {
    const engines = await this.engines.of(orgId);
    const speaker = engines.speakerOf(wish.language, wish.voiceID, wish.preferredVoiceIDs);
    const pieces = new Pieces(signal);
    if (wish.isFollowed)
      yield* withPieces(speech(wish, speaker, { signal, beforePiece: (characters) => pieces.next(characters) }), pieces);
    else yield* speech(wish, speaker, { signal });
  }

  async *preview(orgId: number, choice: PreviewChoice, signal: AbortSignal): AsyncGenerator<AudioItem> {
    const voice = voiceOf(choice.voiceID);
    if (voice?.providerId !== choice.voiceProviderID) throw new Fault('NOT_FOUND', { message: 'There is no such voice.' });
    const [language = 'english'] = voice.languages;
    const wish = { text: previews[language], language, pace: choice.speed, format: 'wav', responseMode: 'stream' } as const;
    yield* speech(wish, (await this.engines.of(orgId)).previewerOf(voice), { signal });
  }
}

async function* speech(
  wish: SpeechWish,
  { engine, voice }: Speaker,
  reader: Pick<SpeechRequest, 'signal' | 'beforePiece'>,
): AsyncGenerator<AudioItem> {
  const { text, language, pace, format } = wish;
  const sampleRate = wish.sampleRate ?? (format === 'mulaw' ? 8000 : (engine.capabilities.sampleRates[0] ?? 16_000));
  const all = charactersOf(text);
  let unsaid = 0;
  const onUnsaid = (characters: number): void => void (unsaid = characters);
  const request: SpeechRequest = { text, language, voice, pace, sampleRate, ...reader, onUnsaid };
  const writer = await writerOf(format, sampleRate);
  try {
    // A failure before the first sound still has its own status code, since nothing has been sent yet.
    const blocks = await begin(engine.speak(request));
    if (unsaid >= all) throw noVoiceFor();
    const isWhole = wish.responseMode === 'sync' || sentencesOf(text).length <= 1;
    yield* audioItems(samplesOf(atRate(blocks, sampleRate)), { writer, characters: all - unsaid, unsaid, isWhole });
  } catch (failure) {
    throw asSpeechFault(failure);
  }
}

function noVoiceFor(): Fault {
  return new Fault('PROVIDER_NOT_CONFIGURED', { message: 'No voice of this installation says the script of this text.' });
}

/** Pieces of a text that wait until their reader wants them. */
class Pieces {
  private given = 0;
  private readonly waiting: {
    readonly characters: number;
    readonly begin: () => void;
    readonly fail: (reason: unknown) => void;
  }[] = [];
  private coming = Promise.withResolvers<void>();

  constructor(private readonly signal: AbortSignal) {
    signal.addEventListener('abort', () => this.end(), { once: true });
  }

  /** Resolves once the reader wants the piece. Another engine that takes over gets at once what the first was given. */
  next(characters: number): Promise<void> {
    if (this.signal.aborted) return Promise.reject(this.signal.reason);
    if (characters <= this.given) return Promise.resolve();
    return new Promise((begin, fail) => {
      this.waiting.push({ characters, begin, fail });
      this.coming.resolve();
    });
  }

  /** Resolves as soon as a piece waits. */
  get come(): Promise<void> {
    return this.coming.promise;
  }

  /** Asks for those that wait. */
  async *asked(): AsyncGenerator<AudioItem> {
    this.coming = Promise.withResolvers();
    while (this.waiting.length > 0) {
      yield { type: 'next' };
      const piece = this.waiting.shift();
      if (!piece) return;
      piece.begin();
      this.given = Math.max(this.given, piece.characters);
      yield { type: 'given', characters: this.given };
    }
  }

  /** Nothing else is begun. */
  end(): void {
    for (const { fail } of this.waiting.splice(0)) fail(this.signal.aborted ? this.signal.reason : new Fault('CANCELLED'));
  }
}

/** The items of a speech, and between them its pieces. */
async function* withPieces(items: AsyncGenerator<AudioItem>, pieces: Pieces): AsyncGenerator<AudioItem> {
  let next = items.next();
  try {
    for (;;) {
      const outcome = await Promise.race([next, pieces.come]);
      yield* pieces.asked();
      if (!outcome) continue;
      if (outcome.done) return;
      yield outcome.value;
      next = items.next();
    }
  } finally {
    pieces.end();
    next.catch(() => undefined);
    // An engine that hangs may never answer this, so it is not awaited.
    items.return(undefined).catch(() => undefined);
  }
}

async function* samplesOf(blocks: AsyncIterable<SpeechBlock>): AsyncGenerator<Int16Array> {
  for await (const { samples } of blocks) yield samples;
}

/** The items of an audio stream: its format, then its bytes in parts. */
async function* audioItems(
  blocks: AsyncIterable<Int16Array>,
  { writer, characters, unsaid, isWhole }: AudioStream,
): AsyncGenerator<AudioItem> {
  const { contentType, sampleRate } = writer;
  const format = { type: 'format', contentType, sampleRate, characters, ...(unsaid > 0 && { unsaid }) } as const;
  if (isWhole) {
    const body = await gathered(encoded(blocks, writer));
    const header = writer.header(body.length);
    yield { ...format, totalBytes: header.length + body.length };
    yield* parts(Buffer.concat([header, body]));
    return;
  }
  yield { ...format, totalBytes: null };
  yield* parts(writer.header(undefined));
  const spoken = { samples: 0 };
  for await (const block of encoded(measured(blocks, spoken), writer)) {
    const byNow = Math.ceil((spoken.samples / sampleRate) * charactersPerSecond);
    yield* parts(block, Math.min(characters, byNow));
  }
}

async function* measured(blocks: AsyncIterable<Int16Array>, spoken: { samples: number }): AsyncGenerator<Int16Array> {
  for await (const block of blocks) {
    spoken.samples += block.length;
    yield block;
  }
}

async function* encoded(blocks: AsyncIterable<Int16Array>, writer: AudioWriter): AsyncGenerator<Uint8Array> {
  for await (const block of blocks) yield writer.encode(block);
  yield writer.finish();
}

async function gathered(bytes: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const all: Uint8Array[] = [];
  for await (const block of bytes) all.push(block);
  return Buffer.concat(all);
}

function* parts(bytes: Uint8Array, characters = 0): Generator<AudioItem> {
  for (let at = 0; at < bytes.length; at += partBytesMax) {
    yield { type: 'audio', base64: Buffer.from(bytes.subarray(at, at + partBytesMax)).toString('base64'), characters };
  }
}

/** The writer of a format. MP3 needs an optional encoder and is refused without it. */
async function writerOf(format: 'wav' | 'pcm' | 'mulaw' | 'mp3', sampleRate: number): Promise<AudioWriter> {
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

async function mp3Writer(wanted: number): Promise<AudioWriter> {
  const sampleRate = mp3Rates.find((rate) => rate === wanted);
  const encoder = await mp3Encoder();
  if (!encoder || !sampleRate) {
    const message = encoder
      ? `MP3 cannot be written at ${wanted} samples a second, only at ${mp3Rates.join(', ')}.`
      : 'This installation has no MP3 encoder; ask for wav.';
    throw new Fault('VALIDATION_FAILED', { message, details: [{ field: 'format', message }] });
  }
  encoder.configure({ channels: 1, sampleRate, bitrate: 64 });
  return {
    contentType: 'audio/mpeg',
    sampleRate,
    header: () => nothing,
    // The encoder returns a view of memory that it reuses.
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

/** Speech at one rate. Its source may change rates, since another voice may say a part of the text. */
export async function* atRate(blocks: AsyncIterable<SpeechBlock>, sampleRate: number): AsyncGenerator<SpeechBlock> {
  let resampler: Resampler | undefined;
  try {
    for await (const block of blocks) {
      if (resampler?.fromRate !== block.sampleRate) {
        if (resampler) yield { sampleRate, samples: resampler.flush() };
        resampler?.close();
        resampler = await Resampler.create(block.sampleRate, sampleRate);
      }
      yield { ...block, sampleRate, samples: resampler.push(block.samples) };
    }
    if (resampler) yield { sampleRate, samples: resampler.flush() };
  } finally {
    resampler?.close();
  }
}

@Controller()
export class SpeakingController {
  constructor(private readonly speaking: Speaking) {}

  @Handles(synthesizeSpeech)
  synthesize(wish: z.output<typeof synthesizeSpeech.request>, call: Call): AsyncIterable<AudioItem> {
    return this.speaking.synthesize(organizationOf(call), wish, call.signal);
  }

  @Handles(previewVoice)
  preview(choice: z.output<typeof previewVoice.request>, call: Call): AsyncIterable<AudioItem> {
    return this.speaking.preview(organizationOf(call), choice, call.signal);
  }
}
