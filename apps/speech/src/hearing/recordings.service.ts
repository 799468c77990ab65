import type { Readable } from 'node:stream';
import { Controller, Inject, Injectable } from '@nestjs/common';
import { openAudio } from '@parley/audio';
import { Fault, followTranscription, lastStepOf, measureRecording, transcribeRecording, uploadsOf } from '@parley/contracts';
import { type Call, Handles, organizationOf } from '@parley/messaging';
import { type FileStore, type Transcription, transcribeInPieces } from '@parley/ports';
import { uploadNotFound } from '@parley/providers/configured-files';
import type { z } from 'zod';
import { OrganizationEngines } from '../engines/organization-engines';
import { asSpeechFault } from '../engines/speech-engines';

/** Where the gateway puts uploads. */
export const RecordingStore = Symbol('RecordingStore');

const sampleRate = 16_000;

type TranscribeRecordingRequest = z.output<typeof transcribeRecording.request>;
type Measured = z.output<typeof measureRecording.request>;
type Heard = z.input<typeof transcribeRecording.reply>;
type Step = z.input<typeof followTranscription.item>;

/** Transcribes recordings of any name and length. */
@Injectable()
export class Recordings {
  constructor(
    private readonly engines: OrganizationEngines,
    @Inject(RecordingStore) private readonly files: FileStore,
  ) {}

  async transcribe(orgId: number, wish: TranscribeRecordingRequest, signal: AbortSignal): Promise<Heard> {
    const last = await lastStepOf(this.follow(orgId, wish, signal), { isAwaited: () => true });
    if (last.type === 'done') return last;
    throw new Fault('INTERNAL', { cause: new Error('a transcription ended without its result') });
  }

  /** Says after each piece how much is transcribed; whoever stops following leaves the rest undone. */
  async *follow(orgId: number, wish: TranscribeRecordingRequest, signal: AbortSignal): AsyncGenerator<Step> {
    const { language } = wish;
    const engine = (await this.engines.of(orgId)).listenerOf(language, wish.preferredTranscribeIDs);
    const file = await this.recording(orgId, wish.audioFile.fileKey);
    try {
      const raw = rawFormatOf(wish);
      const { blocks } = await openAudio(file, { toRate: sampleRate, raw });
      const length = { samples: 0 };
      const words = wish.wordTimings === 'true' && engine.capabilities.wordTimings;
      const heard = yield* stepsOf(
        transcribeInPieces(engine, {
          audio: () => measured(blocks, length),
          sampleRate,
          language,
          words,
          signal,
        }),
      );
      yield {
        type: 'done',
        transcription: heard.text,
        detectedLanguage: heard.language ?? language,
        audioSeconds: secondsOf(length),
        words: heard.words?.map(({ text, startMs, endMs }) => ({
          word: text,
          startMs: Math.round(startMs),
          endMs: Math.round(endMs),
        })),
      };
    } catch (failure) {
      throw asSpeechFault(failure);
    } finally {
      file.destroy();
    }
  }

  /** Its exact length, by which it would be charged, without transcribing it. */
  async measure(orgId: number, wish: Measured): Promise<z.input<typeof measureRecording.reply>> {
    const file = await this.recording(orgId, wish.audioFile.fileKey);
    try {
      const { blocks } = await openAudio(file, { toRate: sampleRate, raw: rawFormatOf(wish) });
      const length = { samples: 0 };
      for await (const block of blocks) length.samples += block.length;
      return { audioSeconds: secondsOf(length) };
    } catch (failure) {
      throw asSpeechFault(failure);
    } finally {
      file.destroy();
    }
  }

  /** Another organization's file is reported as missing. */
  private async recording(orgId: number, fileKey: string): Promise<Readable> {
    if (!fileKey.startsWith(uploadsOf(orgId))) throw new Fault('NOT_FOUND', { message: 'The recording does not exist.' });
    const file = await this.files.open(fileKey);
    if (!file) throw uploadNotFound();
    return file;
  }
}

async function* stepsOf(pieces: ReturnType<typeof transcribeInPieces>): AsyncGenerator<Step, Transcription> {
  for (;;) {
    const { done, value } = await pieces.next();
    if (done) return value;
    yield { type: 'heard', audioSeconds: Math.round(value.untilMs) / 1000 };
  }
}

/** Passes blocks on and counts them: the actual sound is charged. */
async function* measured(blocks: AsyncIterable<Int16Array>, length: { samples: number }): AsyncGenerator<Int16Array> {
  for await (const block of blocks) {
    length.samples += block.length;
    yield block;
  }
}

function secondsOf({ samples }: { readonly samples: number }): number {
  return Math.round((samples * 1000) / sampleRate) / 1000;
}

/** A file declared as PCM is read at 16 kHz unless another rate is given; anything else is recognized by content. */
function rawFormatOf({ sampleRate: said, audioFile: { contentType, fileName } }: Measured): { sampleRate: number } | undefined {
  const isPcm = /^audio\/(x-)?(pcm|l16|raw)\b/i.test(contentType) || /\.(pcm|raw)$/i.test(fileName);
  if (said !== undefined) return { sampleRate: said };
  return isPcm ? { sampleRate: 16_000 } : undefined;
}

@Controller()
export class RecordingsController {
  constructor(private readonly recordings: Recordings) {}

  @Handles(measureRecording)
  measure(wish: Measured, call: Call): Promise<z.input<typeof measureRecording.reply>> {
    return this.recordings.measure(organizationOf(call), wish);
  }

  @Handles(transcribeRecording)
  transcribe(wish: z.output<typeof transcribeRecording.request>, call: Call): Promise<z.input<typeof transcribeRecording.reply>> {
    return this.recordings.transcribe(organizationOf(call), wish, call.signal);
  }

  @Handles(followTranscription)
  follow(wish: z.output<typeof followTranscription.request>, call: Call): AsyncIterable<Step> {
    return this.recordings.follow(organizationOf(call), wish, call.signal);
  }
}
