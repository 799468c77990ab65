import { Controller, Req, Res } from '@nestjs/common';
import { charactersOf, Fault, previewVoice, recordingBytesMax, synthesizeSpeech, transcribeRecording } from '@parley/contracts';
import { speakableIn } from '@parley/language';
import { runInCall, ServiceBus } from '@parley/messaging';
import { Logger } from '@parley/service-kit';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { Answers } from '../../api/endpoint-of';
import { Uploads } from '../../api/files/uploads';
import { parseInput } from '../../api/routes/complaints';
import { dressed } from '../../endpoint/endpoint';
import { gatewayCall } from '../../endpoint/gateway-call';
import { chargeableOf, Charging } from '../../money/charging';
import { beginPaidSound, beginSound, sendSound } from './spoken-sound';

const letterOrDigit = /[\p{L}\p{N}]/u;

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
    const wish = parseInput(synthesizeSpeech.request, request.body ?? {});
    // Marks and pictures alone would be silence, and silence would be charged.
    if (!letterOrDigit.test(speakableIn[wish.language](wish.text))) throw nothingToSay();
    const call = gatewayCall(request, reply, synthesizeSpeech.timeoutMs);
    const charge = await this.charging.open(chargeableOf(request, { TTS_API: charactersOf(wish.text) }));
    const sound = await beginPaidSound(this.bus, call, wish, { charge, raw: reply.raw, log: this.log });
    sendSound(reply, sound, this.log);
  }
}

function nothingToSay(): Fault {
  const message = 'text must have something to say';
  return new Fault('VALIDATION_FAILED', { message, details: [{ field: 'text', message }] });
}

/** Lets people hear a voice before they choose it. Costs no credits. */
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
    sendSound(reply, await runInCall(call, () => beginSound(this.bus.stream(previewVoice, choice))), this.log);
  }
}

type Recording = Pick<z.output<typeof transcribeRecording.request>, 'audioFile' | 'durationSeconds'>;

// 16,000 samples of 16 bits, the usual recording of speech; and 48,000 in stereo, the fewest seconds that a size can be.
const usualBytesPerSecond = 32_000;

const bytesPerSecondMax = 192_000;

// Who hangs up does not stop the work: how much of it was done by then, nobody could say.
const never = new AbortController().signal;

/** Writes down a recording and charges for its seconds, whether or not anybody waits for it. The file is gone when the answer is out. */
@Controller()
export class TranscriptionController {
  constructor(
    private readonly bus: ServiceBus,
    private readonly charging: Charging,
    private readonly uploads: Uploads,
  ) {}

  @Answers('transcribeRecording')
  async transcribe(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): Promise<object> {
    const { fileKey, fields } = await this.uploads.receive(request, { field: 'audioFile', bytesMax: recordingBytesMax });
    try {
      const wish = parseInput(transcribeRecording.request, fields);
      const call = gatewayCall(request, reply, transcribeRecording.timeoutMs);
      return await this.charging.run(chargeableOf(request, { STT_API: expectedSeconds(wish) }), async (charge) => {
        const heard = await runInCall({ ...call, signal: never }, () => this.bus.ask(transcribeRecording, wish));
        charge.use('STT_API', heard.audioSeconds);
        return dressed.flat(heard);
      });
    } finally {
      await this.uploads.forget(fileKey);
    }
  }
}

/** How long a recording will probably turn out to be: what the client says, unless the file is too large for that. */
function expectedSeconds({ audioFile: { size }, durationSeconds }: Recording): number {
  return Math.max(
    1,
    Math.ceil(durationSeconds === undefined ? size / usualBytesPerSecond : Math.max(durationSeconds, size / bytesPerSecondMax)),
  );
}
