import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { type AgentRuntime, Fault, type SpeechLanguage, type TurnItem } from '@parley/contracts';
import { type Call, organizationOf } from '@parley/messaging';
import { ProviderFailure } from '@parley/ports';
import { type AgentChoice, Agents } from '../agents/agents';
import { Knowledge, type Known } from '../knowledge/knowledge';
import { detectLanguage } from '../language/detect-language';
import { SessionLookup } from '../sessions/session-lookup';
import { Composer } from './composer';
import { Draft } from './draft';
import { Leases } from './lease';
import { type OpenTurn, TurnBegin } from './turn-begin';
import { TurnEnd } from './turn-end';
import type { Ask } from './ask';

/** One turn from the question to the stored answer: session, language, knowledge, words, record. */
@Injectable()
export class TurnsService {
  constructor(
    private readonly agents: Agents,
    private readonly sessions: SessionLookup,
    private readonly knowledge: Knowledge,
    private readonly composer: Composer,
    private readonly begin: TurnBegin,
    private readonly end: TurnEnd,
    private readonly leases: Leases,
  ) {}

  async *run(ask: Ask, call: Call): AsyncGenerator<TurnItem> {
    const agent = await this.agents.addressed(call, await this.agentOf(ask, call));
    const draft = new Draft(agent.language);
    const search = this.search(ask, agent, draft);
    const turn = await this.open(ask, agent, call);
    using _lease = this.leases.hold(turn);
    draft.language = ask.language ?? detectLanguage(ask.question, turn.session.language) ?? turn.session.language;
    let status: 'COMPLETED' | 'INTERRUPTED' | 'FAILED' = 'INTERRUPTED';
    try {
      yield { type: 'session', sessionUUID: turn.sessionUuid };
      const known = await search.then((found) => found());
      for await (const text of this.composer.answer({ turn, agent, known, draft, signal: call.signal })) {
        draft.add(text);
        yield { type: 'delta', text };
      }
      status = 'COMPLETED';
    } catch (cause) {
      status = call.signal.aborted ? 'INTERRUPTED' : 'FAILED';
      throw asFault(cause);
    } finally {
      await this.end.close(turn, draft.outcome(status));
    }
    yield doneOf(turn, draft, ask);
  }

  /** A session already has its agent; without one, the caller has to name it. */
  private async agentOf({ AgentKeyID, sessionUUID }: Ask, call: Call): Promise<AgentChoice> {
    if (AgentKeyID || !sessionUUID || call.principal?.kind === 'agt') return { AgentKeyID };
    return { AgentID: await this.sessions.agentOf(organizationOf(call), sessionUUID) };
  }

  private open({ sessionUUID, question, variables = {}, channel, language }: Ask, agent: AgentRuntime, call: Call): Promise<OpenTurn> {
    const turn = {
      orgId: organizationOf(call), turnUuid: randomUUID(), sessionUuid: sessionUUID ?? randomUUID(), agentId: agent.AgentID, question, variables,
    };
    if (sessionUUID) return this.begin.next(turn, call.signal);
    const { AgentKeyID, AgentName } = agent;
    const spoken: SpeechLanguage = language ?? detectLanguage(question, agent.language) ?? agent.language;
    return this.begin.first(turn, { agentKeyId: AgentKeyID, agentName: AgentName, channel, language: spoken });
  }

  /** Starts at once, while the session is still being opened, and keeps a failure until somebody asks for it. */
  private search({ question, language }: Ask, agent: AgentRuntime, draft: Draft): Promise<() => Known> {
    const spoken = language ?? detectLanguage(question, agent.language);
    return this.knowledge.about(question, agent, spoken).then(
      (known) => {
        draft.retrievalMs = agent.KBID === null ? null : draft.elapsedMs;
        return () => known;
      },
      (error: unknown) => () => {
        throw error;
      },
    );
  }
}

function doneOf(turn: OpenTurn, draft: Draft, { includeSources }: Ask): TurnItem {
  const { answer, language, tokenUsage, isFromFaq, wantsToEnd, latency, sources } = draft;
  return {
    type: 'done', answer, sessionUUID: turn.sessionUuid, detectedLanguage: language, tokenUsage, turnUUID: turn.turnUuid, isFromFaq, wantsToEnd,
    audioSeconds: 0, latency, ...(includeSources && { sources: [...sources] }),
  };
}

function asFault(cause: unknown): unknown {
  if (!(cause instanceof ProviderFailure)) return cause;
  const retryAfterSeconds = cause.retryAfterMs === undefined ? undefined : Math.ceil(cause.retryAfterMs / 1000);
  return new Fault('MODEL_PROVIDER_UNAVAILABLE', { cause, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) });
}
