import type { AgentRuntime } from '@parley/contracts';
import type { LanguageModel } from '@parley/ports';

/** Which model answers for an agent of the caller's organization. */
export abstract class Models {
  abstract of(agent: AgentRuntime, orgId: number): Promise<LanguageModel>;
}
