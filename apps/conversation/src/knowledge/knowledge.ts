import { Injectable } from '@nestjs/common';
import { type AgentRuntime, type AnswerSource, retrieveKnowledge, type SpeechLanguage } from '@parley/contracts';
import { ServiceBus } from '@parley/messaging';
import type { z } from 'zod';

type Source = z.output<typeof AnswerSource>;

/** What an answer may be made from. `answer` is one that needs no model: a stored answer or a fact of the tables. */
export interface Known {
  readonly answer?: { readonly text: string; readonly isFromFaq: boolean };
  readonly passages: readonly { readonly title: string; readonly text: string }[];
  readonly sources: readonly Source[];
}

const nothing: Known = { passages: [], sources: [] };
const passagesMax = 8;
const passageTokensMax = 1500;

/** The knowledge base of an agent, asked as the caller's organization and never beyond it. */
@Injectable()
export class Knowledge {
  constructor(private readonly bus: ServiceBus) {}

  async about(query: string, { KBID }: AgentRuntime, language?: SpeechLanguage): Promise<Known> {
    if (KBID === null) return nothing;
    const limits = { topK: passagesMax, tokensMax: passageTokensMax };
    const { faq, fact, passages } = await this.bus.ask(retrieveKnowledge, { KBID, query, language, ...limits });
    if (faq) {
      const source: Source = { kind: 'FAQ', title: faq.Question, id: faq.KBFAQID, score: faq.score };
      return { answer: { text: faq.Answer, isFromFaq: true }, passages: [], sources: [source] };
    }
    const sources = passages.map(({ score, source: { kind, title, id } }) => ({ kind, title, id, score }));
    if (fact) return { answer: { text: fact, isFromFaq: false }, passages: [], sources };
    return { passages: passages.map(({ text, source }) => ({ title: source.title, text })), sources };
  }
}
