import { type AgentRuntime, bookCampaignCall, stopCampaignCalls } from '@parley/contracts';
import type { Call, ServiceBus } from '@parley/messaging';
import type { ToolSpecification } from '@parley/ports';
import { z } from 'zod';

/** What tools may decide about a turn beside its words. */
interface TurnEnding {
  wantsToEnd: boolean;
  /** The number that the caller is to be connected with. */
  transferTo: string | undefined;
}

/** What a tool may know: decided before the model speaks, and nothing of it by what the model says. */
export interface ToolSurroundings {
  readonly agent: AgentRuntime;
  readonly draft: TurnEnding;
  readonly call: Call;
}

/** Something that a model may do in a turn. Its arguments are the model's words: unchecked until the tool has parsed them. */
export interface TurnTool {
  readonly specification: ToolSpecification;
  /** How long it may take, where that is not the usual. */
  readonly timeoutMs?: number;
  /** The result for the model. A wrong argument is reported to it as well, not thrown. */
  run(given: unknown, surroundings: ToolSurroundings): Promise<string>;
}

const Minutes = z.object({ minutes: z.coerce.number().int().min(1).max(43_200) });

/** A tool identified by its conversation only. */
interface CallTool extends TurnTool {
  run(given: unknown): Promise<string>;
}

interface OwnCall {
  readonly sessionUUID: string;
  readonly isOfCampaign: boolean;
}

/** What an agent may do for a caller: never call them again, and in a campaign call back when it suits them. */
export function callTools(bus: ServiceBus, { sessionUUID, isOfCampaign }: OwnCall): CallTool[] {
  const tools = [callBack(bus, sessionUUID), neverAgain(bus, sessionUUID)];
  return isOfCampaign ? tools : tools.slice(1);
}

function callBack(bus: ServiceBus, sessionUUID: string): CallTool {
  return {
    specification: {
      name: 'call_back',
      description: 'Books another call when the person asks to be called at another time. Tell them the time that was booked.',
      parameters: {
        type: 'object',
        properties: { minutes: { type: 'integer', description: 'In how many minutes from now.' } },
        required: ['minutes'],
      },
    },
    run: async (given) => {
      const { data } = Minutes.safeParse(given);
      if (!data) return 'Wrong arguments: minutes must be a number from 1 to 43200.';
      const { isDone } = await bus.ask(bookCampaignCall, { sessionUUID, ...data });
      return isDone ? 'The call is booked.' : 'No call could be booked.';
    },
  };
}

function neverAgain(bus: ServiceBus, sessionUUID: string): CallTool {
  return {
    specification: {
      name: 'do_not_call_again',
      description: 'Makes sure that the person is never called again. Use it whenever they ask not to be called any more.',
      parameters: { type: 'object', properties: {} },
    },
    run: async () => {
      const { isDone } = await bus.ask(stopCampaignCalls, { sessionUUID });
      return isDone ? 'They will not be called again. Say so, and say goodbye.' : 'This could not be written down.';
    },
  };
}

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
