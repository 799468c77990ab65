import { Controller, Req, Res } from '@nestjs/common';
import { askText, ChatBody, streamTurn } from '@parley/contracts';
import { type Call, organizationOf } from '@parley/messaging';
import { FileStore } from '@parley/ports';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Answers } from '../../api/hand-written';
import { parseInput } from '../../endpoint/parse-input';
import { bodyOf, chatInput, fieldsOf, gatewayCall } from '../../endpoint/gateway-call';
import type { Charge } from '../../money/charge';
import { chargeableOf, Charging, turnTokens } from '../../money/charging';
import type { Amounts } from '../../money/operation';
import { fewestSeconds } from '../speech/speech.controller';
import { ChatAnswers } from './chat-answers';
import { type ChatRequest, readChat, recordingKey, VoiceOffers } from './chat-request';

const likelyCharacters = 600;

/** One turn with an agent in any of the four modes. */
@Controller()
export class ChatController {
  constructor(
    private readonly files: FileStore,
    private readonly charging: Charging,
    private readonly answers: ChatAnswers,
    private readonly offers: VoiceOffers,
  ) {}

  @Answers('chat')
  async chat(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const call = gatewayCall(request, reply, streamTurn.timeoutMs);
    const key = recordingKey(organizationOf(call));
    const hasRecording = request.isMultipart() || fieldsOf(request.body).audioBase64 !== undefined;
    const forget = async (): Promise<void> => (hasRecording ? this.files.delete(key) : undefined);
    try {
      const chat = await readChat(request, this.files, key);
      if (chat.connectionType === 'sts') return await this.offer(chat, call, reply);
      const charge = await this.charging.begin(
        chargeableOf(request, estimateOf(chat, turnTokens(chat, this.charging.tokensPerTurn))),
      );
      await this.answer({ chat, charge, call, request, reply, forget });
    } catch (error) {
      await forget();
      throw error;
    }
  }

  private async offer(chat: ChatRequest, call: Call, reply: FastifyReply): Promise<void> {
    await reply.send({ statusCode: 200, ...(await this.offers.offer(chat, call)) });
  }

  private async answer({ chat, charge, call, request, reply, forget }: ChatAnswering): Promise<void> {
    if (chat.connectionType === 'tts') return this.answers.spoken({ chat, charge, call, reply });
    if (chat.responseMode === 'stream') {
      const events = await this.answers.events({ chat, charge, call, requestId: call.requestId, onEnd: forget });
      return void reply.headers(streamHeaders).send(bodyOf(request.attempt?.readOn(events) ?? events));
    }
    const body = await this.answers.whole({ chat, charge, call });
    await forget();
    await reply.send(body);
  }
}

interface ChatAnswering {
  readonly chat: ChatRequest;
  readonly charge: Charge;
  readonly call: Call;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  forget(): Promise<void>;
}

/** Proxies would otherwise collect the events before they pass them on. */
const streamHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
};

/** The most that a turn is likely to use. Of a recording, what it takes at least: it is measured before it is heard. */
function estimateOf({ connectionType, audioFile }: ChatRequest, tokens: number): Amounts {
  if (connectionType === 'stt') return { TTT_API: tokens, STT_API: fewestSeconds(audioFile ?? { size: 0 }) };
  return connectionType === 'tts' ? { TTT_API: tokens, TTS_API: likelyCharacters } : { TTT_API: tokens };
}

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
