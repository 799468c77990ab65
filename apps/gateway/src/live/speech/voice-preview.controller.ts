import { Controller, Req, Res } from '@nestjs/common';
import { previewVoice } from '@parley/contracts';
import { runInCall, ServiceBus } from '@parley/messaging';
import { Logger } from '@parley/service-kit';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { parseInput } from '../../api/routes/complaints';
import { gatewayCall } from '../../endpoint/gateway-call';
import { Answers } from '../../api/endpoint-of';
import { beginSound, sendSound } from './begun-sound';

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
