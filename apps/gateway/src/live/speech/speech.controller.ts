import { Controller, Req, Res } from '@nestjs/common';
import {
  type AudioItem,
  charactersOf,
  Fault,
  followTranscription,
  isOurFault,
  lastStepOf,
  measureRecording,
  previewVoice,
  recordingBytesMax,
  SpeechText,
  synthesizeSpeech,
  transcribeRecording,
} from '@parley/contracts';
import { spokenPieces } from '@parley/language';
import { type Call, runInCall, ServiceBus } from '@parley/messaging';
import { Lifetime, Logger } from '@parley/service-kit';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { Uploads } from '../../api/files/uploads';
import { Answers } from '../../api/hand-written';
import { bodyOf, gatewayCall, parseInput } from '../../endpoint/gateway-call';
import { inEnvelope } from '../../endpoint/endpoint';
import { type Charge, chargeableOf, Charging } from '../../money/charging';
import { isLostForGood } from '../../money/operation';

/** Speaks a text and charges for its characters. */
@Controller()
export class SynthesisController {
  constructor(
    private readonly bus: ServiceBus,
    private readonly charging: Charging,
    private readonly log: Logger,
  ) {}

  @Answers('synthesizeSpeech')
  async synthesize(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    if (request.isMultipart()) throw new Fault('UNSUPPORTED_MEDIA_TYPE');
    const wanted = parseInput(SpeechText, request.body ?? {});
    // Punctuation and emoji alone would be silence, charged for.
    if (spokenPieces(wanted.text, wanted.language).next().done) throw nothingToSay();
    const call = gatewayCall(request, reply, synthesizeSpeech.timeoutMs);
    const charge = await this.charging.open(chargeableOf(request, { TTS_API: charactersOf(wanted.text) }));
    const sound = await beginPaidSound(this.bus, call, wanted, { charge, log: this.log });
    sendSound(sound, { reply, call, log: this.log });
  }
}

function nothingToSay(): Fault {
  const message = 'text must have something to say';
  return new Fault('VALIDATION_FAILED', { message, details: [{ field: 'text', message }] });
}

/** Plays samples of voices to choose from. Costs no credits. */
@Controller()
export class VoicePreviewController {
  constructor(
    private readonly bus: ServiceBus,
    private readonly log: Logger,
  ) {}

  @Answers('previewVoice')
  async preview(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const choice = parseInput(previewVoice.request, request.query);
    const call = gatewayCall(request, reply, previewVoice.timeoutMs);
    const sound = await runInCall(call, () => beginSound(this.bus.stream(previewVoice, choice)));
    sendSound(sound, { reply, call, log: this.log });
  }
}

type MeasureRecordingRequest = z.input<typeof measureRecording.request>;

/** 48 kHz stereo: no recording of this size is shorter. */
const bytesPerSecondMax = 192_000;

/**
 * Transcribes a recording and charges for its seconds. If the client leaves, it ends with the current piece and charges for what is
 * transcribed by then. What has not ended when this gateway must stop is answered with 503 and free, since nobody gets it. The file is
 * deleted once the answer is sent.
 */
@Controller()
export class TranscriptionController {
  constructor(
    private readonly bus: ServiceBus,
    private readonly charging: Charging,
    private readonly uploads: Uploads,
    private readonly lifetime: Lifetime,
  ) {}

  @Answers('transcribeRecording')
  async transcribe(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): Promise<object> {
    const form = { schema: transcribeRecording.request, field: 'audioFile', bytesMax: recordingBytesMax };
    const { fileKey, fields } = await this.uploads.receive(request, form);
    try {
      const wanted = parseInput(transcribeRecording.request, fields);
      const call = gatewayCall(request, reply, transcribeRecording.timeoutMs);
      return await this.charging.run(chargeableOf(request, { STT_API: fewestSeconds(wanted.audioFile) }), async (charge) => {
        const seconds = await holdRecording(this.bus, call, wanted, charge);
        if (call.signal.aborted) throw new Fault('CANCELLED');
        // A client that leaves stops the work between two pieces; within one it would be unknown how much of it was done.
        const signal = this.lifetime.overdue;
        return inEnvelope.flat(await runInCall({ ...call, signal }, () => this.hear(wanted, { call, charge, seconds })));
      });
    } finally {
      await this.uploads.forget(fileKey);
    }
  }

