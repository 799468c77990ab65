import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurnOfLoop } from 'node:timers/promises';
import { Controller, Injectable } from '@nestjs/common';
import {
  type AgentRuntime,
  type BodyOf,
  chosenTranscribersOf,
  discardTurn,
  Fault,
  faultCatalogue,
  followTranscription,
  isOurFault,
  lastStepOf,
  type PaymentTerms,
  readTurn,
  recordHeardText,
  recordLatency,
  recordUnanswered,
  type ReplyOf,
  type SpeechLanguage,
  streamTurn,
  type TurnItem,
} from '@parley/contracts';
import { detectLanguage, type HeardLanguage } from '@parley/language';
import { type Call, Handles, organizationOf, runInCall, ServiceBus } from '@parley/messaging';
import { ProviderFailure } from '@parley/ports';
import type { z } from 'zod';
import { type AgentChoice, Agents, answerLanguageOf, isSpoken } from '../answers/agents';
import { SessionLookup } from '../sessions/sessions';
import { Composer, type Composition } from './composer';
import { Draft, TurnPayment } from './draft';
import type { OpenTurn } from './open-turn';
import { TurnGate } from './turn-gate';
import type { TurnOutcome } from './turn-record';
import { TurnCorrections, TurnLookup } from './turn-lookup';

type Recording = NonNullable<z.output<typeof streamTurn.request>['audio']>;

/** Turns a spoken question into text. */
@Injectable()
export class QuestionTranscription {
  constructor(private readonly bus: ServiceBus) {}

  /**
   * Transcribes a recording with the models that the agent's builder chose, if they support the language. If the client leaves, it
   * ends with the current piece, and what is transcribed by then is charged.
   */
  async hear({ sampleRate, ...audioFile }: Recording, { agent, draft, call }: Hearing): Promise<string> {
    const { language } = draft;
    const wanted = { audioFile, language, sampleRate, preferredTranscribeIDs: chosenTranscribersOf(agent) };
    const isAwaited = (): boolean => !call.signal.aborted;
    const last = await runInCall({ ...call, signal: never }, () =>
      lastStepOf(this.bus.stream(followTranscription, wanted), { isAwaited }),
    );
    draft.audioSeconds = Math.ceil(last.audioSeconds);
    if (last.type === 'heard') throw new Fault('CANCELLED');
    draft.transcriptionMs = draft.elapsedMs;
    const words = last.transcription.trim();
    if (words === '') throw new Fault('VALIDATION_FAILED', { details: [{ field: 'audioFile', message: 'contains no speech' }] });
    return words;
  }
}

// A client that leaves stops the work between two pieces; within one it would be unknown how much of it was done.
const never = new AbortController().signal;

interface Hearing {
  readonly agent: AgentRuntime;
  readonly draft: Draft;
  readonly call: Call;
}

/** A question to an agent, in text or as a recording, from any channel. */
type Ask = z.output<typeof streamTurn.request>;

/** The detected languages of a turn's question, cached since several steps ask and detection takes as long as composing the prompt. */
class QuestionLanguages {
  private readonly known = new Map<string, HeardLanguage | undefined>();

  constructor(private readonly named: SpeechLanguage | undefined) {}

  /** The requested language, or the one detected in a question; `hint` decides between two equally likely ones. */
  of(question: string, hint: SpeechLanguage): HeardLanguage | undefined {
    if (this.named) return this.named;
    const key = `${hint} ${question}`;
    if (!this.known.has(key)) this.known.set(key, detectLanguage(question, hint));
    return this.known.get(key);
  }
}

interface OpenedTurn {
  readonly ask: Ask;
  readonly languages: QuestionLanguages;
  readonly agent: AgentRuntime;
  readonly draft: Draft;
  readonly orgId: number;
}

/** Runs one turn from the question to the stored answer. */
@Injectable()
export class TurnsService {
  constructor(
    private readonly agents: Agents,
    private readonly sessions: SessionLookup,
    private readonly transcription: QuestionTranscription,
    private readonly composer: Composer,
    private readonly gate: TurnGate,
    private readonly payment: TurnPayment,
  ) {}

