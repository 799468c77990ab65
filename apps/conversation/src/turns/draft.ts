import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import {
  type AgentRuntime,
  extendCharge,
  type PaymentTerms,
  type ProviderError,
  providerErrorsMax,
  settleCharge,
  type SpeechLanguage,
} from '@parley/contracts';
import type { HeardLanguage } from '@parley/language';
import { type Call, isTemporary, runInCall, ServiceBus } from '@parley/messaging';
import type { ModelUsage, ProviderFailure } from '@parley/ports';
import { Logger } from '@parley/service-kit';
import type { FoundKnowledge } from '../answers/knowledge';
import type { Memory } from './open-turn';
import type { TurnOutcome } from './turn-record';

const providerLettersMax = 100;

/** The charge of a turn, and how many tokens are held for it so far. */
interface Paid {
  readonly terms: PaymentTerms | undefined;
  tokensHeld: number;
  /** Whether there is a hold. A turn of a live session opens it itself. */
  isOpen: boolean;
  /** The attempt to hold what the turn will probably cost, and the agent by whose latest turn that is guessed. */
  ahead?: Promise<void>;
  agentId?: number;
}

/** What a turn has produced so far. It can be stored at any moment, for instance when the turn is cut short. */
export class Draft {
  answer = '';
  usage: ModelUsage = { promptTokens: 0, completionTokens: 0 };
  /** A lower bound for the prompts answered so far, until their providers have counted them. */
  promptTokensMin = 0;
  /** Providers that failed, even if another one answered. */
  readonly providerErrors: ProviderError[] = [];
  isFromFaq = false;
  isKnown = false;
  /** The answer says that it does not know. */
  isUnanswered = false;
  /** The number to transfer the caller to. */
  transferTo: string | undefined;
  /** The knowledge base that was asked. */
  knowledgeBaseId: number | null = null;
  wantsToEnd = false;
  sources: FoundKnowledge['sources'] = [];
  retrievalMs: number | null = null;
  transcriptionMs: number | null = null;
  audioSeconds = 0;
  /** What the conversation remembers from here on; undefined if no prompt was made. */
  memory: Memory | undefined;
  private firstTextMs: number | null = null;
  private readonly startedMs = performance.now();

  /** The language of the question, which may be Hinglish, unlike that of the answer. */
  heard: HeardLanguage;

  readonly payment: Paid;

  constructor(
    public language: SpeechLanguage,
    terms?: PaymentTerms,
  ) {
    this.heard = language;
    this.payment = { terms, tokensHeld: terms?.tokens ?? 0, isOpen: terms?.ofSession === undefined };
  }

  /** What the turn has cost by now, as credits count it. */
  get usedCredits(): { kind: 'TTT_API' | 'STT_API'; units: number }[] {
    const { tokenUsage, audioSeconds } = this;
    return [
      { kind: 'TTT_API' as const, units: tokenUsage.totalTokens },
      { kind: 'STT_API' as const, units: audioSeconds },
    ].filter(({ units }) => units > 0);
  }

  add(text: string): void {
    this.firstTextMs ??= this.elapsedMs;
    this.answer += text;
  }

  noteFailure({ provider, kind }: ProviderFailure): void {
    if (this.providerErrors.length >= providerErrorsMax) return;
    this.providerErrors.push({ role: 'LANGUAGE_MODEL', provider: provider.slice(0, providerLettersMax), kind });
  }

  spend({ promptTokens, completionTokens }: ModelUsage): void {
    this.usage = {
      promptTokens: this.usage.promptTokens + promptTokens,
      completionTokens: this.usage.completionTokens + completionTokens,
    };
  }

  get elapsedMs(): number {
    return Math.round(performance.now() - this.startedMs);
  }

  get tokenUsage() {
    const { promptTokens, completionTokens } = this.usage;
    return { promptTokens, completionTokens, totalTokens: promptTokens + completionTokens };
  }

  get latency(): TurnOutcome['latency'] {
    const { retrievalMs, transcriptionMs, firstTextMs } = this;
    return {
      endOfTurnMs: null,
      transcriptionMs,
      retrievalMs,
      firstTokenMs: firstTextMs === null ? null : firstTextMs - (transcriptionMs ?? 0) - (retrievalMs ?? 0),
      firstAudioMs: null,
      pacingMs: null,
      totalMs: firstTextMs ?? this.elapsedMs,
    };
  }

  outcome(status: TurnOutcome['status']): TurnOutcome {
    const { answer, language, sources, latency, usage, isFromFaq, isKnown, isUnanswered, knowledgeBaseId, audioSeconds, memory } =
      this;
    const known = { isFromFaq, isKnown, isUnanswered, knowledgeBaseId };
    const { providerErrors } = this;
    return { status, answer, language, sources, latency, usage, ...known, audioSeconds, memory, providerErrors };
  }
}

