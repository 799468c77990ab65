import type { AgentRuntime } from '@parley/contracts';
import type { Call } from '@parley/messaging';
import type { ToolSpecification } from '@parley/ports';
import type { Draft } from '../turns/draft';

/** What a tool may know: decided before the model speaks, and nothing of it by what the model says. */
export interface ToolSurroundings {
  readonly agent: AgentRuntime;
  readonly draft: Draft;
  readonly call: Call;
}

/** Something that a model may do in a turn. Its arguments are the model's words: unchecked until the tool has parsed them. */
export interface TurnTool {
  readonly specification: ToolSpecification;
  /** How long it may take, where that is not the usual. */
  readonly timeoutMs?: number;
  /** What the model is told afterwards. A wrong argument is told to it as well, and not thrown. */
  run(given: unknown, surroundings: ToolSurroundings): Promise<string>;
}
