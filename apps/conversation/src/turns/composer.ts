import { Injectable } from '@nestjs/common';
import { type AgentRuntime, campaignVariable, type SpeechLanguage } from '@parley/contracts';
import { inLatinLetters, languageOf, quotedIn } from '@parley/language';
import type { Call } from '@parley/messaging';
import { countTokens } from '@parley/providers/token-count';
import { Knowledge, type FoundKnowledge, type AnswererKind, readerOf } from '../answers/knowledge';
import { Models } from '../answers/configured-models';
import { composePrompt, type PastTurn } from '../answers/compose-prompt';
import { isInLatinLetters } from '../answers/agents';
import { Toolbox, type TurnTool } from '../answers/toolbox';
import type { Draft } from './draft';
import { ModelLoop } from './model-loop';
import type { Memory, OpenTurn } from './open-turn';

export interface Composition {
  readonly turn: OpenTurn;
  readonly agent: AgentRuntime;
  readonly draft: Draft;
  readonly search: StartedSearch;
  readonly call: Call;
}

interface SearchOptions {
  readonly draft: Draft;
  readonly language: SpeechLanguage | undefined;
  readonly orgId: number;
  readonly includeSources: boolean;
}

/** A search started early, whose failure is thrown only when the result is requested. */
export type StartedSearch = Promise<() => FoundKnowledge>;

const memoryBudget = { recentTokensMax: 2000, summaryTokensMax: 400 };

/** Composes an answer: a stored one as it is, or a model's, piece by piece. */
@Injectable()
export class Composer {
  constructor(
    private readonly knowledge: Knowledge,
    private readonly models: Models,
    private readonly toolbox: Toolbox,
    private readonly loop: ModelLoop,
  ) {}

  /** Starts to search knowledge at once, while the session is still being opened. */
  search(question: string, agent: AgentRuntime, { draft, language, orgId, includeSources }: SearchOptions): StartedSearch {
    const startedMs = draft.elapsedMs;
    const found = this.readerFor(agent, orgId, includeSources).then((reader) =>
      this.knowledge.about({ query: question, language, reader }, agent),
    );
    return found.then(
      (known) => {
        draft.retrievalMs = agent.KBID === null ? null : draft.elapsedMs - startedMs;
        return () => known;
      },
      (error: unknown) => () => {
        throw error;
      },
    );
  }

  /** Resolves once the source of the answer is known: a stored answer, or a model. */
  async answer(composition: Composition): Promise<AsyncGenerator<string>> {
    const { draft, turn, search, agent } = composition;
    const found = await search;
    const known = await this.inContext(found(), composition);
    draft.sources = known.sources;
    draft.knowledgeBaseId = agent.KBID;
    draft.isKnown = known.answer !== undefined || known.passages.length > 0 || (known.base?.isWhole ?? false);
    if (!known.answer) return this.generated(composition, known);
    const { isFromFaq } = known.answer;
    const text = this.worded(known.answer, composition);
    draft.isFromFaq = isFromFaq;
    const cost = { promptTokens: countTokens(turn.question), completionTokens: countTokens(text) };
    await this.loop.affordStored(draft, cost);
    draft.spend(cost);
    return saying(text);
  }

  /**
   * A stored answer in the language and script of its question. One written in another language is quoted. Hours and prices are already
   * worded in the question's language, and may be too short to detect it: "बंद."
   */
  private worded(
    { text: stored, isFromFaq }: NonNullable<FoundKnowledge['answer']>,
    { turn, agent, draft }: Composition,
  ): string {
    const { language, heard } = draft;
    const isInAnswerLanguage = !isFromFaq || languageOf(stored) === language || !/\p{L}/u.test(stored);
    const text = isInAnswerLanguage ? stored : quotedIn[language](stored);
    const { channel } = turn.session;
    return isInLatinLetters({ agent, channel, language, heard, question: turn.question }) ? inLatinLetters(text) : text;
  }

  /** A missing model fails only when it is called, since stored answers need none. */
  private async readerFor(agent: AgentRuntime, orgId: number, includeSources: boolean): Promise<AnswererKind> {
    const reader = readerOf(await this.models.of(agent, orgId).catch(() => undefined));
    return includeSources && reader === 'READS' ? 'READS_AND_CITES' : reader;
  }