/** Long enough for a gateway that died to be restarted. */
const settleWithinMs = 60_000;
const askAgainMs = 500;
const never = new AbortController().signal;

const usualPromptTokens = 1_000;
const growth = 1.25;
const costsMax = 1_000;

/** Keeps a turn within its customer's credits: nothing is spent beyond the hold, and all usage is charged. */
@Injectable()
export class TurnPayment {
  /** What a turn of an agent may cost, according to its latest. */
  private readonly costs = new Map<number, number>();

  constructor(
    private readonly bus: ServiceBus,
    private readonly log: Logger,
  ) {}

  /**
   * Opens the hold of a live turn while its answer is still being looked for, for what the agent's latest turn cost; if that cannot be
   * had at once, it is opened when the cost is known. Not awaited.
   */
  holdAhead({ payment }: Draft, { AgentID, RuntimeConfiguration }: AgentRuntime): void {
    if (!payment.terms?.ofSession) return;
    payment.agentId = AgentID;
    payment.ahead = this.opened(payment, this.costs.get(AgentID) ?? RuntimeConfiguration.MaxTokens + usualPromptTokens);
  }

  private async opened(payment: Paid, tokens: number): Promise<void> {
    const { chargeId = '', ofSession: opens } = payment.terms ?? {};
    try {
      await this.bus.ask(extendCharge, { chargeId, usage: [{ kind: 'TTT_API', units: tokens }], opens });
      Object.assign(payment, { isOpen: true, tokensHeld: tokens });
    } catch {
      // Whether there is enough for the turn is decided when its cost is known.
    }
  }

  /**
   * Extends the hold before the turn's tokens exceed it, or as far as the credits reach if that is at least `tokensMin`;
   * CREDITS_EXHAUSTED if there are not enough. While it waits, unused held credits may go to others.
   */
  async afford(draft: Draft, tokens: number, { used, tokensMin }: { used: number; tokensMin?: number }): Promise<void> {
    const { terms, ahead, agentId } = draft.payment;
    await ahead;
    if (agentId !== undefined && used === 0) this.noteCost(agentId, tokens);
    if (!terms || !this.isBeyondHold(draft, tokens)) return;
    const amountOf = (units: number) => [{ kind: 'TTT_API' as const, units }];
    const { chargeId, ofSession } = terms;
    const opens = draft.payment.isOpen ? undefined : ofSession;
    const least = opens ? (tokensMin ?? tokens) : tokensMin;
    const extension = { chargeId, usage: amountOf(tokens), used: amountOf(used), tokensMin: least, opens };
    const extended = await this.bus.ask(extendCharge, extension);
    draft.payment.isOpen = true;
    draft.payment.tokensHeld = extended.tokens ?? tokens;
  }

  /** Remembers what a turn of the agent may cost. History makes the next prompt a little longer. */
  private noteCost(agentId: number, tokens: number): void {
    this.costs.delete(agentId);
    this.costs.set(agentId, Math.ceil(tokens * growth));
    const [oldest] = this.costs.keys();
    if (this.costs.size > costsMax && oldest !== undefined) this.costs.delete(oldest);
  }

  /** Whether the hold must be extended for this many tokens. */
  isBeyondHold({ payment: { terms, tokensHeld } }: Draft, tokens: number): boolean {
    return terms !== undefined && tokens > tokensHeld;
  }

  /** Charges a turn that was cut off, or has it charged: its reader may be gone, and the gateway with it. Not awaited. */
  settle(draft: Draft, AgentID: number, { requestId, principal }: Call): void {
    const { terms } = draft.payment;
    const usage = draft.usedCredits;
    if (!terms || usage.length === 0) return;
    const { chargeId, isSettledByTurn, isOfAttempt } = terms;
    if (!isSettledByTurn && !isOfAttempt) return;
    const call = { requestId, deadlineAtMs: Date.now() + settleWithinMs, signal: never, ...(principal && { principal }) };
    const settling = async (): Promise<unknown> =>
      isOfAttempt
        ? this.bus.ask(extendCharge, { chargeId, usage, used: usage, isCutOff: true })
        : this.bus.ask(settleCharge, { chargeId, usage, AgentID });
    void runInCall(call, () => this.settled(settling, call.deadlineAtMs)).catch((error: unknown) =>
      this.log.error('The usage of a turn could not be charged', { requestId, usage, error }),
    );
  }

  private async settled(settling: () => Promise<unknown>, untilMs: number): Promise<void> {
    for (;;) {
      try {
        return void (await settling());
      } catch (error) {
        if (!isTemporary(error) || Date.now() + askAgainMs > untilMs) throw error;
        await delay(askAgainMs);
      }
    }
  }
}
