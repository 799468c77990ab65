import type {
  CallControl,
  CallSearch,
  ControlCapabilities,
  FoundCall,
  PlacedCall,
  PlaceRequest,
  TransferRequest,
} from '@parley/ports';
import type { LoopbackNetwork } from './loopback-network';

/** A carrier as one would wish for: a reference places one call only, and finds it again. */
export const loopbackControlCapabilities: ControlCapabilities = {
  placeIsIdempotent: true,
  finds: 'by-reference',
  transfers: 'command',
  sendsDigits: true,
  ends: true,
  detectsMachines: false,
};

/** What can be asked of a network, here or on another machine. */
export type NetworkCommands = {
  [Name in 'place' | 'end' | 'find' | 'sendDigits' | 'transfer']: (
    ...args: Parameters<LoopbackNetwork[Name]>
  ) => Promise<ReturnType<LoopbackNetwork[Name]>>;
};

/** The network of this process. */
export function commandsOf(network: LoopbackNetwork): NetworkCommands {
  return {
    place: async (order) => network.place(order),
    end: async (callId) => network.end(callId),
    find: async (search) => network.find(search),
    sendDigits: async (callId, digits) => network.sendDigits(callId, digits),
    transfer: async (callId, to) => network.transfer(callId, to),
  };
}

/** Commands to the simulated network. */
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