  async *run(ask: Ask, call: Call): AsyncGenerator<TurnItem> {
    const agent = await this.agents.addressed(call, await this.agentOf(ask, call));
    const draft = new Draft(ask.language ?? agent.language, ask.payment);
    this.payment.holdAhead(draft, agent);
    const languages = new QuestionLanguages(ask.language);
    const opened = { ask, languages, agent, draft, orgId: organizationOf(call) };
    // A recording is transcribed only once its turn has a session, after everything that could refuse it.
    const early = ask.audio ? undefined : this.searched(opened, ask.question ?? '');
    let turn = await this.open(opened, call);
    let words = early && (await this.begun({ turn, agent, draft, search: early, call }, opened));
    if (!words) await turn.stored;
    let status: 'COMPLETED' | 'INTERRUPTED' | 'FAILED' | 'DISCARDED' = 'INTERRUPTED';
    let failure: unknown;
    try {
      if (ask.audio) await this.composer.affordAnswer({ turn, agent, draft, call });
      const { AgentID, AgentKeyID } = agent;
      yield { type: 'session', sessionUUID: turn.sessionUuid, turnUUID: turn.turnUuid, AgentID, AgentKeyID };
      if (ask.audio) {
        turn = { ...turn, question: await this.transcription.hear(ask.audio, { agent, draft, call }) };
        yield { type: 'transcription', text: turn.question, audioSeconds: draft.audioSeconds };
      }
      words ??= await this.begun({ turn, agent, draft, search: this.searched(opened, turn.question), call }, opened);
      let promptTokensSent = 0;
      for await (const text of words) {
        draft.add(text);
        const { promptTokensMin: promptTokens } = draft;
        if (!ask.isWhole) yield { type: 'delta', text, ...(promptTokens > promptTokensSent && { promptTokens }) };
        promptTokensSent = promptTokens;
      }
      // Lets the last words be sent before the record is written, even if the model emitted much at once.
      if (!ask.isWhole) await nextTurnOfLoop();
      status = 'COMPLETED';
    } catch (cause) {
      status = call.signal.aborted ? 'INTERRUPTED' : 'FAILED';
      // A recording that could not be transcribed is not a question, and no model failed.
      const isUnheard = turn.isFirst === true && turn.question === '';
      if (status === 'FAILED' && !words && (isUnheard || isSendersFault(cause))) status = 'DISCARDED';
      // Not noted yet: all models are blocked after earlier failures, or one returned something unusable.
      if (cause instanceof ProviderFailure && draft.providerErrors.length === 0) draft.noteFailure(cause);
      failure = asFault(cause);
      throw failure;
    } finally {
      await words?.leave();
      const isFree = isLostWhole(ask, call.signal.aborted ? call.signal.reason : failure);
      if (status !== 'COMPLETED' && !isFree) this.payment.settle(draft, agent.AgentID, call);
      // What was asked too early and failed is asked again as a whole, and stands in history once.
      const isAskedAgain = status === 'FAILED' && ask.isSpeculative;
      await this.gate.close(
        isAskedAgain ? { ...turn, question: '' } : turn,
        outcomeOf(status, { draft, ask, turn }),
        draft.wantsToEnd,
      );
    }
    yield doneOf(turn, draft, ask);
  }

  /** Starts the answer while its turn is being stored. Nothing of it is sent until the turn is stored. */
  private async begun(composition: Composition, { ask, languages }: OpenedTurn): Promise<ReadAhead<string>> {
    const { turn, draft, agent } = composition;
    // A new session takes its language from this question, so it cannot serve as a hint.
    const hint = ask.sessionUUID ? turn.session.language : agent.language;
    draft.heard = languages.of(turn.question, hint) ?? turn.session.language;
    draft.language = answerLanguageOf(draft.heard, agent);
    const words = new ReadAhead(this.composer.answer(composition));
    try {
      await turn.stored;
      return words;
    } catch (failure) {
      void words.leave();
      throw failure;
    }
  }

