import { isDeepStrictEqual } from 'node:util';
import { publicFieldsOf } from '../agents/agent.wire';
import type { Agent } from '../agents/agent.entity';
import type { AgentPrompts } from '../prompts/agent-prompts';
import { effectiveRuntime } from '../runtime/effective-runtime';

/** What a save decides; a version keeps exactly this. */
export type AgentState = Pick<Agent, 'definition' | 'runtime'>;

export interface FieldChange {
  readonly field: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** What differs between two states of one agent, under the names that clients know. */
export function changesBetween(
  before: AgentState,
  after: AgentState,
  describe: (state: AgentState) => Record<string, unknown>,
): FieldChange[] {
  const [old, young] = [describe(before), describe(after)];
  return Object.keys(young)
    .filter((field) => !isDeepStrictEqual(old[field], young[field]))
    .map((field) => ({ field, before: old[field] ?? null, after: young[field] ?? null }));
}

/** A state as clients read it. */
export function publicStateOf(prompts: AgentPrompts, business: string | null): (state: AgentState) => Record<string, unknown> {
  return ({ definition, runtime }) => {
    const { AgentID: _, ...settings } = effectiveRuntime({ id: 1, runtime });
    return { ...publicFieldsOf(definition), SystemPrompt: prompts.promptOf(definition, business), ...settings };
  };
}
