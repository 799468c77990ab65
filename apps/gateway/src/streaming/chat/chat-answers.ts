import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { chosenVoicesOf, Fault, faultCatalogue, readAgentRuntime, SpeechLanguage } from '@parley/contracts';
import { type Call, runInCall, ServiceBus } from '@parley/messaging';
import { Logger } from '@parley/service-kit';
import type { FastifyReply } from 'fastify';
import type { Charge } from '../../credits/charge';
import { faultBody } from '../../faults/fault-body';
import { faultOf } from '../../faults/fault-of';
import { chatEvents } from './chat-events';
import { chatReply } from './chat-reply';
import type { ChatRequest } from './chat-request';
import { ChatTurn, type DoneItem } from './chat-turn';
import { audioOf, headerText, speak, type Voice } from './spoken-answer';

export interface Asked {
  readonly chat: ChatRequest;
  readonly charge: Charge;
  readonly call: Call;
}

const keepAliveMs = 15_000;

/** The three shapes of an answer: whole, as events, as sound. Each ends its charge, whatever happens. */
@Injectable()
export class ChatAnswers {
  constructor(
    private readonly bus: ServiceBus,
    private readonly log: Logger,
  ) {}

  async whole(asked: Asked): Promise<object> {
    return chatReply(await this.finished(asked, { settles: true }));
  }

  /** Throws while a refusal can still be a proper answer; afterwards a failure is the last event. */
  async events({
    chat,
    charge,
    call,
    requestId,
    onEnd,
  }: Asked & { requestId: string; onEnd(): Promise<void> }): Promise<AsyncGenerator<string>> {
    const turn = await this.begun({ chat, charge, call });
    const onFailure = async (error: unknown): Promise<object> => {
      await charge.release();
      const fault = faultOf(error);
      this.log[faultCatalogue[fault.code].log]('A stream of events failed', { code: fault.code, requestId, error: fault.cause });
      return faultBody(fault, requestId);
    };
    return chatEvents(turn, { keepAliveMs, onFailure, onEnd });
  }

  async spoken({ chat, charge, call, reply }: Asked & { reply: FastifyReply }): Promise<void> {
    const { answer, sessionUUID, detectedLanguage } = await this.finished({ chat, charge, call }, { settles: false });
    const language = SpeechLanguage.catch('english').parse(detectedLanguage);
    const audio = await releasedOnFailure(charge, async () => {
      const parts = await speak(this.bus, call, { answer, language, voice: await this.voiceOf(chat, call) });
      return audioOf(parts, call, charge);
    });
    const headers = { 'content-type': 'audio/wav', 'x-session-uuid': sessionUUID, 'x-answer-text': headerText(answer) };
    await reply.headers(headers).send(Readable.from(audio, { objectMode: false }));
  }

  private begun(asked: Asked & { isWhole?: boolean }): Promise<ChatTurn> {
    return releasedOnFailure(asked.charge, () => ChatTurn.begin(this.bus, asked.call, asked));
  }

  private async finished(asked: Asked, { settles }: { settles: boolean }): Promise<DoneItem> {
    const turn = await this.begun({ ...asked, isWhole: true });
    try {
      for await (const item of turn.rest({ settles })) if (item.type === 'done') return item;
    } catch (error) {
      await (turn.isLeft ? turn.left() : asked.charge.release());
      throw error;
    }
    await asked.charge.release();
    throw new Fault('INTERNAL', { cause: new Error('a turn ended without its last item') });
  }

  /** The voice that the agent's builder chose, where the request says which agent it is. */
  private async voiceOf({ AgentKeyID }: ChatRequest, call: Call): Promise<Voice> {
    const AgentID = call.principal?.agentId;
    if (!AgentID && !AgentKeyID) return { preferredVoiceIDs: [], pace: 1 };
    const agent = await runInCall(call, () => this.bus.ask(readAgentRuntime, AgentID ? { AgentID } : { AgentKeyID }));
    return { preferredVoiceIDs: chosenVoicesOf(agent), pace: agent.RuntimeConfiguration.VoiceSpeed };
  }
}

async function releasedOnFailure<T>(charge: Charge, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    await charge.release();
    throw error;
  }
}