  private searched({ ask, languages, agent, draft, orgId }: OpenedTurn, question: string): Composition['search'] {
    const heard = languages.of(question, agent.language);
    const language = heard && answerLanguageOf(heard, agent);
    return this.composer.search(question, agent, { draft, language, orgId, includeSources: ask.includeSources });
  }

  /** A session already has its agent; without one, the caller has to name it. */
  private async agentOf({ AgentKeyID, sessionUUID }: Ask, call: Call): Promise<AgentChoice> {
    if (AgentKeyID || !sessionUUID || call.principal?.kind === 'agt') return { AgentKeyID };
    return { AgentID: await this.sessions.agentOf(organizationOf(call), sessionUUID) };
  }

  private open({ ask, languages, agent, orgId }: OpenedTurn, call: Call): OpenTurn | Promise<OpenTurn> {
    const { sessionUUID, question = '', variables = {}, channel, isSpeculative, reportsHeard, usualPauseMs, payment } = ask;
    const { AgentID: agentId, AgentKeyID: agentKeyId, AgentName: agentName } = agent;
    const turn = {
      orgId,
      turnUuid: payment && hasIdOfCharge(payment) ? payment.chargeId : randomUUID(),
      sessionUuid: sessionUUID ?? randomUUID(),
      agentId,
      question,
      isSpeculative,
      reportsHeard,
      usualPauseMs,
      variables,
    };
    if (sessionUUID) return this.gate.next(turn, call.signal);
    const language = answerLanguageOf(languages.of(question, agent.language) ?? agent.language, agent);
    const session = { agentKeyId, agentName, channel, language };
    return isStoredAtItsEnd(ask) ? this.gate.unstored(turn, session) : this.gate.first(turn, session);
  }
}

/**
 * Whether only the asking gateway needs to know of the turn before it ends, so that it can be stored just once. Not under an
 * Idempotency-Key: if such a turn's end is unknown, its charge is left to expire, and the key would pay for a failed attempt.
 */
function isStoredAtItsEnd({ isWhole, audio, payment }: Ask): boolean {
  return isWhole && !audio && payment?.isSettledByTurn !== false;
}

/**
 * Whether the turn ends through our fault with nothing delivered. Its gateway then gives its hold back; if that has died, the hold
 * expires, and the sweeper reads the record.
 */
function isLostWhole({ isWhole, payment }: Ask, failure: unknown): boolean {
  const isOurs = failure !== undefined && (!(failure instanceof Fault) || isOurFault(failure));
  return isWhole && payment?.isSettledByTurn === true && isOurs;
}

/** Whether its record tells what is owed under the charge. */
function hasIdOfCharge({ isSettledByTurn, isOfAttempt, ofSession }: PaymentTerms): boolean {
  return isSettledByTurn || isOfAttempt || ofSession !== undefined;
}

interface EndedTurn {
  readonly draft: Draft;
  readonly ask: Ask;
  readonly turn: OpenTurn;
}

/** What to store. A spoken answer counts as unheard until it is reported, and so does one that its reader left. */
function outcomeOf(status: TurnOutcome['status'], { draft, ask, turn }: EndedTurn): TurnOutcome {
  const { isSpeculative, channel, reportsHeard } = ask;
  if (status === 'COMPLETED' && reportsHeard) return { ...draft.outcome('INTERRUPTED'), answer: '' };
  if (status === 'FAILED' && reportsHeard) return { ...draft.outcome('FAILED'), answer: '' };
  if (status !== 'INTERRUPTED') return draft.outcome(status);
  // A recording whose words are not known yet is not a question.
  if (isSpeculative || turn.question === '') return draft.outcome('DISCARDED');
  return isSpoken(channel) || reportsHeard ? { ...draft.outcome('INTERRUPTED'), answer: '' } : draft.outcome('INTERRUPTED');
}

