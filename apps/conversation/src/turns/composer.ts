import { Injectable } from '@nestjs/common';
import type { AgentRuntime, SpeechLanguage } from '@parley/contracts';
import type { Call } from '@parley/messaging';
import { countTokens } from '@parley/providers/token-count';
import { Knowledge, type Known } from '../knowledge/knowledge';
import { detectLanguage } from '../language/detect-language';
import { Models } from '../models/models';
import { composePrompt } from '../prompts/compose-prompt';
import { remember } from '../prompts/memory';
import { Toolbox } from '../tools/toolbox';
import type { Draft } from './draft';
import { ModelLoop } from './model-loop';
import type { OpenTurn } from './turn-gate';

export interface Composition {
  readonly turn: OpenTurn;
  readonly agent: AgentRuntime;
  readonly draft: Draft;
  readonly search: Search;
  readonly call: Call;
}

/** A search that began before anybody waits for it: a failure is kept until it is asked for. */
export type Search = Promise<() => Known>;

const memoryBudget = { recentTokensMax: 2000, summaryTokensMax: 400 };

/** Finds the words of an answer: a stored one as it stands, or a model's, piece by piece. */
@Injectable()
export class Composer {
  constructor(
    private readonly knowledge: Knowledge,
    private readonly models: Models,
    private readonly toolbox: Toolbox,
    private readonly loop: ModelLoop,
  ) {}

  /** Starts to look for knowledge at once, while the session is still being opened. */
  search(
    question: string,
    agent: AgentRuntime,
    { draft, language }: { draft: Draft; language: SpeechLanguage | undefined },
  ): Search {
    const startedMs = draft.elapsedMs;
    return this.knowledge.about({ query: question, language: language ?? detectLanguage(question, agent.language) }, agent).then(
      (known) => {
        draft.retrievalMs = agent.KBID === null ? null : draft.elapsedMs - startedMs;
        return () => known;
      },
      (error: unknown) => () => {
        throw error;
      },
    );
  }

  async *answer(composition: Composition): AsyncGenerator<string> {
    const { draft, turn, search } = composition;
    const found = await search;
    const known = await this.inContext(found(), composition);
    draft.sources = known.sources;
    draft.isKnown = known.answer !== undefined || known.passages.length > 0;
    if (!known.answer) return yield* this.ask(composition, known);
    const { text, isFromFaq } = known.answer;
    draft.isFromFaq = isFromFaq;
    draft.spend({ promptTokens: countTokens(turn.question), completionTokens: countTokens(text) });
    yield text;
  }

  /** What a question leaves to those before it is known only now, and asked for then. */
  private async inContext(known: Known, { turn, agent, draft }: Composition): Promise<Known> {
    const before = turn.history.map(({ question }) => question);
    if (known.answer || !known.leansOnBefore || before.length === 0) return known;
    const startedMs = draft.elapsedMs;
    const found = await this.knowledge.about({ query: turn.question, language: draft.language, before }, agent);
    draft.retrievalMs = (draft.retrievalMs ?? 0) + draft.elapsedMs - startedMs;
    return found;
  }

  private async *ask({ turn, agent, draft, call }: Composition, known: Known): AsyncGenerator<string> {
    const model = await this.models.of(agent, turn.orgId);
    const { variables, summary, summarizedTurnId } = turn.session;
    const memory = remember({ recent: turn.history, summary, summarizedTurnId }, memoryBudget);
    draft.memory = memory;
    const tools = model.capabilities.hasTools ? this.toolbox.of(agent) : [];
    const specifications = tools.map(({ specification }) => specification);
    const said = { language: draft.language, question: turn.question, variables };
    const prompt = composePrompt({
      agent,
      ...said,
      known,
      summary: memory.summary,
      history: memory.recent,
      tools: specifications,
    });
    yield* this.loop.run({ model, prompt, tools, agent, draft, call });
  }
}
