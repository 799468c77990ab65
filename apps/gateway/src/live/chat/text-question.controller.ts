import { Controller, Req, Res } from '@nestjs/common';
import { askText, ChatBody } from '@parley/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { chargeableOf } from '../../money/chargeable';
import { Charging } from '../../money/charging';
import { turnTokens } from '../../money/estimates';
import { chatInput } from '../../endpoint/chat-input';
import { parseInput } from '../../api/routes/complaints';
import { gatewayCall } from '../../endpoint/gateway-call';
import { Answers } from '../../api/endpoint-of';
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
    const charge = await this.charging.begin(
      chargeableOf(request, { TTT_API: turnTokens(question, this.charging.tokensPerTurn) }),
    );
    await reply.send(await this.answers.whole({ chat: ChatBody.parse(question), charge, call }));
  }
}
