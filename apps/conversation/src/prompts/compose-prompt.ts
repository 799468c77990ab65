import { type AgentRuntime, type SpeechLanguage, type Variables, withPlaceholders } from '@parley/contracts';
import type { ModelMessage, ModelRequest, ToolSpecification } from '@parley/ports';
import type { z } from 'zod';
import type { Known } from '../knowledge/knowledge';
import type { PastTurn } from '../turns/past-turn';
import { headings, rules } from './own-words';
import { quotedKnowledge } from './quoted-knowledge';

export interface PromptParts {
  readonly agent: AgentRuntime;
  readonly language: SpeechLanguage;
  readonly variables: z.output<typeof Variables>;
  readonly known: Known;
  readonly summary: string;
  readonly history: readonly PastTurn[];
  readonly question: string;
  readonly tools: readonly ToolSpecification[];
}

/** The one place where a prompt comes into being: persona, rules, knowledge as quoted data, then the conversation. */
export function composePrompt(parts: PromptParts): ModelRequest {
  const { agent, language, variables, known, tools } = parts;
  const { Temperature, MaxTokens } = agent.RuntimeConfiguration;
  const greeting = withPlaceholders(agent.Greeting, variables);
  return {
    system: systemOf(parts),
    messages: messagesOf(parts),
    tools,
    grounds: { language, agentName: agent.AgentName, greeting, passages: known.passages },
    temperature: Temperature,
    tokensMax: MaxTokens,
  };
}

function systemOf({ agent, language, variables, known, summary }: PromptParts): string {
  const given = Object.entries(variables).map(([name, value]) => `${name}: ${String(value)}`);
  return [
    withPlaceholders(agent.SystemPrompt, variables),
    `Rules:\n${[...rules, `Answer in ${language}.`].map((rule) => `- ${rule}`).join('\n')}`,
    given.length > 0 ? `${headings.variables}\n${given.join('\n')}` : '',
    summary ? `${headings.summary}\n${summary}` : '',
    quotedKnowledge(known.passages),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

/** What was said without an answer goes before what was said next: some models refuse two messages of one side in a row. */
function messagesOf({ history, question }: PromptParts): ModelMessage[] {
  const messages: ModelMessage[] = [];
  let said = '';
  for (const past of history) {
    said += past.answer === '' ? `${past.question}\n` : past.question;
    if (past.answer === '') continue;
    messages.push({ role: 'user', text: said }, { role: 'assistant', text: past.answer });
    said = '';
  }
  return [...messages, { role: 'user', text: said + question }];
}
