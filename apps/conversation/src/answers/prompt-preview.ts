import { Controller, Injectable } from '@nestjs/common';
import { type BodyOf, previewPrompt, type ReplyOf, type SentPrompt, withPlaceholders } from '@parley/contracts';
import { detectLanguage } from '@parley/language';
import { type Call, Handles, organizationOf } from '@parley/messaging';
import { countTokens } from '@parley/providers/token-count';
import { Agents, answerLanguageOf } from './agents';
import { Knowledge, readerOf } from './knowledge';
import { Models } from './configured-models';
import { Toolbox } from './toolbox';
import { historyMessages, type PromptPart, type PromptSources, stableParts, turnText } from './compose-prompt';

const stable: readonly PromptPart['part'][] = ['PERSONA', 'RULES', 'KNOWLEDGE', 'CALENDAR', 'TOOLS'];

/** Shows prompts exactly as turns would send them, without sending them. */
@Injectable()
export class PromptPreview {
  constructor(
    private readonly agents: Agents,
    private readonly knowledge: Knowledge,
    private readonly models: Models,
    private readonly toolbox: Toolbox,
  ) {}

  async of({ AgentKeyID, question = '', channel, ...given }: BodyOf<typeof previewPrompt>, call: Call): Promise<SentPrompt> {
    const agent = await this.agents.addressed(call, { AgentKeyID });
    const heard = given.language ?? detectLanguage(question, agent.language) ?? agent.language;
    const language = answerLanguageOf(heard, agent);
    // An agent has a prompt even if its model is not configured yet.
    const model = await this.models.of(agent, organizationOf(call)).catch(() => undefined);
    const reader = readerOf(model);
    const known = await this.knowledge.about(
      { query: question, language, reader: reader === 'QUOTES' ? 'READS' : reader },
      agent,
    );
    const tools = this.toolbox.of(agent, { known, channel }).map(({ specification }) => specification);
    const sources: PromptSources = {
      ...{ agent, channel, language, heard, known, question, tools },
      ...{ variables: given.variables ?? {}, summary: '', history: [], isFromStart: true, atMs: Date.now() },
    };
    return sentPrompt(sources);
  }
}

function sentPrompt(sources: PromptSources): SentPrompt {
  const { agent, variables, tools, question, known } = sources;
  const before = historyMessages(sources, withPlaceholders(agent.Greeting, variables));
  const parts: PromptPart[] = [
    ...stableParts(sources),
    { part: 'TOOLS', text: tools.length > 0 ? JSON.stringify(tools, null, 1) : '' },
    { part: 'HISTORY', text: before.map(({ role, text }) => `${role}: ${text}`).join('\n') },
    { part: 'TURN', text: turnText(sources) },
    { part: 'QUESTION', text: question },
  ];
  const counted = parts.filter(({ text }) => text !== '').map((part) => ({ ...part, tokens: countTokens(part.text) }));
  const sum = (of: typeof counted) => of.reduce((total, { tokens }) => total + tokens, 0);
  return {
    parts: counted,
    totalTokens: sum(counted),
    stableTokens: sum(counted.filter(({ part }) => stable.includes(part))),
    isKnowledgeWhole: known.base?.isWhole ?? false,
    answerWithoutModel: known.answer?.text ?? null,
  };
}

/** Prompts over the bus. */
@Controller()
export class PromptsController {
  constructor(private readonly preview: PromptPreview) {}

  @Handles(previewPrompt)
  show(body: BodyOf<typeof previewPrompt>, call: Call): Promise<ReplyOf<typeof previewPrompt>> {
    return this.preview.of(body, call);
  }
}
