import { Controller, Injectable, Req, Res } from '@nestjs/common';
import {
  charactersOf,
  ChatBody,
  chosenVoicesOf,
  Fault,
  faultCatalogue,
  isOurFault,
  readAgentRuntime,
  SpeechLanguage,
  streamTurn,
  synthesizeSpeech,
  TextQuestion,
} from '@parley/contracts';
import { type Call, organizationOf, runInCall, ServiceBus } from '@parley/messaging';
import { FileStore } from '@parley/ports';
import { Logger } from '@parley/service-kit';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Answers } from '../../api/hand-written';
import { faultBody, faultOf } from '../../door/faults';
import { bodyOf, chatInput, fieldsOf, gatewayCall, parseInput } from '../../endpoint/gateway-call';
import { type Charge, chargeableOf, Charging } from '../../money/charging';
import { type Amounts, isLostForGood } from '../../money/operation';
import { eventStreamHeaders } from '../event-streams';
import { beginPaidSound, fewestSeconds, holdRecording, sendSound } from '../speech/speech.controller';
import { type ChatRequest, readChat, recordingKey, VoiceOffers } from './chat-request';
import { chatEvents, chatReply, ChatTurn, type DoneItem, turnTokens } from './chat-turn';

const charactersMax = 5000;
const likelyCharacters = 600;
/** The shortest beginning that is worth hearing: a few words. */
const charactersMin = 20;

interface VoicePreference {
  /** In the order that the agent's builder set; the first that speaks the language is used. */
  readonly preferredVoiceIDs: number[];
  readonly pace: number;
}

const headerCharactersMax = 8000;

interface ChatQuestion {
  readonly chat: ChatRequest;
  readonly charge: Charge;
  readonly call: Call;
}

/** The three forms of an answer: whole, as events, as sound. Each ends its charge, whatever happens. */
@Injectable()
export class ChatAnswers {
  constructor(
    private readonly bus: ServiceBus,
    private readonly log: Logger,
  ) {}

  async whole(question: ChatQuestion): Promise<object> {
    return chatReply(await this.finished(question, { settles: true }));
  }

  /** Throws as long as a refusal can still be a proper answer; after that, a failure is the last event. */
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
      const { code, dependency, cause } = fault;
      this.log[faultCatalogue[code].log]('A stream of events failed', {
        code,
        requestId,
        ...(dependency && { dependency }),
        error: cause,
      });
      return faultBody(fault, requestId);
    };
    return chatEvents(turn, { onFailure, onEnd });
  }

  /** An answer that costs more to speak than the balance has left is spoken as far as that reaches. */
  async spoken({ chat, charge, call, reply }: ChatQuestion & { reply: FastifyReply }): Promise<void> {
    // Asked first: once the answer is paid for, nothing may refuse it.
    const voice = await endedOnFailure(charge, () => this.voiceOf(chat, call));
    const { answer, sessionUUID, detectedLanguage } = await this.finished({ chat, charge, call }, { settles: false });
    const speakable = beginningOf(answer, charactersMax);
    const language = SpeechLanguage.catch('english').parse(detectedLanguage);
    const wanted = charactersOf(speakable);
    const paid = await endedOnFailure(charge, async () =>
      charge.extendUpTo('TTS_API', { held: (await charge.partHeld) ?? likelyCharacters, wanted }),
    );
    const text = beginningOf(speakable, paid);
    // It may be listened to for as long as any speech, however long the turn took.
    const listening: Call = { ...call, deadlineAtMs: Date.now() + synthesizeSpeech.timeoutMs };
    const spoken = { text, language, ...voice, responseMode: chat.responseMode };
    const sound = await beginPaidSound(this.bus, listening, spoken, { charge, log: this.log });
    const { encoded, isCut } = headerText(answer);
    reply.headers({ 'x-session-uuid': sessionUUID, 'x-answer-text': encoded, 'x-answer-text-cut': String(isCut) });
    sendSound(sound, { reply, call: listening, log: this.log });
  }

  private begun(question: ChatQuestion & { isWhole?: boolean }): Promise<ChatTurn> {
    const { chat, call, charge } = question;
    return endedOnFailure(charge, async () => {
      const { audioFile, sampleRate } = chat;
      // The turn itself refuses a file that is no recording, because it checks the session first.
      if (audioFile)
        await holdRecording(this.bus, call, { audioFile, sampleRate }, charge).catch((error: unknown) => {
          if (!(error instanceof Fault && error.code === 'UNSUPPORTED_MEDIA_TYPE')) throw error;
        });
      return ChatTurn.begin(this.bus, call, question);
    });
  }

  private async finished(question: ChatQuestion, { settles }: { settles: boolean }): Promise<DoneItem> {
    const turn = await this.begun({ ...question, isWhole: true });
    try {
      for await (const item of turn.rest({ settles })) if (item.type === 'done') return item;
      throw new Fault('INTERNAL', { cause: new Error('a turn ended without its last item') });
    } catch (error) {
      await turn.stop(error);
      throw error;
    }
  }

  /** The voice that the agent's builder chose, if the request says which agent it is. */
  private async voiceOf({ AgentKeyID }: ChatRequest, call: Call): Promise<VoicePreference> {
    const AgentID = call.principal?.agentId;
    if (!AgentID && !AgentKeyID) return { preferredVoiceIDs: [], pace: 1 };
    const agent = await runInCall(call, () => this.bus.ask(readAgentRuntime, AgentID ? { AgentID } : { AgentKeyID }));
    return { preferredVoiceIDs: chosenVoicesOf(agent), pace: agent.RuntimeConfiguration.VoiceSpeed };
  }
}

