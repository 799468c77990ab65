import { Injectable } from '@nestjs/common';
import { type AgentRuntime, type AnswerSource, questionsBeforeMax, retrieveKnowledge, type SpeechLanguage } from '@parley/contracts';
import { ServiceBus } from '@parley/messaging';
import type { Grounds } from '@parley/ports';
import type { z } from 'zod';

type Source = z.output<typeof AnswerSource>;

/** What an answer may be made from. `answer` is one that needs no model: a stored answer or a fact of the tables. */
export interface Known {
  readonly answer?: { readonly text: string; readonly isFromFaq: boolean };
  readonly passages: Grounds['passages'];
  readonly sources: readonly Source[];
  /** Whether the question goes on with those before it, which were not told. */
  readonly leansOnBefore: boolean;
}

/** A question as it was asked. */
export interface AskedQuestion {
  readonly query: string;
  readonly language?: SpeechLanguage | undefined;
  /** What was asked before it, oldest first. */
  readonly before?: readonly string[];
}

const nothing: Known = { passages: [], sources: [], leansOnBefore: false };
const passagesMax = 8;
const passageTokensMax = 1500;

/** The knowledge base of an agent, asked as the caller's organization and never beyond it. */
@Injectable()
export class Knowledge {
  constructor(private readonly bus: ServiceBus) {}

  async about({ query, language, before = [] }: AskedQuestion, { KBID }: AgentRuntime): Promise<Known> {
    if (KBID === null) return nothing;
    const limits = { topK: passagesMax, tokensMax: passageTokensMax };
    const told = before.length > 0 ? { before: before.slice(-questionsBeforeMax) } : {};
    const asked = { KBID, query, language, ...told, ...limits };
    const { faq, fact, passages, ...found } = await this.bus.ask(retrieveKnowledge, asked);
    const leansOnBefore = found.leansOnBefore && before.length === 0;
    if (faq) {
      const source: Source = { kind: 'FAQ', title: faq.Question, id: faq.KBFAQID, score: faq.score };
      return { answer: { text: faq.Answer, isFromFaq: true }, passages: [], sources: [source], leansOnBefore };
    }
    const sources = passages.map(({ score, source: { kind, title, id } }) => ({ kind, title, id, score }));
    if (fact) return { answer: { text: fact, isFromFaq: false }, passages: [], sources, leansOnBefore };
    const quoted = passages.map(({ text, source, excerpt }) => ({ title: source.title, text, excerpt }));
    return { passages: quoted, sources, leansOnBefore };
  }
}
