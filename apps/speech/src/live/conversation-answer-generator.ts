import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import {
  type BodyOf,
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
import type { LiveMetrics } from '../metrics';
import type { SessionUsage } from './session-usage';

const answerMs = 120_000;

const uncancelledMs = 10_000;
/** Each request within such a call has its deadline: a signal with a timer of its own would abort long after most are over. */
const never = new AbortController().signal;
/** The record of a turn that was withdrawn as it began may be on its way to Postgres. */
const lateRecordMs = 1000;

type VoiceSessionOpening = z.output<typeof openVoiceSession.opening>;

const providerLettersMax = 100;
/** Reported when there is no engine for the language. */
const noEngine: ProviderError = { role: 'SPEECH_TO_TEXT', provider: 'none', kind: 'UNAVAILABLE' };

/** What each question says about its session. */
interface SpokenSession extends Pick<VoiceSessionOpening, 'AgentKeyID' | 'channel' | 'variables' | 'language' | 'turnsPaidBy'> {
  readonly sessionUUID: string;
}

/** A turn, with what was seen of it. Its id is known once it has begun. */
interface OpenTurn {
  readonly seen: SeenUsage;
  /** Its own charge, if the opener of the line ends it. */
  readonly chargeId?: string;
  turnUUID?: string;
}

/** The services that answers need, and where their usage is counted. */
interface Dependencies {
  readonly bus: ServiceBus;
  readonly line: LineCall;
  readonly usage: SessionUsage;
  readonly metrics: LiveMetrics;
}

/** Calls on behalf of the opener of a line. The line has no deadline, but each call has. */
export class LineCall {
  constructor(private readonly opened: Call) {}

  /** A call for an answer, which ends when the answer is no longer wanted. */
  answering(signal: AbortSignal): Call {
    return this.within(answerMs, signal);
  }

  /** A call that must be made even if the line is gone. */
  uncancelled(): Call {
    return this.within(uncancelledMs, never);
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
  /** Turns that were abandoned before their price was known, and the payments that are under way. */
  private readonly unpaid = new Map<string, OpenTurn>();
  private readonly paying = new Set<Promise<void>>();
  private lastTurnUUID: string | undefined;
  private lastHeard: Promise<void> = Promise.resolve();
  /** Of an answer whose sound has begun, until the next report of how much of it was heard says it as well. */
  private measured: AnswerLatency | undefined;
  /** Failures of engines that have not been reported with a turn yet. */
  private unreported: ProviderError[] = [];
  private hasHearingFailed = false;

  constructor(
    private readonly session: SpokenSession,
    private readonly dependencies: Dependencies,
  ) {}

  async *answer({ question, language, isSpeculative, usualPauseMs, signal }: AnswerRequest): AsyncGenerator<AnswerEvent> {
    const { sessionUUID, AgentKeyID, channel, variables, turnsPaidBy: ofSession } = this.session;
    const spoken = language ?? this.session.language;
    const turn: OpenTurn = { seen: new SeenUsage(), ...(ofSession && { chargeId: randomUUID() }) };
    const payment = turn.chargeId && { chargeId: turn.chargeId, tokens: 0, isSettledByTurn: false, ofSession };
    const body = { sessionUUID, AgentKeyID, channel, variables, language: spoken, question, isSpeculative };
    const asked = { ...body, usualPauseMs, reportsHeard: true, ...(payment && { payment }) };
    const items = runInCall(this.dependencies.line.answering(signal), () => this.dependencies.bus.stream(streamTurn, asked));
    try {
      for await (const item of items) {
        const event = this.handle(item, turn);
        if (event) yield event;
      }
    } catch (error) {
      // Nobody will say how much of it was heard, and until it is paid its hold stays.
      if (turn.turnUUID !== undefined && !signal.aborted) void this.pay(turn.turnUUID).catch(() => undefined);
      throw error;
    } finally {
      if (turn.turnUUID === undefined) this.payUnbegun(turn, signal);
    }
  }

  /** A turn that was withdrawn before it was known to have begun: its model may have been asked all the same. */
  private payUnbegun(turn: OpenTurn, signal: AbortSignal): void {
    const { chargeId } = turn;
    if (!signal.aborted || chargeId === undefined) return this.count(turn, 0);
    const discarded = this.discarded(chargeId).catch(() => delay(lateRecordMs).then(() => this.discarded(chargeId)));
    void this.finishing(this.paid(turn, discarded)).catch(() => undefined);
  }

  async keepHeard({ turnUUID, heardText, playedMs }: HeardAnswer): Promise<void> {
    await this.inOrder({ turnUUID, heardText, playedMs });
    await this.pay(turnUUID);
  }

  keepHeardSoFar(heard: HeardSoFar): Promise<void> {
    return this.inOrder(heard);
  }

  /** One after the other, so that an earlier part never replaces a later one. */
  private inOrder(heard: HeardAnswer | HeardSoFar): Promise<void> {
    const measured = this.takeMeasured(heard.turnUUID);
    const told = { ...heard, ...(measured && { measured }) };
    const ask = () => this.askUncancelled((bus, sessionUUID) => bus.ask(recordHeardText, { sessionUUID, ...told }));
    const asked = this.lastHeard.then(ask).then(() => undefined);
    this.lastHeard = asked.catch(() => undefined);
    return asked;
  }

  async keepUnanswered(question: string): Promise<void> {
    const turnUUID = randomUUID();
    await this.askUncancelled((bus, sessionUUID) => bus.ask(recordUnanswered, { sessionUUID, turnUUID, question }));
  }

  /** What the model produced is paid though nobody heard it. */
  async discard(turnUUID: string): Promise<void> {
    if (this.measured?.turnUUID === turnUUID) this.measured = undefined;
    const turn = this.unpaid.get(turnUUID);
    this.unpaid.delete(turnUUID);
    const discarded = this.discarded(turnUUID);
    await (turn
      ? this.finishing(
          this.paid(
            turn,
            discarded.catch(() => this.usedBy(turnUUID)),
          ),
        )
      : discarded);
  }

  /** Discards a turn and returns what it used. */
  private async discarded(turnUUID: string): Promise<number> {
    const { tokenUsage } = await this.askUncancelled((bus, sessionUUID) => bus.ask(discardTurn, { sessionUUID, turnUUID }));
    return tokenUsage ? tokenUsage.totalTokens : this.usedBy(turnUUID);
  }

  async keepLatency(measured: AnswerLatency): Promise<void> {
    this.dependencies.metrics.answered(measured.latency);
    this.measured = measured;
  }

  private takeMeasured(turnUUID: string) {
    if (this.measured?.turnUUID !== turnUUID) return undefined;
    const { latency } = this.measured;
    this.measured = undefined;
    return { latency, providerErrors: this.unreported.splice(0) };
  }

  /** A speech engine failed, which is reported with the next spoken turn, or at the end with the last one. */
  noteFailure(role: ProviderError['role'], { provider, kind }: ProviderFailure): void {
    this.hasHearingFailed ||= role === 'SPEECH_TO_TEXT';
    if (this.unreported.length < providerErrorsMax)
      this.unreported.push({ role, provider: provider.slice(0, providerLettersMax), kind });
  }

  /** At the end of the line: pays for abandoned answers, and reports the remaining failures. */
  async payAbandoned(): Promise<void> {
    for (const turnUUID of this.unpaid.keys()) void this.pay(turnUUID).catch(() => undefined);
    await Promise.allSettled(this.paying);
    const { turnUUID, latency } = this.measured ?? { turnUUID: this.lastTurnUUID };
    if (turnUUID === undefined || (this.unreported.length === 0 && !latency)) return;
    const providerErrors = this.unreported.splice(0);
    await this.askUncancelled((bus, sessionUUID) => bus.ask(recordLatency, { sessionUUID, turnUUID, latency, providerErrors }));
  }

  /** After the line is over: records its sound and time, and failures for which there was no turn. */
  async recordSound(sound: SessionUsage['sound'], connected: BodyOf<typeof recordSound>['connected']): Promise<void> {
    const providerErrors = this.unreported.splice(0);
    if (sound.isUnheard && !this.hasHearingFailed) providerErrors.push(noEngine);
    await this.askUncancelled((bus, sessionUUID) => bus.ask(recordSound, { sessionUUID, ...sound, providerErrors, connected }));
  }

  private handle(item: TurnItem, turn: OpenTurn): AnswerEvent | undefined {
    turn.seen.note(item);
    if (item.type === 'session') {
      turn.turnUUID = item.turnUUID;
      this.unpaid.set(item.turnUUID, turn);
      this.lastTurnUUID = item.turnUUID;
      return { kind: 'begun', turnUUID: item.turnUUID };
    }
    if (item.type === 'delta') return { kind: 'delta', text: item.text };
    if (item.type !== 'done') return undefined;
    this.unpaid.delete(item.turnUUID);
    this.count(turn, item.tokenUsage.totalTokens);
    const { tokenUsage: usage, latency, wantsToEnd, transferTo, detectedLanguage } = item;
    const language = SpeechLanguage.safeParse(detectedLanguage).data;
    return { kind: 'done', usage, latency, language, wantsToEnd, ...(transferTo !== undefined && { transferTo }) };
  }

  private async pay(turnUUID: string): Promise<void> {
    const turn = this.unpaid.get(turnUUID);
    if (!turn) return;
    this.unpaid.delete(turnUUID);
    await this.finishing(this.paid(turn, this.usedBy(turnUUID)));
  }

  /** The same work, for which the end of the line waits. */
  private async finishing(payment: Promise<void>): Promise<void> {
    this.paying.add(payment);
    await payment.finally(() => this.paying.delete(payment));
  }

  /** Counts the usage in the turn's record; or what was seen, if the record is unavailable, or has none because its process died. */
  private async paid(turn: OpenTurn, recorded: Promise<number>): Promise<void> {
    let tokens = 0;
    try {
      tokens = await recorded;
    } finally {
      this.count(turn, tokens || turn.seen.tokenUsage.totalTokens);
    }
  }

  private async usedBy(turnUUID: string): Promise<number> {
    const { tokenUsage } = await this.askUncancelled((bus, sessionUUID) => bus.ask(readTurn, { sessionUUID, turnUUID }));
    return tokenUsage.totalTokens;
  }

  private count({ chargeId }: OpenTurn, tokens: number): void {
    if (chargeId === undefined) this.dependencies.usage.tokens(tokens);
    else this.dependencies.usage.turn({ chargeId, tokens });
  }

  private askUncancelled<Result>(work: (bus: ServiceBus, sessionUUID: string) => Promise<Result>): Promise<Result> {
    return runInCall(this.dependencies.line.uncancelled(), () => work(this.dependencies.bus, this.session.sessionUUID));
  }
}
