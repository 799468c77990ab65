import { bookCampaignCall, stopCampaignCalls } from '@parley/contracts';
import type { ServiceBus } from '@parley/messaging';
import { z } from 'zod';
import type { TurnTool } from './tool';

const Minutes = z.object({ minutes: z.coerce.number().int().min(1).max(43_200) });

/** It goes by its conversation alone. */
interface CallTool extends TurnTool {
  run(given: unknown): Promise<string>;
}

interface OwnCall {
  readonly sessionUUID: string;
  readonly isOfCampaign: boolean;
}

/** What an agent may do for somebody on the telephone: never call them again, and call again when it suits them where a campaign did. */
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
