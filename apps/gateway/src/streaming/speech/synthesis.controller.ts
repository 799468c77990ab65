import { Controller, Req, Res } from '@nestjs/common';
import { speakableIn } from '@parley/audio';
import { charactersOf, Fault, synthesizeSpeech } from '@parley/contracts';
import { runInCall, ServiceBus } from '@parley/messaging';
import { Logger } from '@parley/service-kit';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { chargeableOf } from '../../credits/chargeable';
import { Charging } from '../../credits/charging';
import { parseInput } from '../../routes/complaints';
import { gatewayCall } from '../../routes/gateway-call';
import { Answers } from '../endpoint-of';
import { type BegunSound, beginSound } from './begun-sound';
import { paidSound } from './paid-sound';
import { sendSound } from './send-sound';

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
    let sound: BegunSound;
    try {
      sound = await runInCall(call, () => beginSound(this.bus.stream(synthesizeSpeech, wish)));
    } catch (error) {
      await charge.release();
      throw error;
    }
    sendSound(reply, paidSound(sound, { charge, reply, log: this.log }), this.log);
  }
}

function nothingToSay(): Fault {
  const message = 'text must have something to say';
  return new Fault('VALIDATION_FAILED', { message, details: [{ field: 'text', message }] });
}
