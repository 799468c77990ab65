import { Controller, Req, Res } from '@nestjs/common';
import { askText, ChatBody } from '@parley/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { chargeableOf } from '../../credits/chargeable';
import { Charging } from '../../credits/charging';
import { chatInput } from '../../routes/chat-input';
import { parseInput } from '../../routes/complaints';
import { gatewayCall } from '../../routes/gateway-call';
import { Answers } from '../endpoint-of';
import { ChatAnswers } from './chat-answers';

/** One question, one answer: chat in its simplest form. A client that leaves pays for what was produced, as in every chat. */
@Controller()
export class TextQuestionController {
  constructor(
    private readonly charging: Charging,
    private readonly answers: ChatAnswers,
  ) {}

  @Answers('askText')
  async ask(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const question = parseInput(askText.request, chatInput(request) ?? {});
    const call = gatewayCall(request, reply, askText.timeoutMs);
    const charge = await this.charging.begin(chargeableOf(request, { TTT_API: this.charging.tokensPerTurn }));
    await reply.send(await this.answers.whole({ chat: ChatBody.parse(question), charge, call }));
  }
}
