import { Injectable } from '@nestjs/common';
import { charactersOf, chosenVoicesOf, Fault, faultCatalogue, readAgentRuntime, SpeechLanguage } from '@parley/contracts';
import { type Call, runInCall, ServiceBus } from '@parley/messaging';
import { Logger } from '@parley/service-kit';
import type { FastifyReply } from 'fastify';
import type { Charge } from '../../money/charge';
import { faultBody, faultOf } from '../../door/faults';
import { chatEvents, chatReply } from './chat-events';
import type { ChatRequest } from './chat-request';
import { ChatTurn, type DoneItem } from './chat-turn';
import { beginPaidSound, sendSound } from '../speech/spoken-sound';

const charactersMax = 5000;

interface Voice {
  /** In the order of the agent's builder; whoever of them speaks the language. */
  readonly preferredVoiceIDs: number[];
  readonly pace: number;
}

const headerCharactersMax = 8000;

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
      const fault = faultOf(error);
      this.log[faultCatalogue[fault.code].log]('A stream of events failed', { code: fault.code, requestId, error: fault.cause });
      return faultBody(fault, requestId);
    };
    return chatEvents(turn, { keepAliveMs, onFailure, onEnd });
  }

  async spoken({ chat, charge, call, reply }: Asked & { reply: FastifyReply }): Promise<void> {
    const { answer, sessionUUID, detectedLanguage } = await this.finished({ chat, charge, call }, { settles: false });
    // A longer answer than the speech service takes is spoken up to there.
    const text = [...answer].slice(0, charactersMax).join('');
    const language = SpeechLanguage.catch('english').parse(detectedLanguage);
    const voice = await endedOnFailure(charge, async () => {
      await charge.extend({ TTS_API: charactersOf(text) });
      return this.voiceOf(chat, call);
    });
    const sound = await beginPaidSound(this.bus, call, { text, language, ...voice }, { charge, raw: reply.raw, log: this.log });
    const { encoded, isCut } = headerText(answer);
    reply.headers({ 'x-session-uuid': sessionUUID, 'x-answer-text': encoded, 'x-answer-text-cut': String(isCut) });
    sendSound(reply, sound, this.log);
  }

  private begun(asked: Asked & { isWhole?: boolean }): Promise<ChatTurn> {
    return endedOnFailure(asked.charge, () => ChatTurn.begin(this.bus, asked.call, asked));
  }

  private async finished(asked: Asked, { settles }: { settles: boolean }): Promise<DoneItem> {
    const turn = await this.begun({ ...asked, isWhole: true });
    try {
      for await (const item of turn.rest({ settles })) if (item.type === 'done') return item;
      throw new Fault('INTERNAL', { cause: new Error('a turn ended without its last item') });
    } catch (error) {
      await turn.stop(error);
      throw error;
    }
  }

  /** The voice that the agent's builder chose, where the request says which agent it is. */
  private async voiceOf({ AgentKeyID }: ChatRequest, call: Call): Promise<Voice> {
    const AgentID = call.principal?.agentId;
    if (!AgentID && !AgentKeyID) return { preferredVoiceIDs: [], pace: 1 };
    const agent = await runInCall(call, () => this.bus.ask(readAgentRuntime, AgentID ? { AgentID } : { AgentKeyID }));
    return { preferredVoiceIDs: chosenVoicesOf(agent), pace: agent.RuntimeConfiguration.VoiceSpeed };
  }
}

async function endedOnFailure<T>(charge: Charge, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    await charge.end();
    throw error;
  }
}

/** Text for a header: percent-encoded, cut between characters where clients would refuse a longer one. */
function headerText(text: string): { encoded: string; isCut: boolean } {
  let encoded = '';
  for (const character of text) {
    const next = encodeURIComponent(character.isWellFormed() ? character : '\uFFFD');
    if (encoded.length + next.length > headerCharactersMax) return { encoded, isCut: true };
    encoded += next;
  }
  return { encoded, isCut: false };
}
