import { withPlaceholder } from '@parley/contracts';
import type { AgentDefinition } from '../agents/agent-definition';

/** A text with the agent's own name in it, so that a renamed agent says its new name. The rest is for the conversation. */
export function saidBy({ name }: AgentDefinition, text: string): string {
  return withPlaceholder(text, { name: 'agentName', value: name });
}
