import { Injectable } from '@nestjs/common';
import type { AgentRuntime, ConversationChannel } from '@parley/contracts';
import { ServiceBus } from '@parley/messaging';
import { fetchPublicServer, type FetchPublicServer } from '@parley/service-kit';
import { z } from 'zod';
import { Knowledge, type Known } from '../knowledge/knowledge';
import { callTools, EndConversation, TransferCall } from './call-tools';
import { OwnTool } from './own-tool';
import type { TurnTool } from './tool';

const Asked = z.object({ query: z.string().trim().min(1).max(1000) });
const Named = z.object({ name: z.string().trim().min(1).max(200) });

/** How servers that builders name are asked. */
export class ToolServers {
  readonly fetch: FetchPublicServer = fetchPublicServer;
}

interface Situation {
  readonly known: Known;
  readonly channel: z.output<typeof ConversationChannel>;
  /** The conversation, where it is a call, and whether a campaign placed it. */
  readonly call?: { readonly sessionUUID: string; readonly isOfCampaign: boolean };
}

/** The tools that an agent has, always in the same order, so that the beginning of its prompts stays the same. */
@Injectable()
export class Toolbox {
  constructor(
    private readonly knowledge: Knowledge,
    private readonly servers: ToolServers,
    private readonly bus: ServiceBus,
  ) {}

  of({ KBID, RuntimeConfiguration }: AgentRuntime, { known, channel, call }: Situation): readonly TurnTool[] {
    const { Tools, TransferNumbers } = RuntimeConfiguration;
    // What stands whole in the prompt needs no looking up.
    const lookups = KBID === null || known.base?.isWhole ? [] : lookupTools(this.knowledge, KBID);
    const transfer = TransferNumbers.length > 0 ? [new TransferCall(TransferNumbers, channel === 'PHONE')] : [];
    const ofCall = call === undefined ? [] : callTools(this.bus, call);
    const taken = new Set(
      [...lookups, ...transfer, ...ofCall, new EndConversation()].map(({ specification }) => specification.name),
    );
    const own = Tools.filter(({ name }) => !taken.has(name)).map((tool) => new OwnTool(tool, this.servers.fetch));
    return [new EndConversation(), ...lookups, ...transfer, ...ofCall, ...own];
  }
}

/** Questions to one knowledge base. Which one is decided here and not by the model. */
function lookupTools(knowledge: Knowledge, KBID: number): TurnTool[] {
  return [
    {
      specification: {
        name: 'search_knowledge',
        description:
          'Searches the knowledge of the business. Use it when what you have been given does not hold the answer, with the subject in ' +
          'a few words, in the language that the knowledge is written in.',
        parameters: {
          type: 'object',
          properties: { query: { type: 'string', description: 'What to look for.' } },
          required: ['query'],
        },
      },
      run: async (given) => {
        const { data } = Asked.safeParse(given);
        return data ? knowledge.search(data.query, KBID) : 'Wrong arguments: query must be a short text.';
      },
    },
    {
      specification: {
        name: 'price_and_availability',
        description: 'What one product or service of the catalogue costs and whether it is available.',
        parameters: {
          type: 'object',
          properties: { name: { type: 'string', description: 'The name of the product or service.' } },
          required: ['name'],
        },
      },
      run: async (given) => {
        const { data } = Named.safeParse(given);
        return data ? knowledge.priceOf(data.name, KBID) : 'Wrong arguments: name must be a short text.';
      },
    },
  ];
}
