import { randomUUID } from 'node:crypto';
import {
  discardTurn,
  type openVoiceSession,
  type ProviderError,
  providerErrorsMax,
  readTurn,
  recordHeardText,
  recordLatency,
  recordSound,
  recordUnanswered,
  SeenUsage,
  SpeechLanguage,
  streamTurn,
  type TurnItem,
} from '@parley/contracts';
import { type Call, runInCall, type ServiceBus } from '@parley/messaging';
import type { ProviderFailure } from '@parley/ports';
import type { AnswerEvent, AnswerGenerator, AnswerLatency, AnswerRequest, HeardAnswer, HeardSoFar } from '@parley/voice-session';
import type { z } from 'zod';
import type { LiveFigures } from '../figures';
import type { SessionUsage } from './session-usage';

const answerMs = 120_000;

const choreMs = 10_000;

type VoiceSessionOpening = z.output<typeof openVoiceSession.opening>;

const providerLettersMax = 100;
/** No engine failed: there is none for the language. */
const noEngine: ProviderError = { role: 'SPEECH_TO_TEXT', provider: 'none', kind: 'UNAVAILABLE' };

/** A session as its turns are asked in it. */
interface SpokenSession extends Pick<VoiceSessionOpening, 'AgentKeyID' | 'channel' | 'variables' | 'language'> {
  readonly sessionUUID: string;
}

/** What answers are generated with, and where they are charged. */
interface Surroundings {
  readonly bus: ServiceBus;
  readonly line: LineCall;
  readonly usage: SessionUsage;
  readonly figures: LiveFigures;
}

/** A live line's calls on behalf of its opener. The line has no deadline; each of these has. */
export class LineCall {
  constructor(private readonly opened: Call) {}

  /** Waits for an answer as long as it is wanted. */
  answering(signal: AbortSignal): Call {
    return this.within(answerMs, signal);
  }

  /** A call that must be made even when the line is gone. */
  chore(): Call {
    return this.within(choreMs, AbortSignal.timeout(choreMs));
  }

  private within(forMs: number, signal: AbortSignal): Call {
    const { requestId, principal, traceparent } = this.opened;
    return {
      requestId,
      signal,
      deadlineAtMs: Date.now() + forMs,
      ...(principal && { principal }),
      ...(traceparent && { traceparent }),
    };
  }
}

/** Answers by turns of the conversation service. */
export class ConversationAnswerGenerator implements AnswerGenerator {
  /** Turns whose reader left before their price was known, and what was seen of them. */
  private readonly unpaid = new Map<string, SeenUsage>();
  private lastTurnUUID: string | undefined;
  /** Engines that failed and no turn knows of yet. */
  private untold: ProviderError[] = [];
  private hasHearingFailed = false;

  constructor(
    private readonly session: SpokenSession,
    private readonly around: Surroundings,
  ) {}

  async *answer({ question, language, isSpeculative, signal }: AnswerRequest): AsyncGenerator<AnswerEvent> {
    const { sessionUUID, AgentKeyID, channel, variables } = this.session;
    const spoken = language ?? this.session.language;
    const body = { sessionUUID, AgentKeyID, channel, variables, language: spoken, question, isSpeculative };
    const items = runInCall(this.around.line.answering(signal), () => this.around.bus.stream(streamTurn, body));
    const seen = new SeenUsage();
    for await (const item of items) {
      const event = this.handle(item, seen);
      if (event) yield event;
    }
  }

  async keepHeard({ turnUUID, heardText, playedMs }: HeardAnswer): Promise<void> {
    await this.chore((bus, sessionUUID) => bus.ask(recordHeardText, { sessionUUID, turnUUID, heardText, playedMs }));
    await this.pay(turnUUID);
  }

  async keepHeardSoFar({ question, ...heard }: HeardSoFar): Promise<void> {
    await this.chore((bus, sessionUUID) => bus.ask(recordHeardText, { sessionUUID, ...heard, soFar: { question } }));
  }