/** The first characters of a text, up to the end of a word. */
function beginningOf(text: string, characters: number): string {
  const all = [...text];
  if (all.length <= characters) return text;
  // With the letter behind it, which tells whether the last word is whole.
  const [, whole = ''] = /^(.*)\s/su.exec(all.slice(0, characters + 1).join('')) ?? [];
  return whole.trim() || all.slice(0, characters).join('');
}

async function endedOnFailure<T>(charge: Charge, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    await (isLostForGood(error, charge) ? charge.release() : charge.end({ isLost: isOurFault(error) }));
    throw error;
  }
}

/** Text for a header: percent-encoded, and cut between characters, since clients refuse long headers. */
function headerText(text: string): { encoded: string; isCut: boolean } {
  let encoded = '';
  for (const character of text) {
    const next = encodeURIComponent(character.isWellFormed() ? character : '\uFFFD');
    if (encoded.length + next.length > headerCharactersMax) return { encoded, isCut: true };
    encoded += next;
  }
  return { encoded, isCut: false };
}

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
      const charge = await this.charging.begin({
        ...chargeableOf(request, estimateOf(chat, turnTokens(chat, this.charging.tokensPerTurn))),
        ...(chat.connectionType === 'tts' && { inPart: { kind: 'TTS_API', amountMin: charactersMin } }),
      });
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
      const body = bodyOf(request.claimedAnswer?.readOn(events) ?? events, { reply, call });
      return void reply.headers(eventStreamHeaders).send(body);
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

/**
 * The most that a turn is likely to use. A recording counts as the shortest it can be: it is measured before it is transcribed.
 */
function estimateOf({ connectionType, audioFile }: ChatRequest, tokens: number): Amounts {
  if (connectionType === 'stt') return { TTT_API: tokens, STT_API: fewestSeconds(audioFile ?? { size: 0 }) };
  return connectionType === 'tts' ? { TTT_API: tokens, TTS_API: likelyCharacters } : { TTT_API: tokens };
}

/** A text answer is sent whole, so a client has nothing to wait for after a minute. */
const textAnswerMsMax = 60_000;

/** One question, one answer: the simplest form of chat. As in every chat, a client that leaves pays for what was produced. */
@Controller()
export class TextQuestionController {
  constructor(
    private readonly charging: Charging,
    private readonly answers: ChatAnswers,
  ) {}

  @Answers('askText')
  async ask(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const question = parseInput(TextQuestion, chatInput(request) ?? {});
    const call = gatewayCall(request, reply, textAnswerMsMax);
    const charge = await this.charging.begin(
      chargeableOf(request, { TTT_API: turnTokens(question, this.charging.tokensPerTurn) }),
    );
    await reply.send(await this.answers.whole({ chat: ChatBody.parse(question), charge, call }));
  }
}
