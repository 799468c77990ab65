import type { ServerResponse } from 'node:http';
import { Controller, Req, Res } from '@nestjs/common';
import {
  type AudioItem,
  charactersOf,
  Fault,
  followTranscription,
  lastStepOf,
  measureRecording,
  previewVoice,
  recordingBytesMax,
  synthesizeSpeech,
  transcribeRecording,
} from '@parley/contracts';
import { spokenPieces } from '@parley/language';
import { type Call, runInCall, ServiceBus } from '@parley/messaging';
import { Logger } from '@parley/service-kit';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { Uploads } from '../../api/files/uploads';
import { Answers } from '../../api/hand-written';
import { bodyOf, gatewayCall, parseInput } from '../../endpoint/gateway-call';
import { inEnvelope } from '../../endpoint/endpoint';
import { type Charge, chargeableOf, Charging } from '../../money/charging';

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
    const wanted = parseInput(synthesizeSpeech.request, request.body ?? {});
    // Punctuation and emoji alone would be silence, charged for.
    if (spokenPieces(wanted.text, wanted.language).next().done) throw nothingToSay();
    const call = gatewayCall(request, reply, synthesizeSpeech.timeoutMs);
    const charge = await this.charging.open(chargeableOf(request, { TTS_API: charactersOf(wanted.text) }));
    const sound = await beginPaidSound(this.bus, call, wanted, { charge, raw: reply.raw, log: this.log });
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

// A client that leaves stops the work between two pieces; within one it would be unknown how much of it was done.
const never = new AbortController().signal;

/**
 * Transcribes a recording and charges for its seconds. If the client leaves, it ends with the current piece and charges for what is
 * transcribed by then. The file is deleted once the answer is sent.
 */
@Controller()
export class TranscriptionController {
  constructor(
    private readonly bus: ServiceBus,
    private readonly charging: Charging,
    private readonly uploads: Uploads,
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
        return inEnvelope.flat(await runInCall({ ...call, signal: never }, () => this.hear(wanted, { call, charge, seconds })));
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
  readonly raw: ServerResponse;
  readonly log: Logger;
}

/**
 * Starts speaking a paid text. A client that leaves before the first sound pays for the whole text, since the engine was given
 * all of it; if the engine fails before its first sound, nothing is charged.
 */
export async function beginPaidSound(
  bus: ServiceBus,
  call: Call,
  wanted: z.input<typeof synthesizeSpeech.request>,
  bill: Bill,
): Promise<BegunSound> {
  const { charge } = bill;
  if (call.signal.aborted) {
    await charge.end();
    throw new Fault('CANCELLED');
  }
  try {
    const begun = runInCall(call, () => beginSound(bus.stream(synthesizeSpeech, wanted)));
    // The engine has the whole text now. If it fails before its first sound, the charge ends without it.
    charge.recordOwed({ TTS_API: charactersOf(wanted.text.trim()) });
    return paidSound(await begun, bill);
  } catch (error) {
    const hasClientLeft = call.signal.aborted && error instanceof Fault && error.code === 'CANCELLED';
    if (hasClientLeft) charge.use('TTS_API', charactersOf(wanted.text.trim()));
    await charge.end();
    throw error;
  }
}

/**
 * The same sound, settled before its last byte is sent. A client that leaves, or reads so slowly that it times out, pays for the
 * whole text, since the engine was given all of it; if we fail midway, only what was spoken is charged.
 */
function paidSound({ format, bytes }: BegunSound, { charge, raw, log }: Bill): BegunSound {
  const bill = new SoundBill(charge, format.characters);
  const settle = (): void =>
    void bill.whole().catch((error: unknown) => log.error('A charge waits for its hold to expire', { error }));
  if (raw.closed) settle();
  else raw.once('close', settle);
  return { format, bytes: paidBytes(format.totalBytes, bytes, bill) };
}

/** Charges once, whichever end comes first. */
class SoundBill {
  private isWritten = false;

  constructor(
    private readonly charge: Charge,
    private readonly characters: number,
  ) {}

  whole(): Promise<void> {
    return this.of(this.characters, () => this.charge.settle());
  }

  broken(spoken: number): Promise<void> {
    return this.of(Math.min(spoken, this.characters), () => this.charge.end());
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
    await (isListeners ? bill.whole() : bill.broken(spoken));
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
