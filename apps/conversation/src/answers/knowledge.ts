import { Controller, Injectable } from '@nestjs/common';
import {
  type AgentRuntime,
  type AnswerSource,
  documentStatusChanged,
  Fault,
  knowledgeChanged,
  questionsBeforeMax,
  readWholeKnowledge,
  retrieveKnowledge,
  type SpeechLanguage,
} from '@parley/contracts';
import { languageOf } from '@parley/language';
import { Hears, ServiceBus } from '@parley/messaging';
import type { Grounds, LanguageModel } from '@parley/ports';
import { LRUCache } from 'lru-cache';
import type { z } from 'zod';

type BaseText = z.output<typeof readWholeKnowledge.reply>;

/** An agent and its knowledge base. */
interface Based {
  readonly AgentID: number;
  readonly KBID: number;
}

/** How much of a knowledge base may go into every prompt. */
export class WholeKnowledgeLimit {
  constructor(readonly tokensMax: number) {}
}

interface Remembered {
  readonly text: Promise<BaseText>;
  readonly staleAtMs: number;
}

const rememberedMax = 300;
/** Bounds how long a missed change event goes unnoticed by turns that do not search; searches notice it by the revision. */
const rememberedMs = 60_000;

/** Caches the texts of knowledge bases for prompts until the base changes. */
@Injectable()
export class BaseTexts {
  private readonly remembered = new LRUCache<string, Remembered>({ max: rememberedMax });

  constructor(
    private readonly bus: ServiceBus,
    private readonly limit: WholeKnowledgeLimit,
  ) {}

  /** @param atLeast The minimum revision, for a caller that has seen it elsewhere. */
  async of({ AgentID, KBID }: Based, atLeast = 0): Promise<BaseText> {
    // The key includes the agent, whose right to the base was checked: knowing the base's number must not be enough.
    const name = `${AgentID}/${KBID}`;
    const known = this.remembered.get(name);
    if (known && known.staleAtMs > performance.now()) {
      const text = await known.text;
      if (text.revision >= atLeast) return text;
    }
    return this.read(name, KBID);
  }

  forget(KBID: number): void {
    for (const name of this.remembered.keys()) if (name.endsWith(`/${KBID}`)) this.remembered.delete(name);
  }

  private read(name: string, KBID: number): Promise<BaseText> {
    const text = this.bus.ask(readWholeKnowledge, { KBID, tokensMax: this.limit.tokensMax });
    const remembered = { text, staleAtMs: performance.now() + rememberedMs };
    this.remembered.set(name, remembered);
    text.catch(() => this.remembered.get(name) === remembered && this.remembered.delete(name));
    return text;
  }
}

/** Invalidates a knowledge base on every replica, so that the next turn reads it again. */
@Controller()
export class KnowledgeEventsController {
  constructor(private readonly texts: BaseTexts) {}

  @Hears(knowledgeChanged)
  changed({ KBID }: { KBID: number }): void {
    this.texts.forget(KBID);
  }

  @Hears(documentStatusChanged)
  documentSettled({ KBID }: { KBID: number }): void {
    this.texts.forget(KBID);
  }
}

type Source = z.output<typeof AnswerSource>;

/** What an answer may be based on. `answer` needs no model: it is a stored answer, or a fact from the tables. */
export interface FoundKnowledge {
  readonly answer?: { readonly text: string; readonly isFromFaq: boolean };
  /** The part of the knowledge base in every prompt: all of it if there is room. */
  readonly base?: BaseText;
  readonly passages: Grounds['passages'];
  readonly sources: readonly Source[];
  /** Whether the question refers to earlier ones that were not given. */
  readonly leansOnBefore: boolean;
}

/** The kind of answerer: an engine that quotes passages, a model that reads prompts, or a model that also cites its sources. */
export type AnswererKind = 'QUOTES' | 'READS' | 'READS_AND_CITES';

/** A question in its conversation. */
interface AskedQuestion {
  readonly query: string;
  readonly language?: SpeechLanguage | undefined;
  /** The questions before it, oldest first. */
  readonly before?: readonly string[];
  readonly reader: AnswererKind;
}

interface Quoting {
  readonly query: string;
  readonly KBID: number;
  readonly before?: string[];
  readonly fact: string | null;
  readonly found: readonly (Pick<Grounds['passages'][number], 'text' | 'excerpt'> & {
    readonly score: number;
    readonly source: { readonly title: string };
  })[];
  readonly base: BaseText;
}

const nothing: FoundKnowledge = { passages: [], sources: [], leansOnBefore: false };
const quotedMax = { topK: 8, tokensMax: 1500 };
const readMax = { topK: 24, tokensMax: 3000 };

/** The kind of answerer that a model is. */
export function readerOf(model: LanguageModel | undefined): AnswererKind {
  return model?.capabilities.isExtractive ? 'QUOTES' : 'READS';
}

