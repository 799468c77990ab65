import type { ToolSurroundings, TurnTool } from './tool';

/** The name by which models ask for the end. */
export const endConversation = 'end_conversation';

/** Ends the conversation after this answer. */
export class EndConversation implements TurnTool {
  readonly specification = {
    name: endConversation,
    description: 'Ends the conversation after your answer. Use it when the user says goodbye or has nothing more to ask.',
    parameters: { type: 'object', properties: {} },
  };

  async run(_given: unknown, { draft }: ToolSurroundings): Promise<string> {
    draft.wantsToEnd = true;
    return 'The conversation ends after your answer. Say goodbye.';
  }
}
