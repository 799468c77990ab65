import { once } from 'node:events';
import { createServer } from 'node:http';
import type {
  CallControl,
  CallSearch,
  ControlCapabilities,
  FoundCall,
  PlacedCall,
  PlaceRequest,
  TransferRequest,
} from '@parley/ports';
import { z } from 'zod';
import { askCarrier } from '../carrier-http';
import type { LoopbackNetwork } from './loopback-network';

/** An ideal carrier: a reference places only one call, and finds it again. */
export const loopbackControlCapabilities: ControlCapabilities = {
  placeIsIdempotent: true,
  finds: 'by-reference',
  transfers: 'command',
  sendsDigits: true,
  ends: true,
  detectsMachines: false,
  dials: 'anything',
  dialsAddresses: true,
};

/** The commands of a network, in this process or elsewhere. */
type NetworkCommands = {
  [Name in 'place' | 'end' | 'find' | 'sendDigits' | 'transfer']: (
    ...args: Parameters<LoopbackNetwork[Name]>
  ) => Promise<ReturnType<LoopbackNetwork[Name]>>;
};

/** The commands of the network in this process. */
export function commandsOf(network: LoopbackNetwork): NetworkCommands {
  return {
    place: async (order) => network.place(order),
    end: async (callId) => network.end(callId),
    find: async (search) => network.find(search),
    sendDigits: async (callId, digits) => network.sendDigits(callId, digits),
    transfer: async (callId, to) => network.transfer(callId, to),
  };
}

/** Controls calls of the simulated network. */
export class LoopbackControl implements CallControl {
  readonly capabilities = loopbackControlCapabilities;

  constructor(
    private readonly network: NetworkCommands,
    private readonly secret: string,
  ) {}

  async place(request: PlaceRequest): Promise<PlacedCall> {
    const { signal: _, mediaUrl: __, ...order } = request;
    return this.network.place({ ...order, secret: this.secret });
  }

  async end(callId: string): Promise<void> {
    await this.network.end(callId);
  }

  async find(search: CallSearch): Promise<FoundCall | undefined> {
    return this.network.find('callId' in search ? { callId: search.callId } : { reference: search.reference });
  }

  async sendDigits(callId: string, digits: string): Promise<void> {
    await this.network.sendDigits(callId, digits);
  }

  async transfer({ callId, to, ringSeconds, afterUrl }: TransferRequest): Promise<void> {
    await this.network.transfer(callId, { to, ringSeconds, afterUrl });
  }
}

const bodyBytesMax = 64 * 1024;

const Order = z.object({
  reference: z.string(),
  from: z.string(),
  to: z.string(),
  answerUrl: z.string(),
  statusUrl: z.string(),
  ringSeconds: z.number(),
  secondsMax: z.number(),
  detectMachine: z.boolean(),
  secret: z.string(),
});
const states = ['queued', 'ringing', 'answered', 'completed', 'busy', 'declined', 'no-answer', 'failed', 'cancelled'] as const;
const State = z.enum(states);
const Found = z.object({
  callId: z.string(),
  state: State,
  cause: z.string().optional(),
  durationSeconds: z.number().optional(),
  isExact: z.boolean(),
});
const Search = z.union([z.object({ callId: z.string() }), z.object({ reference: z.string() })]);
const Command = z.discriminatedUnion('do', [
  z.object({ do: z.literal('place'), order: Order }),
  z.object({ do: z.literal('end'), callId: z.string() }),
  z.object({ do: z.literal('find'), search: Search }),
  z.object({ do: z.literal('sendDigits'), callId: z.string(), digits: z.string() }),
  z.object({
    do: z.literal('transfer'),
    callId: z.string(),
    to: z.object({ to: z.string(), ringSeconds: z.number(), afterUrl: z.string() }),
  }),
]);
type Command = z.output<typeof Command>;

/** The commands of a network in another process or on another machine. */
export function remoteNetwork(url: string): NetworkCommands {
  const send = async (command: Command): Promise<unknown> => {
    const { text } = await askCarrier({ carrier: 'loopback', method: 'POST', url, headers: {}, json: command });
    const json: unknown = JSON.parse(text);
    return json;
  };
  return {
    place: async (order) => z.object({ callId: z.string(), state: State }).parse(await send({ do: 'place', order })),
    end: async (callId) => void (await send({ do: 'end', callId })),
    find: async (search) => Found.nullable().parse(await send({ do: 'find', search })) ?? undefined,
    sendDigits: async (callId, digits) => void (await send({ do: 'sendDigits', callId, digits })),
    transfer: async (callId, to) => void (await send({ do: 'transfer', callId, to })),
  };
}

/** Serves a network to other processes of this machine. Anyone who can reach it may place calls, which cost nothing. */
export async function serveNetwork(
  network: LoopbackNetwork,
  port = 0,
): Promise<{ readonly url: string; close(): Promise<void> }> {
  const server = createServer(async (request, response) => {
    try {
      let body = '';
      for await (const part of request.setEncoding('utf8')) {
        body += String(part);
        if (body.length > bodyBytesMax) throw new Error('too much');
      }
      const result = execute(network, Command.parse(JSON.parse(body)));
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(result ?? null));
    } catch (error) {
      response.writeHead(400, { 'content-type': 'text/plain' }).end(error instanceof Error ? error.message : String(error));
    }
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const close = async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  return { url: `http://127.0.0.1:${typeof address === 'object' && address ? address.port : port}`, close };
}

function execute(network: LoopbackNetwork, command: Command): unknown {
  switch (command.do) {
    case 'place':
      return network.place(command.order);
    case 'end':
      return network.end(command.callId);
    case 'find':
      return network.find(command.search);
    case 'sendDigits':
      return network.sendDigits(command.callId, command.digits);
    case 'transfer':
      return network.transfer(command.callId, command.to);
  }
}
