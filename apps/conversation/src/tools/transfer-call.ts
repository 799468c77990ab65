import type { AgentRuntime } from '@parley/contracts';
import { z } from 'zod';
import type { ToolSurroundings, TurnTool } from './tool';

type Numbers = AgentRuntime['RuntimeConfiguration']['TransferNumbers'];

/** Connects the caller with one of the numbers that the builder named; where there is no call, their number can be told. */
export class TransferCall implements TurnTool {
  readonly specification;

  constructor(
    private readonly numbers: Numbers,
    private readonly isOnPhone: boolean,
  ) {
    const names = numbers.map(({ name }) => name);
    this.specification = {
      name: 'transfer_call',
      description: `${isOnPhone ? 'Connects the caller after your answer' : 'Tells you the number'} of: ${names.join(', ')}. Use it when the user wants to speak with one of them.`,
      parameters: { type: 'object', properties: { name: { type: 'string', enum: names } }, required: ['name'] },
    };
  }

  async run(given: unknown, { draft }: ToolSurroundings): Promise<string> {
    const { data } = z.object({ name: z.string() }).safeParse(given);
    const found = this.numbers.find(({ name }) => name.toLowerCase() === data?.name.trim().toLowerCase());
    if (!found) return `Not found: there is only ${this.numbers.map(({ name }) => name).join(', ')}.`;
    if (!this.isOnPhone)
      return `This conversation is no telephone call. The number of ${found.name} is ${found.number}: tell it.`;
    draft.transferTo = found.number;
    return `The caller is connected with ${found.name} after your answer. Say so in one sentence.`;
  }
}