  async keepUnanswered(question: string): Promise<void> {
    const turnUUID = randomUUID();
    await this.chore((bus, sessionUUID) => bus.ask(recordUnanswered, { sessionUUID, turnUUID, question }));
  }

  async discard(turnUUID: string): Promise<void> {
    this.unpaid.delete(turnUUID);
    await this.chore((bus, sessionUUID) => bus.ask(discardTurn, { sessionUUID, turnUUID }));
  }

  async keepLatency({ turnUUID, latency }: AnswerLatency): Promise<void> {
    this.around.figures.answered(latency);
    const providerErrors = this.untold.splice(0);
    await this.chore((bus, sessionUUID) => bus.ask(recordLatency, { sessionUUID, turnUUID, latency, providerErrors }));
  }

  /** A speech engine failed: the next spoken turn reports it, or the last one. */
  noteFailure(role: ProviderError['role'], { provider, kind }: ProviderFailure): void {
    this.hasHearingFailed ||= role === 'SPEECH_TO_TEXT';
    if (this.untold.length < providerErrorsMax) this.untold.push({ role, provider: provider.slice(0, providerLettersMax), kind });
  }

  /** At the end of the line: produced answers that were never requested are paid as well, and failures reported. */
  async payTheRest(): Promise<void> {
    await Promise.all([...this.unpaid.keys()].map((turnUUID) => this.pay(turnUUID)));
    const { lastTurnUUID: turnUUID } = this;
    if (turnUUID === undefined || this.untold.length === 0) return;
    const providerErrors = this.untold.splice(0);
    await this.chore((bus, sessionUUID) => bus.ask(recordLatency, { sessionUUID, turnUUID, providerErrors }));
  }

  /** Once the line is over: its sound, and failures that no turn was there to report. */
  async recordSound(sound: SessionUsage['sound']): Promise<void> {
    const providerErrors = this.untold.splice(0);
    if (sound.isUnheard && !this.hasHearingFailed) providerErrors.push(noEngine);
    if (sound.heardSeconds + sound.spokenSeconds + providerErrors.length === 0) return;
    await this.chore((bus, sessionUUID) => bus.ask(recordSound, { sessionUUID, ...sound, providerErrors }));
  }

  private handle(item: TurnItem, seen: SeenUsage): AnswerEvent | undefined {
    seen.note(item);
    if (item.type === 'session') {
      this.unpaid.set(item.turnUUID, seen);
      this.lastTurnUUID = item.turnUUID;
      return { kind: 'begun', turnUUID: item.turnUUID };
    }
    if (item.type === 'delta') return { kind: 'delta', text: item.text };
    if (item.type !== 'done') return undefined;
    this.unpaid.delete(item.turnUUID);
    this.around.usage.tokens(item.tokenUsage.totalTokens);
    const { tokenUsage: usage, latency, wantsToEnd, transferTo, detectedLanguage } = item;
    const language = SpeechLanguage.safeParse(detectedLanguage).data;
    return { kind: 'done', usage, latency, language, wantsToEnd, ...(transferTo !== undefined && { transferTo }) };
  }

  /** As its record says; as it was seen, where its service died and left a record without usage, or nobody can be asked. */
  private async pay(turnUUID: string): Promise<void> {
    const seen = this.unpaid.get(turnUUID);
    if (!seen) return;
    this.unpaid.delete(turnUUID);
    let tokens = 0;
    try {
      const { tokenUsage } = await this.chore((bus, sessionUUID) => bus.ask(readTurn, { sessionUUID, turnUUID }));
      tokens = tokenUsage.totalTokens;
    } finally {
      this.around.usage.tokens(tokens || seen.tokenUsage.totalTokens);
    }
  }

  private chore<Result>(work: (bus: ServiceBus, sessionUUID: string) => Promise<Result>): Promise<Result> {
    return runInCall(this.around.line.chore(), () => work(this.around.bus, this.session.sessionUUID));
  }
}
