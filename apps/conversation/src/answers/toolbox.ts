import { Injectable } from '@nestjs/common';
import { type AgentRuntime, bookCampaignCall, type ConversationChannel, stopCampaignCalls } from '@parley/contracts';
import { type Call, ServiceBus } from '@parley/messaging';
import type { ToolSpecification } from '@parley/ports';
import { type FetchPublicServer, fetchPublicServer } from '@parley/service-kit';
import { z } from 'zod';
import { Knowledge, type FoundKnowledge } from './knowledge';

/** What tools may decide about a turn beside its answer. */
interface TurnEnding {
  wantsToEnd: boolean;
  /** The number to transfer the caller to. */
  transferTo: string | undefined;
}

/** What a tool gets beside its arguments. Nothing of it comes from the model. */
export interface ToolSurroundings {
  readonly agent: AgentRuntime;
  readonly draft: TurnEnding;
  readonly call: Call;
}

/** Something that a model may do in a turn. Its arguments come from the model and are untrusted until the tool has parsed them. */
export interface TurnTool {
  readonly specification: ToolSpecification;
  /** How long it may take, if not the default. */
  readonly timeoutMs?: number;
  /** Returns the result for the model. A wrong argument is reported in it, not thrown. */
  run(given: unknown, surroundings: ToolSurroundings): Promise<string>;
}

const SearchInput = z.object({ query: z.string().trim().min(1).max(1000) });
const Named = z.object({ name: z.string().trim().min(1).max(200) });

/** How servers named by builders are reached. */
export class ToolServers {
  readonly fetch: FetchPublicServer = fetchPublicServer;
}

interface Situation {
  readonly known: FoundKnowledge;
  readonly channel: z.output<typeof ConversationChannel>;
  /** Present if the conversation is a call: its session, and whether a campaign placed it. */
  readonly call?: { readonly sessionUUID: string; readonly isOfCampaign: boolean };
}

/** The tools of an agent, always in the same order, so that prompts can be cached. */
@Injectable()
export class Toolbox {
  constructor(
    private readonly knowledge: Knowledge,
    private readonly servers: ToolServers,
    private readonly bus: ServiceBus,
  ) {}

  of({ KBID, RuntimeConfiguration }: AgentRuntime, { known, channel, call }: Situation): readonly TurnTool[] {
    const { Tools, TransferNumbers } = RuntimeConfiguration;
    // A base that is in the prompt as a whole needs no look-up tools.
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

/** Tools that search one knowledge base, which the model cannot choose. */
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
        const { data } = SearchInput.safeParse(given);
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

/** Tools for a caller's wishes: never to be called again, and in a campaign to be called back at another time. */
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

/** The name of the tool that ends the conversation. */
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

/** Transfers the caller to one of the builder's numbers. Outside a call, the agent may tell the number instead. */
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
 * A tool that calls a builder's HTTP endpoint. Address and headers are the builder's; only the arguments come from the model. The
 * guarded fetch keeps it out of our own network.
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
    const text = await beginningOf(response);
    if (response.status === 404) return `Not found. ${text}`.trim();
    return response.ok ? text || 'Done; it said nothing.' : `It failed with status ${response.status}. ${text}`.trim();
  }

  /** Arguments go into the query if the method has no body. */
  private requestOf(given: Record<string, unknown>): { url: string; init: RequestInit } {
    const { method, headers } = this.tool;
    const url = new URL(this.tool.url);
    if (method !== 'GET' && method !== 'DELETE')
      return {
        url: url.href,
        init: { method, headers: [['content-type', 'application/json'], ...headersOf(headers)], body: JSON.stringify(given) },
      };
    // Undeclared arguments are dropped: a caller may talk a model into one that the server reads as the builder's.
    for (const [name, value] of Object.entries(given).filter(([name]) => this.declares(name))) {
      url.searchParams.set(name, typeof value === 'string' ? value : JSON.stringify(value));
    }
    return { url: url.href, init: { method, headers: headersOf(headers) } };
  }

  private declares(name: string): boolean {
    const { data } = Given.safeParse(this.tool.parameters.properties);
    return data !== undefined && Object.hasOwn(data, name);
  }
}

function headersOf(headers: AgentTool['headers']): [string, string][] {
  return headers.map(({ name, value }) => [name, value]);
}

/** The beginning of a response, as much as the model gets. */
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