function doneOf(turn: OpenTurn, draft: Draft, { includeSources, audio }: Ask): TurnItem {
  const { answer, language, heard, tokenUsage, isFromFaq, wantsToEnd, transferTo, latency, sources, audioSeconds } = draft;
  return {
    type: 'done',
    answer,
    sessionUUID: turn.sessionUuid,
    // Voices are chosen by this language, and none speaks Hinglish.
    detectedLanguage: isSpoken(turn.session.channel) ? language : heard,
    tokenUsage,
    turnUUID: turn.turnUuid,
    isFromFaq,
    wantsToEnd,
    ...(transferTo !== undefined && { transferTo }),
    audioSeconds,
    latency,
    ...(includeSources && { sources: [...sources] }),
    ...(audio && { transcription: turn.question }),
  };
}

/** Whether the same request would fail again: no speech, unreadable audio, an unsupported language. */
function isSendersFault(cause: unknown): boolean {
  return cause instanceof Fault && !faultCatalogue[cause.code].isRetryable && faultCatalogue[cause.code].status < 500;
}

const dependencyLettersMax = 64;

function asFault(cause: unknown): unknown {
  if (!(cause instanceof ProviderFailure)) return cause;
  const retryAfterSeconds = cause.retryAfterMs === undefined ? undefined : Math.ceil(cause.retryAfterMs / 1000);
  const dependency = `${cause.provider} (${cause.kind})`.slice(0, dependencyLettersMax);
  return new Fault('MODEL_PROVIDER_UNAVAILABLE', {
    cause,
    dependency,
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  });
}

/**
 * Reads the first item ahead and keeps it, or the failure, until it is requested. If it is not read to the end, `leave` must be called,
 * which stops the producer after its next item.
 */
class ReadAhead<Item> implements AsyncIterableIterator<Item, unknown> {
  private first: Promise<IteratorResult<Item, unknown>> | undefined;
  private items: AsyncGenerator<Item, unknown> | undefined;

  constructor(private readonly beginning: Promise<AsyncGenerator<Item, unknown>>) {
    this.first = this.begin();
    this.first.catch(() => undefined);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<Item, unknown>> {
    const next = this.first ?? this.items?.next() ?? Promise.resolve({ done: true, value: undefined });
    this.first = undefined;
    return next;
  }

  async leave(): Promise<void> {
    try {
      await (await this.beginning).return(undefined);
    } catch {
      // Its failure was read, or nobody waits for it any more.
    }
  }

  private async begin(): Promise<IteratorResult<Item, unknown>> {
    this.items = await this.beginning;
    return this.items.next();
  }
}

/** Turns over the bus. */
@Controller()
export class TurnsController {
  constructor(
    private readonly turns: TurnsService,
    private readonly lookup: TurnLookup,
    private readonly corrections: TurnCorrections,
  ) {}

  @Handles(streamTurn)
  stream(body: Ask, call: Call): AsyncIterable<TurnItem> {
    return this.turns.run(body, call);
  }

  @Handles(readTurn)
  read(body: BodyOf<typeof readTurn>, call: Call): Promise<ReplyOf<typeof readTurn>> {
    return this.lookup.read(body, call);
  }

  @Handles(recordHeardText)
  recordHeard(body: BodyOf<typeof recordHeardText>, call: Call): Promise<ReplyOf<typeof recordHeardText>> {
    return this.corrections.recordHeard(body, call);
  }

  @Handles(discardTurn)
  discard(body: BodyOf<typeof discardTurn>, call: Call): Promise<ReplyOf<typeof discardTurn>> {
    return this.corrections.discard(body, call);
  }

  @Handles(recordUnanswered)
  recordUnanswered(body: BodyOf<typeof recordUnanswered>, call: Call): Promise<ReplyOf<typeof recordUnanswered>> {
    return this.corrections.recordUnanswered(body, call);
  }

  @Handles(recordLatency)
  recordLatency(body: BodyOf<typeof recordLatency>, call: Call): Promise<ReplyOf<typeof recordLatency>> {
    return this.corrections.recordLatency(body, call);
  }
}