  private async hear(
    wanted: z.output<typeof followTranscription.request>,
    { call, charge, seconds }: { readonly call: Call; readonly charge: Charge; readonly seconds: number },
  ): Promise<z.output<typeof transcribeRecording.reply>> {
    const last = await lastStepOf(this.bus.stream(followTranscription, wanted), {
      isAwaited: () => !call.signal.aborted,
      onHeard: (heard) => charge.recordOwed({ STT_API: heard }, { STT_API: seconds }),
    });
    charge.use('STT_API', last.audioSeconds);
    if (last.type === 'heard') throw new Fault('CANCELLED');
    return transcribeRecording.reply.parse(last);
  }
}

/** The shortest that a recording of this size can be, for before it has been read. */
export function fewestSeconds({ size }: { readonly size: number }): number {
  return Math.max(1, Math.ceil(size / bytesPerSecondMax));
}

/** Holds the actual seconds of a recording, or refuses it: a small file may last half an hour, and its engine may be given all of it. */
export async function holdRecording(
  bus: ServiceBus,
  call: Call,
  recording: MeasureRecordingRequest,
  charge: Charge,
): Promise<number> {
  const { audioFile, sampleRate } = recording;
  const { audioSeconds } = await runInCall(call, () => bus.ask(measureRecording, { audioFile, sampleRate }));
  const seconds = Math.max(1, Math.ceil(audioSeconds));
  await charge.extend({ STT_API: seconds });
  return seconds;
}

interface Bill {
  readonly charge: Charge;
  readonly log: Logger;
}

/**
 * Starts speaking a paid text. A client that leaves pays for the pieces that the engine was given by then; if the engine fails before
 * its first sound, nothing is charged.
 */
export async function beginPaidSound(
  bus: ServiceBus,
  call: Call,
  text: z.input<typeof SpeechText>,
  { charge, log }: Bill,
): Promise<BegunSound> {
  if (call.signal.aborted) {
    await charge.end();
    throw new Fault('CANCELLED');
  }
  const bill = new SoundBill(charge, charactersOf(text.text.trim()));
  const leaving = new Leaving(call.signal);
  try {
    const wanted = { ...text, isFollowed: true };
    const items = runInCall({ ...call, signal: leaving.signal }, () => bus.stream(synthesizeSpeech, wanted));
    return paidSound(await beginSound(followed(items, leaving, bill)), { bill, left: leaving.signal, log });
  } catch (error) {
    const hasClientLeft = call.signal.aborted && error instanceof Fault && error.code === 'CANCELLED';
    if (hasClientLeft) await bill.left();
    // Not even the text that is to be spoken was sent.
    else await (isLostForGood(error, charge) ? charge.release() : charge.end({ isLost: isOurFault(error) }));
    throw error;
  }
}

/** That a listener leaves, noticed once it is known what the engine has been given: it may just be getting a piece. */
class Leaving {
  private readonly abort = new AbortController();
  private isGiving = false;

  constructor(private readonly listener: AbortSignal) {
    listener.addEventListener('abort', () => this.notice(), { once: true });
  }

  get signal(): AbortSignal {
    return this.abort.signal;
  }

  /** Throws if the listener has left. */
  goOn({ isGiving }: { readonly isGiving: boolean }): void {
    this.isGiving = false;
    this.notice();
    this.abort.signal.throwIfAborted();
    this.isGiving = isGiving;
  }

  private notice(): void {
    if (this.listener.aborted && !this.isGiving) this.abort.abort(this.listener.reason);
  }
}

/** Passes sound on, and lets the engine have another piece of the text while its listener is there. */
async function* followed(items: AsyncIterable<AudioItem>, leaving: Leaving, bill: SoundBill): AsyncGenerator<AudioItem> {
  for await (const item of items) {
    if (item.type === 'given') bill.give(item.characters);
    if (item.type === 'format') bill.measure(item.characters);
    leaving.goOn({ isGiving: item.type === 'next' });
    if (item.type === 'format' || item.type === 'audio') yield item;
  }
}

/**
 * The same sound, settled before its last byte is sent. A client that leaves, or reads so slowly that it times out, pays for the
 * pieces that the engine was given; if we fail midway, only what was spoken is charged. Under an Idempotency-Key it never leaves.
 */
function paidSound(
  { format, bytes }: BegunSound,
  { bill, left, log }: { readonly bill: SoundBill; readonly left: AbortSignal; readonly log: Logger },
): BegunSound {
  const settle = (): void =>
    void bill.left().catch((error: unknown) => log.error('A charge waits for its hold to expire', { error }));
  if (left.aborted) settle();
  else left.addEventListener('abort', settle, { once: true });
  return { format, bytes: paidBytes(format.totalBytes, bytes, bill) };
}

