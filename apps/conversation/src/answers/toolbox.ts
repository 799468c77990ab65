import { Injectable } from '@nestjs/common';
import { type AgentRuntime, bookCampaignCall, type ConversationChannel, stopCampaignCalls } from '@parley/contracts';
import { type Call, ServiceBus } from '@parley/messaging';
import type { ToolSpecification } from '@parley/ports';
import { type FetchPublicServer, fetchPublicServer } from '@parley/service-kit';
import { z } from 'zod';
import { Knowledge, type FoundKnowledge } from './knowledge';

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

const Asked = z.object({ query: z.string().trim().min(1).max(1000) });
const Named = z.object({ name: z.string().trim().min(1).max(200) });

/** How servers that builders name are asked. */
export class ToolServers {
  readonly fetch: FetchPublicServer = fetchPublicServer;
}

interface Situation {
  readonly known: FoundKnowledge;
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
    // A base that is in the prompt as a whole needs no look-up.
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
class EndConversation implements TurnTool {
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

type AgentTool = AgentRuntime['RuntimeConfiguration']['Tools'][number];

const Given = z.record(z.string(), z.unknown());
const answerBytesMax = 16_000;

/**
 * An HTTP function of the builder's own. Its address and headers are the builder's; only the arguments are the model's words. It is
 * asked over the guarded fetch, so that none leads into our own network.
 */
export class OwnTool {
  readonly specification;
  readonly timeoutMs: number;

  constructor(
    private readonly tool: AgentTool,
    private readonly fetch: FetchPublicServer,
  ) {
    const { name, description, parameters } = tool;
    this.specification = { name, description, parameters };
    this.timeoutMs = tool.timeoutMs;
  }

  async run(given: unknown): Promise<string> {
    const { data } = Given.safeParse(given ?? {});
    if (!data) return 'Wrong arguments: they must be an object.';
    const { url, init } = this.requestOf(data);
    const response = await this.fetch(url, { ...init, signal: AbortSignal.timeout(this.timeoutMs) });
    const said = await beginningOf(response);
    if (response.status === 404) return `Not found. ${said}`.trim();
    return response.ok ? said || 'Done; it said nothing.' : `It failed with status ${response.status}. ${said}`.trim();
  }

  /** Arguments go into the query where the method has no body. */
  private requestOf(given: Record<string, unknown>): { url: string; init: RequestInit } {
    const { method, headers } = this.tool;
    const own = headers.map(({ name, value }): [string, string] => [name, value]);
    const url = new URL(this.tool.url);
    if (method !== 'GET' && method !== 'DELETE')
      return {
        url: url.href,
        init: { method, headers: [['content-type', 'application/json'], ...own], body: JSON.stringify(given) },
      };
    for (const [name, value] of Object.entries(given))
      url.searchParams.set(name, typeof value === 'string' ? value : JSON.stringify(value));
    return { url: url.href, init: { method, headers: own } };
  }
}

/** As much of an answer as the model gets. */
async function beginningOf(response: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  const body: AsyncIterable<Uint8Array> | undefined = response.body ?? undefined;
  for await (const part of body ?? []) {
    parts.push(part);
    bytes += part.byteLength;
    if (bytes >= answerBytesMax) break;
  }
  return Buffer.concat(parts).subarray(0, answerBytesMax).toString('utf8').trim();
}