/** Searches the knowledge base of an agent, restricted to the caller's organization. */
@Injectable()
export class Knowledge {
  constructor(
    private readonly bus: ServiceBus,
    private readonly texts: BaseTexts,
  ) {}

  /** A deleted base is treated as empty: its agent keeps working until it gets another. */
  async about(asked: AskedQuestion, { AgentID, KBID }: AgentRuntime): Promise<FoundKnowledge> {
    if (KBID === null) return nothing;
    try {
      return await this.found(asked, { AgentID, KBID });
    } catch (error) {
      if (error instanceof Fault && error.code === 'NOT_FOUND') return nothing;
      throw error;
    }
  }

  private async found(
    { query, language, before = [], reader }: AskedQuestion,
    { AgentID, KBID }: { readonly AgentID: number; readonly KBID: number },
  ): Promise<FoundKnowledge> {
    const text = await this.texts.of({ AgentID, KBID });
    if (query === '') return { ...nothing, base: text };
    const wants = wantedBy(reader, text);
    const limits = wants === 'READING' ? readMax : quotedMax;
    const context = before.length > 0 ? { before: before.slice(-questionsBeforeMax) } : {};
    const { faq, fact, passages, ...found } = await this.bus.ask(retrieveKnowledge, {
      ...{ KBID, query, language, wants },
      ...context,
      ...limits,
    });
    // A higher revision reveals a change whose event has not arrived yet.
    const base = found.revision > text.revision ? await this.texts.of({ AgentID, KBID }, found.revision) : text;
    const leansOnBefore = found.leansOnBefore && before.length === 0;
    // A model that reads prompts translates an answer that is stored in another language.
    const isInOther = faq !== null && language !== undefined && languageOf(faq.Answer) !== language;
    if (faq && !(isInOther && reader !== 'QUOTES' && base.isWhole)) {
      const source: Source = { kind: 'FAQ', title: faq.Question, id: faq.KBFAQID, keyID: faq.KBFAQKeyID, score: faq.score };
      return { answer: { text: faq.Answer, isFromFaq: true }, base, passages: [], sources: [source], leansOnBefore };
    }
    const sources = passages.map(({ score, source: { kind, title, id, keyID } }) => ({ kind, title, id, keyID, score }));
    if (fact && found.isFactPlain)
      return { answer: { text: fact, isFromFaq: false }, base, passages: [], sources, leansOnBefore };
    if (reader === 'QUOTES')
      return {
        base,
        sources,
        leansOnBefore,
        passages: await this.toQuoteFrom({ query, KBID, fact, base, found: passages, ...context }),
      };
    const quoted = passages.map(({ text: said, source }) => ({ title: source.title, text: said, excerpt: '' }));
    return { base, passages: quoted, sources, leansOnBefore };
  }

  /**
   * What a quoting engine reads: the whole base, or of a large one what a model would get. The computed fact and the excerpts found
   * come first.
   */
  private async toQuoteFrom({ base, fact, found, ...asked }: Quoting): Promise<Grounds['passages']> {
    const computed = fact === null ? [] : [{ title: '', text: fact, excerpt: fact }];
    const quotable = found.map(({ text, source, excerpt, score }) => ({ title: source.title, text, excerpt, score }));
    const best = [...computed, ...quotable.filter(({ excerpt }) => excerpt !== '')];
    // Passages without a quotable excerpt follow: they are still the nearest to the question.
    if (base.isWhole) return [...best, ...quotable.filter(({ excerpt }) => excerpt === '')];
    const { passages } = await this.bus.ask(retrieveKnowledge, { ...asked, wants: 'READING', ...readMax });
    return [...best, ...passages.map(({ text, source }) => ({ title: source.title, text, excerpt: '' }))];
  }

  /** Searches on request of the model. */
  async search(query: string, KBID: number): Promise<string> {
    const { fact, faq, passages, isKnown } = await this.bus.ask(retrieveKnowledge, {
      KBID,
      query,
      wants: 'READING',
      ...quotedMax,
    });
    // Every search finds something, and a model may take unrelated rows for an answer.
    const found = !isKnown ? [] : [...(faq ? [faq.Answer] : []), ...(fact ? [fact] : []), ...passages.map(({ text }) => text)];
    return found.join('\n---\n') || 'Not found: the knowledge base says nothing about that.';
  }

  /** The price and availability of the named item, or of all items with that name, never of another one. */
  async priceOf(name: string, KBID: number): Promise<string> {
    const query = `How much does ${name} cost, and is it available?`;
    const { fact } = await this.bus.ask(retrieveKnowledge, { KBID, query, wants: 'PRICE', topK: 1 });
    return fact ?? `Not found: the catalogue has no "${name}".`;
  }
}

function wantedBy(reader: AnswererKind, { isWhole }: BaseText): 'ANSWER' | 'EXCERPTS' | 'READING' {
  if (reader === 'QUOTES') return 'EXCERPTS';
  return isWhole && reader === 'READS' ? 'ANSWER' : 'READING';
}
