import { Injectable } from '@nestjs/common';
import {
  charactersOf,
  chosenVoicesOf,
  Fault,
  faultCatalogue,
  readAgentRuntime,
  SpeechLanguage,
  type TurnItem,
} from '@parley/contracts';
import { type Call, runInCall, ServiceBus } from '@parley/messaging';
import { within } from '@parley/ports';
import { Logger } from '@parley/service-kit';
import type { FastifyReply } from 'fastify';
import { faultBody, faultOf } from '../../door/faults';
import type { Charge } from '../../money/charge';
import { beginPaidSound, holdRecording, sendSound } from '../speech/speech.controller';
import type { ChatRequest } from './chat-request';
import { ChatTurn, type DoneItem } from './chat-turn';

const charactersMax = 5000;

interface VoicePreference {
  /** In the order of the agent's builder; the first that speaks the language is used. */
  readonly preferredVoiceIDs: number[];
  readonly pace: number;
}

const headerCharactersMax = 8000;

export interface ChatQuestion {
  readonly chat: ChatRequest;
  readonly charge: Charge;
  readonly call: Call;
}

const keepAliveMs = 15_000;

/** The three forms of an answer: whole, as events, as sound. Each ends its charge, whatever happens. */
@Injectable()
export class ChatAnswers {
  constructor(
    private readonly bus: ServiceBus,
    private readonly log: Logger,
  ) {}

  async whole(asked: ChatQuestion): Promise<object> {
    return chatReply(await this.finished(asked, { settles: true }));
  }

  /** Throws while a refusal can still be a proper answer; afterwards a failure is the last event. */
  async events({
    chat,
    charge,
    call,
    requestId,
    onEnd,
  }: ChatQuestion & { requestId: string; onEnd(): Promise<void> }): Promise<AsyncGenerator<string>> {
    const turn = await this.begun({ chat, charge, call });
    const onFailure = async (error: unknown): Promise<object> => {
      const fault = faultOf(error);
      this.log[faultCatalogue[fault.code].log]('A stream of events failed', { code: fault.code, requestId, error: fault.cause });
      return faultBody(fault, requestId);
    };
    return chatEvents(turn, { keepAliveMs, onFailure, onEnd });
  }

  async spoken({ chat, charge, call, reply }: ChatQuestion & { reply: FastifyReply }): Promise<void> {
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

  private begun(asked: ChatQuestion & { isWhole?: boolean }): Promise<ChatTurn> {
    const { chat, call, charge } = asked;
    return endedOnFailure(charge, async () => {
      const { audioFile, sampleRate } = chat;
      // What is no recording is refused by its turn, which looks for the session first.
      if (audioFile)
        await holdRecording(this.bus, call, { audioFile, sampleRate }, charge).catch((error: unknown) => {
          if (!(error instanceof Fault && error.code === 'UNSUPPORTED_MEDIA_TYPE')) throw error;
        });
      return ChatTurn.begin(this.bus, call, asked);
    });
  }

  private async finished(asked: ChatQuestion, { settles }: { settles: boolean }): Promise<DoneItem> {
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
  private async voiceOf({ AgentKeyID }: ChatRequest, call: Call): Promise<VoicePreference> {
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

/** A marker for when no item came for a while. */
export const silence = Symbol('silence');

interface Narration {
  readonly keepAliveMs: number;
  /** The turn failed after the first event was out: answers the last one. */
  onFailure(error: unknown): Promise<object>;
  /** The turn is over for this client, one way or another. */
  onEnd(): Promise<void>;
}

/** A turn as Server-Sent Events. A client that stops reading ends the turn. */
async function* chatEvents(turn: ChatTurn, { keepAliveMs, onFailure, onEnd }: Narration): AsyncGenerator<string> {
  let isOver = false;
  try {
    yield event('session', { sessionUUID: turn.sessionUUID });
    for await (const item of withSilences(turn.rest(), keepAliveMs)) {
      isOver ||= item !== silence && item.type === 'done';
      yield item === silence ? ': keep-alive\n\n' : eventOf(item);
    }
  } catch (error) {
    if (!turn.isLeft) {
      isOver = true;
      await turn.stop();
      yield event('error', await onFailure(error));
    }
  } finally {
    if (!isOver) await turn.stop();
    await onEnd();
  }
}

function eventOf(item: TurnItem): string {
  switch (item.type) {
    case 'session':
      return event('session', { sessionUUID: item.sessionUUID });
    case 'transcription':
    case 'delta':
      return event(item.type, { text: item.text });
    case 'done':
      return event('done', chatReply(item));
  }
}

/** JSON has no line breaks, so one data line holds it. */
function event(name: string, data: object): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** The items of a source, with `silence` whenever the next one takes longer than the interval. */
export async function* withSilences<Item>(
  source: AsyncIterable<Item>,
  intervalMs: number,
): AsyncGenerator<Item | typeof silence> {
  const items = source[Symbol.asyncIterator]();
  let next = items.next();
  try {
    for (;;) {
      const winner = await within<Awaited<typeof next> | typeof silence>(intervalMs, next, () => silence);
      if (winner === silence) yield silence;
      else if (winner.done) return;
      else {
        yield winner.value;
        next = items.next();
      }
    }
  } finally {
    // A pending item is abandoned; its failure must not become an unhandled rejection.
    next.catch(() => undefined);
    await items.return?.();
  }
}

/** The sync reply, which is also the last event of a stream. */
function chatReply({ transcription, answer, sessionUUID, detectedLanguage, tokenUsage, sources }: DoneItem): object {
  const heard = transcription === undefined ? {} : { transcription };
  const shown = sources === undefined ? {} : { sources };
  return { statusCode: 200, ...heard, answer, sessionUUID, detectedLanguage, tokenUsage, ...shown };
}