  /**
   * Searches again, now that the earlier questions are known, if the question may refer to them. A model that reads prompts gets passages
   * for both, and no ready answer: "and on Sunday?" may be about anything.
   */
  private async inContext(known: FoundKnowledge, { turn, agent, draft }: Composition): Promise<FoundKnowledge> {
    const before = turn.history.map(({ question }) => question);
    if (before.length === 0) return known;
    const reader = await this.readerFor(agent, turn.orgId, false);
    const isSettled = reader === 'QUOTES' ? known.answer !== undefined || !known.leansOnBefore : this.standsAlone(known);
    if (isSettled) return known;
    const startedMs = draft.elapsedMs;
    const found = await this.knowledge.about({ query: turn.question, language: draft.language, before, reader }, agent);
    draft.retrievalMs = (draft.retrievalMs ?? 0) + draft.elapsedMs - startedMs;
    return found;
  }

  /** Whether the search result is independent of the history. */
  private standsAlone({ base, answer, leansOnBefore }: FoundKnowledge): boolean {
    if (!base) return true;
    return answer !== undefined ? !leansOnBefore : base.isWhole;
  }

  /**
   * Refuses a spoken question if not even an answer to an empty one could be paid for, since transcribing it is charged. A stored answer
   * would cost less, but it is not known yet whether there is one.
   */
  async affordAnswer({ turn, agent, draft }: Omit<Composition, 'search'>): Promise<void> {
    const model = await this.models.of(agent, turn.orgId).catch(() => undefined);
    if (!model) return;
    const nothing: FoundKnowledge = { passages: [], sources: [], leansOnBefore: false };
    await this.loop.affordFirst(this.promptOf({ turn, agent, draft }, nothing, []), model, draft);
  }

  private async generated(
    { turn, agent, draft, call }: Composition,
    known: FoundKnowledge,
  ): Promise<AsyncGenerator<string, void>> {
    const model = await this.models.of(agent, turn.orgId);
    const { variables, channel } = turn.session;
    const isOfCampaign = typeof variables[campaignVariable] === 'number';
    const situation = { known, channel, ...(channel === 'PHONE' && { call: { sessionUUID: turn.sessionUuid, isOfCampaign } }) };
    const tools = model.capabilities.hasTools ? this.toolbox.of(agent, situation) : [];
    const prompt = this.promptOf({ turn, agent, draft }, known, tools);
    return this.loop.run({ model, prompt, tools, agent, draft, call });
  }

  private promptOf(
    { turn, agent, draft }: Pick<Composition, 'turn' | 'agent' | 'draft'>,
    known: FoundKnowledge,
    tools: readonly TurnTool[],
  ) {
    const { variables, summary, summarizedTurnId, channel } = turn.session;
    const memory = remember({ recent: turn.history, summary, summarizedTurnId }, memoryBudget);
    draft.memory = memory;
    return composePrompt({
      ...{ agent, channel, known, variables, language: draft.language, heard: draft.heard, question: turn.question },
      ...{ summary: memory.summary, history: memory.recent, isFromStart: memory.summarizedTurnId === '0', atMs: Date.now() },
      areQuoted: channel === 'WIDGET',
      tools: tools.map(({ specification }) => specification),
    });
  }
}

async function* saying(text: string): AsyncGenerator<string> {
  yield text;
}

interface MemoryBudget {
  readonly recentTokensMax: number;
  readonly summaryTokensMax: number;
}

const lineLettersMax = 160;

/**
 * Fits the past into a budget. Turns that no longer fit become lines of the summary, whose oldest lines are dropped first. The summary
 * is not written by a model, so it costs nothing, causes no delay, and cannot be manipulated by what a user said.
 */
export function remember(past: Memory, { recentTokensMax, summaryTokensMax }: MemoryBudget): Memory {
  const recent = fitting(past.recent, recentTokensMax, ({ question, answer }) => `${question}\n${answer}`);
  const rolled = past.recent.slice(0, past.recent.length - recent.length);
  const last = rolled.at(-1);
  if (!last) return { ...past, recent };
  const lines = [...past.summary.split('\n').filter((line) => line !== ''), ...rolled.map(lineOf)];
  return { recent, summary: fitting(lines, summaryTokensMax, (line) => line).join('\n'), summarizedTurnId: last.id };
}

/** The last items that fit, without a gap. */
function fitting<Item>(items: readonly Item[], tokensMax: number, textOf: (item: Item) => string): Item[] {
  let left = tokensMax;
  const dropped = items.findLastIndex((item) => (left -= countTokens(textOf(item))) < 0);
  return items.slice(dropped + 1);
}

function lineOf({ question, answer }: PastTurn): string {
  return `The user said: ${short(question)} The agent ${answer === '' ? 'was interrupted.' : `said: ${short(answer)}`}`;
}

function short(text: string): string {
  const flat = text
    .slice(0, lineLettersMax * 4)
    .replace(/\s+/gu, ' ')
    .trim();
  return flat.length <= lineLettersMax ? flat : `${flat.slice(0, lineLettersMax)}…`;
}
