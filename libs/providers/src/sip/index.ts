import {
  type CallHandler,
  type Carrier,
  type CarrierDescriptor,
  type CarrierSurroundings,
  type ListenAddress,
  type Listening,
  ProviderFailure,
} from '@parley/ports';
import {
  FrameClock,
  type InboundCall,
  type Registration,
  type RegistrationOptions,
  type RegistrationState,
  SipEndpoint,
} from '@parley/sip';
import { SipCalls } from './sip-calls';
import { reachableHost, type SipAccount, SipControl, sipControlCapabilities, SipCredentials } from './sip-control';
import { sipMediaCapabilities } from './sip-media';

// One clock for all calls of the process.
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

/** SIP without a carrier: exchanges calls with phones, a PBX or a trunk directly. */
export class SipCarrier implements Carrier {
  readonly id = 'sip';
  readonly control: SipControl;
  private readonly calls: SipCalls;
  private endpoint: SipEndpoint | undefined;
  private registration: Registration | undefined;

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
    const registering = this.account.registers && !address.placesOnly ? this.registering() : undefined;
    const endpoint = await this.open(address, (call) => this.calls.incoming(call, handler), handler);
    try {
      this.registration = registering && endpoint.register(registering);
    } catch (error) {
      await endpoint.close();
      throw error;
    }
    this.endpoint = endpoint;
    this.calls.handler = handler;
    const close = async (until = new Date()): Promise<void> => {
      endpoint.drain();
      // Its calls continue; new ones are placed by the next listener.
      if (this.endpoint === endpoint) this.endpoint = this.registration = undefined;
      await endpoint.finished(until);
      await endpoint.close();
    };
    return {
      host: address.host,
      port: endpoint.address.port,
      close,
      handOn: (to) => void endpoint.handOn(to),
      takeOver: (handover) => endpoint.takeOver(handover),
    };
  }

  /**
   * If this process is registered for the account, it registers the same contact again. Otherwise a registrar is asked only to verify the
   * credentials, and a trunk without registration whether it is reachable, so that existing registrations are never affected.
   */
  async test(signal?: AbortSignal): Promise<void> {
    const { account, registration } = this;
    if (!account.trunk) return;
    if (registration) return refuse(await unlessAborted(registration.refresh(), signal));
    const endpoint = await this.open({ host: '0.0.0.0', port: 0 }, (call) => call.refuse(480));
    try {
      if (account.registers) return refuse(await unlessAborted(endpoint.isKnownTo(this.registering()), signal));
      const status = await unlessAborted(endpoint.isThere(account.trunk), signal);
      if (status === undefined) throw new ProviderFailure('sip', 'the trunk does not answer', { retryable: true });
    } finally {
      await endpoint.close();
    }
  }

  async close(): Promise<void> {
    const { endpoint } = this;
    this.endpoint = this.registration = undefined;
    await endpoint?.close();
  }

  private async open(
    address: Omit<ListenAddress, 'placesOnly'>,
    incoming: (call: InboundCall) => void,
    handler?: CallHandler,
  ): Promise<SipEndpoint> {
    const { account } = this;
    const { callerUsername, mediaPortFrom: from, mediaPortTo: to } = account;
    const advertisedHost = account.publicHost ?? reachableHost(address.host);
    const { host, port, handover } = address;
    return SipEndpoint.open({
      host,
      port,
      ...(handover && { handover }),
      ...(advertisedHost !== undefined && { advertisedHost }),
      media: { host: address.host, from, to },
      admission: { trusted: account.trusted },
      ...(callerUsername !== undefined && { passwordOf: (name) => this.passwordOf(name, handler) }),
      ...(account.callerDigest === 'md5' && { digest: ['MD5'] as const }),
      clock: this.shared.frames,
      ...(this.surroundings.reaches && { reaches: this.surroundings.reaches }),
      incoming,
      refused: (refusal) => handler?.refused?.(refusal),
    });
  }

  /** The password by the current settings of the account, which another process may have changed. */
  private async passwordOf(name: string, handler?: CallHandler): Promise<string | undefined> {
    const current = handler?.credentials ? SipCredentials.safeParse(await handler.credentials()).data : this.account;
    return name === current?.callerUsername ? current.callerPassword : undefined;
  }

  private registering(): RegistrationOptions {
    const { trunk, username, password, domain } = this.account;
    if (!trunk || username === undefined || password === undefined) {
      throw new ProviderFailure('sip', 'a registration needs a trunk, a username and a password', { retryable: false });
    }
    return { registrar: trunk, credentials: { username, password }, ...(domain !== undefined && { domain }) };
  }
}

/** Stops waiting when aborted, since a request over UDP is repeated for 32 seconds. */
function unlessAborted<Outcome>(asked: Promise<Outcome>, signal?: AbortSignal): Promise<Outcome> {
  if (!signal) return asked;
  return new Promise((resolve, reject) => {
    const giveUp = (): void => reject(signal.reason);
    if (signal.aborted) return giveUp();
    signal.addEventListener('abort', giveUp, { once: true });
    void asked.then(resolve, reject).finally(() => signal.removeEventListener('abort', giveUp));
  });
}

function refuse(state: RegistrationState): void {
  if (state.kind !== 'failed') return;
  const { status, words } = state;
  const isOurFault = status === 401 || status === 403 || status === 404 || status === 407;
  throw new ProviderFailure('sip', status === undefined ? words : `the registrar answers ${status} ${words}`, {
    retryable: !isOurFault,
  });
}
