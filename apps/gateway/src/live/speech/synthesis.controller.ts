import { Controller, Req, Res } from '@nestjs/common';
import { charactersOf, Fault, previewVoice, synthesizeSpeech } from '@parley/contracts';
import { speakableIn } from '@parley/language';
import { runInCall, ServiceBus } from '@parley/messaging';
import { Logger } from '@parley/service-kit';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Answers } from '../../api/endpoint-of';
import { parseInput } from '../../api/routes/complaints';
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