/** Charges once, whichever end comes first. */
class SoundBill {
  private given = 0;
  private isWritten = false;

  constructor(
    private readonly charge: Charge,
    private characters: number,
  ) {}

  /** The engine gets this much of the text. If this process dies, that is charged; the rest of the text stays held. */
  give(characters: number): void {
    this.given = characters;
    if (!this.isWritten) this.charge.recordOwed({ TTS_API: characters }, { TTS_API: Math.max(this.characters, characters) });
  }

  /** A speech service that has not been updated knows no pieces: it gives all of the text at once. */
  measure(characters: number): void {
    this.characters = characters;
    if (this.given === 0) this.give(characters);
  }

  whole(): Promise<void> {
    return this.of(this.characters, () => this.charge.settle());
  }

  /** What is under an Idempotency-Key can end in this way at its deadline, and what follows is another attempt. */
  left(): Promise<void> {
    return this.of(this.given, () => this.charge.end());
  }

  broken(spoken: number, error: unknown): Promise<void> {
    return this.of(Math.min(spoken, this.given), () => this.charge.end({ isLost: isOurFault(error) }));
  }

  private of(characters: number, end: () => Promise<void>): Promise<void> {
    if (!this.isWritten) this.charge.use('TTS_API', characters);
    this.isWritten = true;
    return end();
  }
}

async function* paidBytes(totalBytes: number | null, parts: BegunSound['bytes'], bill: SoundBill): BegunSound['bytes'] {
  let sent = 0;
  let spoken = 0;
  try {
    for await (const part of parts) {
      sent += part.bytes.length;
      spoken = part.characters ?? spoken;
      if (sent === totalBytes) await bill.whole();
      yield part;
    }
    await bill.whole();
  } catch (error) {
    const isListeners = error instanceof Fault && (error.code === 'CANCELLED' || error.code === 'DEADLINE_EXCEEDED');
    await (isListeners ? bill.left() : bill.broken(spoken, error));
    throw error;
  }
}

/** A piece of sound, and how much of the text has been spoken by its end. */
interface SoundPart {
  readonly bytes: Buffer;
  readonly characters: number | undefined;
}

/** Sound whose first piece has arrived, with nothing sent yet. */
interface BegunSound {
  readonly format: Extract<AudioItem, { type: 'format' }>;
  /** In parts of at most 64 kB. Leaving the loop early ends the synthesis. */
  readonly bytes: AsyncGenerator<SoundPart>;
}

/** Waits for the first sound: until then a refusal can still be a proper answer. */
async function beginSound(items: AsyncIterable<AudioItem>): Promise<BegunSound> {
  const steps = items[Symbol.asyncIterator]();
  const format = await steps.next();
  if (format.done || format.value.type !== 'format')
    throw new Fault('INTERNAL', { cause: new Error('an audio stream begins with its format') });
  return { format: format.value, bytes: partsOf(await steps.next(), steps) };
}

async function* partsOf(first: IteratorResult<AudioItem>, steps: AsyncIterator<AudioItem>): BegunSound['bytes'] {
  try {
    for (let next = first; !next.done; next = await steps.next()) {
      if (next.value.type !== 'audio') continue;
      const { base64, characters } = next.value;
      yield { bytes: Buffer.from(base64, 'base64'), characters };
    }
  } finally {
    await steps.return?.();
  }
}

interface Listening {
  readonly reply: FastifyReply;
  readonly call: Call;
  readonly log: Logger;
}

/** Sends sound as fast as the listener reads it. A failure on the way can only cut it off, so it is logged here. */
export function sendSound({ format, bytes }: BegunSound, { reply, call, log }: Listening): void {
  reply.type(format.contentType);
  if (format.totalBytes !== null) reply.header('content-length', format.totalBytes);
  if (format.unsaid !== undefined) reply.header('x-unsaid-characters', String(format.unsaid));
  const sound = bytesOnly(bytes);
  const body = bodyOf(reply.request.claimedAnswer?.readOn(sound) ?? sound, { reply, call, objectMode: false });
  body.once('error', (error) => {
    const isOurs = reply.raw.headersSent && !(error instanceof Fault && error.code === 'CANCELLED');
    if (isOurs) log.error('Sound to a listener broke off', { requestId: reply.request.id, error });
  });
  reply.send(body);
}

async function* bytesOnly(parts: BegunSound['bytes']): AsyncGenerator<Buffer> {
  for await (const { bytes } of parts) yield bytes;
}
