import {
  type CallHandler,
  type Carrier,
  type CarrierDescriptor,
  type CarrierSurroundings,
  type ListenAddress,
  type Listening,
  ProviderFailure,
} from '@parley/ports';
import { FrameClock, type InboundCall, type RegistrationState, SipEndpoint } from '@parley/sip';
import { SipCalls } from './sip-calls';
import { reachableHost, type SipAccount, SipControl, sipControlCapabilities, SipCredentials } from './sip-control';
import { sipMediaCapabilities } from './sip-media';

// One beat for every call of the process, whatever its account.
const frames = new FrameClock();

/** SIP without a carrier: soft phones, a PBX, a trunk. */
export const sip: CarrierDescriptor<typeof SipCredentials> = {
  id: 'sip',
  name: 'SIP: a phone, a PBX or a trunk',
  credentials: SipCredentials,
  capabilities: {
    media: sipMediaCapabilities,
    control: sipControlCapabilities,
    connects: 'sip',
    signs: { webhooks: false, upgrade: false },
  },
  open: (account, { clock, reaches }) => new SipCarrier(account, { clock, ...(reaches && { reaches }) }, { frames }),
};

interface SipSurroundings {
  /** Shared by all accounts of the process. */
  readonly frames: FrameClock;
}

const drainPollMs = 50;

/** SIP without a carrier: a phone, a PBX or a trunk reaches us at an address of ours, and we reach them. */
export class SipCarrier implements Carrier {
  readonly id = 'sip';
  readonly control: SipControl;
  private readonly calls: SipCalls;
  private endpoint: SipEndpoint | undefined;

  constructor(
    private readonly account: SipAccount,
    private readonly surroundings: Pick<CarrierSurroundings, 'clock' | 'reaches'>,
    private readonly shared: SipSurroundings,
  ) {
    this.calls = new SipCalls(surroundings.clock);
    this.control = new SipControl(this.calls, { account, endpoint: () => this.endpoint });
  }

  get listensOn(): number | undefined {
    return this.account.port;
  }

  async listen(address: ListenAddress, handler: CallHandler): Promise<Listening> {
    if (this.endpoint) throw new ProviderFailure('sip', 'this account listens already', { retryable: false });
    const endpoint = await this.open(address, (call) => this.calls.incoming(call, handler));
    this.endpoint = endpoint;
    this.calls.handler = handler;
    const { account } = this;
    if (account.registers && !address.placesOnly) this.register(endpoint, () => {});
    const close = async (until = new Date()): Promise<void> => {
      endpoint.drain();
      // Its calls go on; new ones are placed by another, once there is one.
      if (this.endpoint === endpoint) this.endpoint = undefined;
      while (endpoint.callCount > 0 && Date.now() < until.getTime())
        await new Promise((resolve) => setTimeout(resolve, drainPollMs));
      await endpoint.close();
    };
    return { host: address.host, port: endpoint.address.port, close };
  }

  /** Registers once where the account has a name and a password; otherwise asks the trunk whether it is there. */
  async test(signal?: AbortSignal): Promise<void> {
    const { account } = this;
    if (!account.trunk) return;
    const endpoint = await this.open({ host: '0.0.0.0', port: 0 }, (call) => call.refuse(480));
    try {
      const state = account.registers ? await this.registered(endpoint, signal) : undefined;
      if (state) return refuse(state);
      const status = await endpoint.isThere(account.trunk);
      if (status === undefined) throw new ProviderFailure('sip', 'the trunk does not answer', { retryable: true });
    } finally {
      await endpoint.close();
    }
  }

  async close(): Promise<void> {
    const { endpoint } = this;
    this.endpoint = undefined;
    await endpoint?.close();
  }

  private async open(address: { host: string; port: number }, incoming: (call: InboundCall) => void): Promise<SipEndpoint> {
    const { account } = this;
    const { callerUsername, callerPassword, mediaPortFrom: from, mediaPortTo: to } = account;
    const advertisedHost = account.publicHost ?? reachableHost(address.host);
    return SipEndpoint.open({
      ...address,
      ...(advertisedHost !== undefined && { advertisedHost }),
      media: { host: address.host, from, to },
      admission: { trusted: account.trusted },
      ...(callerUsername !== undefined && { passwordOf: async (name) => (name === callerUsername ? callerPassword : undefined) }),
      ...(account.callerDigest === 'md5' && { digest: ['MD5'] as const }),
      clock: this.shared.frames,
      ...(this.surroundings.reaches && { reaches: this.surroundings.reaches }),
      incoming,
    });
  }

  private register(endpoint: SipEndpoint, changed: (state: RegistrationState) => void, asksOnly?: true): void {
    const { trunk, username, password, domain } = this.account;
    if (!trunk || username === undefined || password === undefined) {
      throw new ProviderFailure('sip', 'a registration needs a trunk, a username and a password', { retryable: false });
    }
    endpoint.register({
      registrar: trunk,
      credentials: { username, password },
      ...(domain !== undefined && { domain }),
      changed,
      ...(asksOnly && { asksOnly }),
    });
  }

  private async registered(endpoint: SipEndpoint, signal?: AbortSignal): Promise<RegistrationState> {
    return new Promise((resolve, reject) => {
      signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
      // A second registration would take the place of the live one.
      this.register(endpoint, (state) => state.kind === 'registering' || resolve(state), true);
    });
  }
}

function refuse(state: RegistrationState): void {
  if (state.kind !== 'failed') return;
  const { status, words } = state;
  const isOurFault = status === 401 || status === 403 || status === 404 || status === 407;
  throw new ProviderFailure('sip', status === undefined ? words : `the registrar answers ${status} ${words}`, {
    retryable: !isOurFault,
  });
}
