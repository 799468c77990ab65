import { Injectable } from '@nestjs/common';
import type { AgentRuntime } from '@parley/contracts';
import { countTokens } from '@parley/providers/token-count';
import { type Known } from '../knowledge/knowledge';
import { Models } from '../models/models';
import { composePrompt } from '../prompts/compose-prompt';
import { recentTurns } from '../prompts/history';
import type { Draft } from './draft';
import type { OpenTurn } from './turn-begin';

export interface Composition {
  readonly turn: OpenTurn;
  readonly agent: AgentRuntime;
  readonly known: Known;
  readonly draft: Draft;
  readonly signal: AbortSignal;
}

const historyTokensMax = 2000;

/** Finds the words of an answer: a stored one as it stands, or a model's, piece by piece. */
@Injectable()
export class Composer {
  constructor(private readonly models: Models) {}

  async *answer(composition: Composition): AsyncGenerator<string> {
    const { known, draft, turn } = composition;
    draft.sources = known.sources;
    draft.isKnown = known.answer !== undefined || known.passages.length > 0;
    if (!known.answer) return yield* this.ask(composition);
    const { text, isFromFaq } = known.answer;
    draft.isFromFaq = isFromFaq;
    draft.spend({ promptTokens: countTokens(turn.question), completionTokens: countTokens(text) });
    yield text;
  }

  private async *ask({ turn, agent, known, draft, signal }: Composition): AsyncGenerator<string> {
    const { variables, summary } = turn.session;
    const history = recentTurns(turn.history, historyTokensMax);
    const { language } = draft;
    const prompt = composePrompt({ agent, language, variables, known, summary, history, question: turn.question, tools: [] });
    for await (const event of this.models.of(agent).stream(prompt, signal)) {
      if (event.type === 'text') yield event.text;
      if (event.type === 'finish' && event.usage) draft.spend(event.usage);
    }
  }
}
