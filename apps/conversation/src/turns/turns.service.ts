import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurnOfLoop } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { type AgentRuntime, Fault, type TurnItem } from '@parley/contracts';
import { type Call, organizationOf } from '@parley/messaging';
import { ProviderFailure } from '@parley/ports';
import { type AgentChoice, Agents } from '../agents/agents';
import { detectLanguage } from '../language/detect-language';
import { SessionLookup } from '../sessions/session-lookup';
import type { Ask } from './ask';
import { Composer, type Composition } from './composer';
import { Draft } from './draft';
import { Hearing } from './hearing';
import { ReadAhead } from './read-ahead';
import { type OpenTurn, TurnGate } from './turn-gate';
import type { TurnOutcome } from './turn-record';

/** One turn from the question to the stored answer: session, language, knowledge, words, record. */
@Injectable()
export class TurnsService {
  constructor(
    private readonly agents: Agents,
    private readonly sessions: SessionLookup,
    private readonly hearing: Hearing,
    private readonly composer: Composer,
    private readonly gate: TurnGate,
  ) {}

  async *run(ask: Ask, call: Call): AsyncGenerator<TurnItem> {
    const agent = await this.agents.addressed(call, await this.agentOf(ask, call));
    const draft = new Draft(ask.language ?? agent.language);
    const question = ask.audio ? await this.hearing.hear(ask.audio, agent, draft) : (ask.question ?? '');
    const search = this.composer.search(question, agent, { draft, language: ask.language });
    const turn = await this.open({ ...ask, question }, agent, call);
    draft.language = ask.language ?? detectLanguage(question, turn.session.language) ?? turn.session.language;
    const words = await this.begun({ turn, agent, draft, search, call });
    let status: 'COMPLETED' | 'INTERRUPTED' | 'FAILED' = 'INTERRUPTED';
    try {
      yield { type: 'session', sessionUUID: turn.sessionUuid, turnUUID: turn.turnUuid };
      if (ask.audio) yield { type: 'transcription', text: question };
      for await (const text of words.all()) {
        draft.add(text);
        if (!ask.isWhole) yield { type: 'delta', text };
      }
      // The last words leave before the record is written; they would wait for it where a model says much at once.
      if (!ask.isWhole) await nextTurnOfLoop();
      status = 'COMPLETED';
    } catch (cause) {
      status = call.signal.aborted ? 'INTERRUPTED' : 'FAILED';
      throw asFault(cause);
    } finally {
      await words.leave();
      await this.gate.close(turn, status === 'INTERRUPTED' ? left(draft, ask) : draft.outcome(status), draft.wantsToEnd);
    }
    yield doneOf(turn, draft, ask);
  }

  /** The answer, which is being made while its turn is stored. Nothing of it leaves before, and nothing of it is left if that fails. */
  private async begun(composition: Composition): Promise<ReadAhead<string>> {
    const words = new ReadAhead(this.composer.answer(composition));
    try {
      await composition.turn.stored;
      return words;
    } catch (failure) {
      void words.leave();
      throw failure;
    }
  }

  /** A session already has its agent; without one, the caller has to name it. */
  private async agentOf({ AgentKeyID, sessionUUID }: Ask, call: Call): Promise<AgentChoice> {
    if (AgentKeyID || !sessionUUID || call.principal?.kind === 'agt') return { AgentKeyID };
    return { AgentID: await this.sessions.agentOf(organizationOf(call), sessionUUID) };
  }

  private open(ask: Ask & { question: string }, agent: AgentRuntime, call: Call): OpenTurn | Promise<OpenTurn> {
    const { sessionUUID, question, variables = {}, channel } = ask;
    const language = ask.language ?? detectLanguage(question, agent.language) ?? agent.language;
    const { AgentID: agentId, AgentKeyID: agentKeyId, AgentName: agentName } = agent;
    const turn = {
      orgId: organizationOf(call),
      turnUuid: randomUUID(),
      sessionUuid: sessionUUID ?? randomUUID(),
      agentId,
      question,
      variables,
    };
    return sessionUUID ? this.gate.next(turn, call.signal) : this.gate.first(turn, { agentKeyId, agentName, channel, language });
  }
}

/** What stays of a turn whose reader left. Of a spoken answer nothing was heard as long as nobody says so. */
function left(draft: Draft, { isSpeculative, channel }: Ask): TurnOutcome {
  if (isSpeculative) return draft.outcome('DISCARDED');
  return channel === 'VOICE' || channel === 'PHONE' ? { ...draft.outcome('INTERRUPTED'), answer: '' } : draft.outcome('INTERRUPTED');
}

function doneOf(turn: OpenTurn, draft: Draft, { includeSources, audio }: Ask): TurnItem {
  const { answer, language, tokenUsage, isFromFaq, wantsToEnd, latency, sources, audioSeconds } = draft;
  return {
    type: 'done',
    answer,
    sessionUUID: turn.sessionUuid,
    detectedLanguage: language,
    tokenUsage,
    turnUUID: turn.turnUuid,
    isFromFaq,
    wantsToEnd,
    audioSeconds,
    latency,
    ...(includeSources && { sources: [...sources] }),
    ...(audio && { transcription: turn.question }),
  };
}

function asFault(cause: unknown): unknown {
  if (!(cause instanceof ProviderFailure)) return cause;
  const retryAfterSeconds = cause.retryAfterMs === undefined ? undefined : Math.ceil(cause.retryAfterMs / 1000);
  return new Fault('MODEL_PROVIDER_UNAVAILABLE', { cause, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) });
}
